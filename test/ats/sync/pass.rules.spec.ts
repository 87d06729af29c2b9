import { counted, newPass, nextPhase, watched } from '../../../src/ats/sync/pass.rules.js';
import type { CursorWatch } from '../../../src/ats/sync/pass.js';

const AT = new Date('2026-03-02T09:00:00Z');
const pass = (isFull: boolean, isFirst = false) => newPass('run_1', { reason: 'scheduled', isFirst, isFull }, AT);

function phases(begin: ReturnType<typeof pass>): string[] {
  const seen: string[] = [];
  for (let one: ReturnType<typeof nextPhase> = begin; one !== null; one = nextPhase(one, AT)) seen.push(one.phase);
  return seen;
}

it('looks for what is absent after a full pass alone, and not after the first one', () => {
  expect(phases(pass(false))).toEqual(['jobs', 'candidates', 'gone']);
  expect(phases(pass(true))).toEqual(['jobs', 'candidates', 'gone', 'absent_jobs', 'absent_candidates']);
  expect(phases(pass(true, true))).toEqual(['jobs', 'candidates', 'gone']);
});

it.each([1, 2, 3, 7, 50])('notices cursors that go in a circle of %i', (circle) => {
  let watch: CursorWatch | null = { mark: null, steps: 0, power: 1 };
  let steps = 0;
  for (; watch !== null && steps < 1_000; steps++) watch = watched(watch, `c${5 + (steps % circle)}`);
  expect(steps).toBeLessThanOrEqual(4 * circle + 4);
});

it('takes a long list for what it is', () => {
  let watch: CursorWatch | null = { mark: null, steps: 0, power: 1 };
  for (let i = 0; i < 5_000 && watch !== null; i++) watch = watched(watch, `c${i}`);
  expect(watch).not.toBeNull();
});

it('counts what happened, and names what was left out', () => {
  const result = { kind: 'candidate' as const, remoteId: '1', recordId: null };
  const after = counted(
    pass(false),
    5,
    [
      { ...result, outcome: 'created', reason: null },
      { ...result, outcome: 'merged', reason: null },
      { ...result, outcome: 'left_out', reason: 'older' },
      { ...result, outcome: 'left_out', reason: 'not_active' },
      { ...result, outcome: 'left_out', reason: 'no_email' },
    ],
    [{ remote_id: null, reason: 'The row has no id.' }],
  );
  expect(after.counts).toEqual({ read: 5, created: 1, updated: 0, closed: 0, deleted: 1, not_taken: 1, left_out: 2 });
  expect(after.leftOut.map(({ remote_id }) => remote_id)).toEqual([null, '1']);
});
