import { barOf, duration, endLine, progressLine, type ShownTask } from '../../../src/cli/output/words.js';

const task = (more: Partial<ShownTask> = {}): ShownTask => ({
  id: 'tsk_1',
  kind: 'platform.import',
  state: 'running',
  done: 50,
  total: 200,
  error: null,
  ...more,
});

it.each<[string, Partial<ShownTask>, number | null, string]>([
  ['share, rate and estimate', {}, 10, 'platform.import tsk_1  ██░░░░░░░░ 25 % 50/200, 10 a second, about 15 s left'],
  ['the share alone before there is a rate', {}, null, 'platform.import tsk_1  ██░░░░░░░░ 25 % 50/200'],
  [
    'a slow rate with a decimal',
    {},
    0.25,
    'platform.import tsk_1  ██░░░░░░░░ 25 % 50/200, 0.3 a second, about 10 min left',
  ],
  ['that it counts, without a total', { total: null }, 10, 'platform.import tsk_1  50, still counting, 10 a second'],
  ['a task that has not begun', { state: 'waiting', done: 0 }, 0, 'platform.import tsk_1  waits for its turn'],
])('the line about a task has %s', (_, more, pace, line) => {
  expect(progressLine(task(more), pace)).toBe(line);
});

it('shows no progress of a task that has ended', () => {
  expect(barOf(task({ state: 'failed', total: null }))).toBe('50');
  expect(endLine(task({ state: 'done', done: 200 }), 61)).toBe('platform.import tsk_1  done: 200 done in 61 s');
});

it.each([
  [0, '0 s'],
  [7.2, '8 s'],
  [119, '119 s'],
  [300, '5 min'],
  [7_500, '2 h 5 min'],
])('a duration of %s seconds is %s', (seconds, words) => {
  expect(duration(seconds)).toBe(words);
});
