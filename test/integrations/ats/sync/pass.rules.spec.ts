import { counted, newPass, nextPhase, watched } from '../../../../src/integrations/ats/sync/pass.rules.js';
import type { CursorWatch } from '../../../../src/integrations/ats/sync/pass.js';

const AT = new Date('2026-03-02T09:00:00Z');
const pass = (isFull: boolean, isFirst = false) => newPass('run_1', { reason: 'scheduled', isFirst, isFull }, AT);

function phases(begin: ReturnType<typeof pass>): string[] {
  const seen: string[] = [];
  for (let one: ReturnType<typeof nextPhase> = begin; one !== null; one = nextPhase(one, AT)) seen.push(one.phase);
  return seen;
}

it('looks for absent records after a full pass alone, and not after the first one', () => {
  expect(phases(pass(false))).toEqual(['jobs', 'candidates', 'gone']);
  expect(phases(pass(true))).toEqual(['jobs', 'candidates', 'gone', 'absent_jobs', 'absent_candidates']);
  expect(phases(pass(true, true))).toEqual(['jobs', 'candidates', 'gone']);
});

/** Follows cursors until the list is given up, or for a number of pages; returns the pages, and the reason. */
function follow(most: number, cursor: (page: number) => string, rows: (page: number) => number = () => 1) {
  let watch: CursorWatch = pass(false).watch;
  for (let page = 1; page <= most; page++) {
    const after = watched(watch, cursor(page), rows(page));
    if (typeof after === 'string') return { pages: page, words: after };
    watch = after;
  }
  return { pages: most, words: null };
}

it.each([1, 2, 3, 7, 50])('notices cursors that go in a circle of %i', (circle) => {
  const { pages, words } = follow(1_000, (page) => `c${page < 5 ? page : 5 + (page % circle)}`);
  expect(words).toContain('again');
  expect(pages).toBeLessThanOrEqual(4 * circle + 16);
});

it('accepts a long list, also with some empty pages', () => {
  const [cursor, rows] = [(page: number) => `c${page}`, (page: number) => (page % 900 === 0 ? 1 : 0)];
  expect(follow(50_000, cursor).words).toBeNull();
  expect(follow(50_000, cursor, rows).words).toBeNull();
});

it('gives up a list whose cursors are always new: after a thousand empty pages, or a hundred thousand', () => {
  const cursor = (page: number) => `c${page}`;
  expect(follow(200_000, cursor, () => 0)).toEqual({ pages: 1_000, words: expect.stringContaining('without a row') });
  expect(follow(200_000, cursor)).toEqual({ pages: 100_000, words: expect.stringContaining('100000 pages') });
});

it('counts the results, and names the rows that were left out', () => {
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
