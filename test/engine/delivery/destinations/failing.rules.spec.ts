import { STAGES, stageOf } from '../../../../src/engine/delivery/destinations/failing.rules.js';

const NOW = new Date('2026-01-10T00:00:00.000Z');
const DAY = 86_400_000;
const ago = (ms: number): Date => new Date(NOW.getTime() - ms);

it.each([
  ['the first failure', null, false, STAGES.none],
  ['a streak', null, true, STAGES.streak],
  ['a day of failures', ago(DAY), false, STAGES.none],
  ['just under half of the time', ago(2.5 * DAY - 1), true, STAGES.streak],
  ['half of the time', ago(2.5 * DAY), false, STAGES.halfTime],
  ['just under the time', ago(5 * DAY - 1), true, STAGES.halfTime],
  ['the time', ago(5 * DAY), false, STAGES.ended],
])('%s', (_, since, away, stage) => expect(stageOf(since, 5 * DAY, away, NOW)).toBe(stage));
