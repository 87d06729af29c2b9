import fc from '../../support/properties.js';
import { Account, pairProblem, stepsFor, type AccountLine } from '../../../src/seats/ledger/account.rules.js';

/** Lines in the order in which they are sealed: `c9` is a claim with the id 9, `r` a release, `u` an update, `h`/`n` a correction. */
const lines = (text: string): AccountLine[] =>
  text
    .split(' ')
    .filter(Boolean)
    .map((word, i) => ({
      sequence: i + 1,
      entry_id: Number(word.slice(1)),
      delta: { c: 1, r: -1 }[word[0]!] ?? 0,
      holds: { h: true, n: false }[word[0]!] ?? null,
    }));
const accountOf = (sealed: readonly AccountLine[]): Account => {
  const account = new Account();
  for (const line of sealed) account.take(line);
  return account;
};
const pairsOf = (text: string) =>
  accountOf(lines(text)).pairs.map(({ first, second }) => `${first.entry_id}>${second.entry_id}`);

describe('pairs of lines', () => {
  it.each([
    ['none', '', []],
    ['a claim', 'c1', []],
    ['a claim and a release, twice', 'c1 r2 c3 r4', []],
    ['updates of a holder', 'c1 u2 u9 u10 r11', []],
    ['a release before its claim', 'r10 c9', ['10>9']],
    ['a claim before the release that came first', 'c1 c10 r9', ['10>9']],
    ['an update before the claim', 'u10 c9', ['10>9']],
    ['two updates', 'c1 u10 u9', ['10>9']],
    ['three lines', 'c1 r10 r8 c9', ['10>8', '8>9']],
    ['two wrong pairs', 'r10 c9 r100 c99', ['10>9', '100>99']],
    ['lines that were written in a wrong order', 'r1 c2', ['1>2']],
    ['a release without a claim', 'r1', []],
    ['a correction after the pair', 'r10 c9 n11', []],
    ['a pair after the correction', 'r10 c9 n11 r100 c99', ['100>99']],
  ])('%s', (_, text, expected) => {
    expect(pairsOf(text)).toEqual(expected);
  });

  it('are described in a sentence', () => {
    const [wrong] = accountOf(lines('r10 c9')).pairs;
    expect(pairProblem('usr_x', wrong!)).toBe(
      'lines 1 and 2 about usr_x are not in the order in which they were written',
    );
    expect(pairProblem(null, wrong!)).toContain('about the limit are not');
  });
});

describe('the lines that correct an account', () => {
  it.each([
    ['nothing when it fits', 'c1', true, []],
    ['nothing for a user who left', 'c1 r2', false, []],
    ['a repair of a missing claim', '', true, ['repair 1']],
    ['a repair of a missing release', 'c1', false, ['repair -1']],
    ['a correction of 0 for a release before its claim', 'r10 c9', false, ['correction 0']],
    ['a correction of 0 for a claim before a release', 'c1 c10 r9', true, ['correction 0']],
    ['a correction of each pair', 'r10 c9 r100 c99', false, ['correction 0', 'correction 0']],
    ['a correction of 1 for a release without a claim', 'r1', false, ['correction 1']],
    ['a correction of -1 for a claim that is there twice', 'c1 c2', true, ['correction -1']],
    ['a correction of each seat too many', 'c1 c2', false, ['correction -1', 'correction -1']],
    ['a pair and a missing release', 'r10 c9 c11', false, ['correction -1']],
  ])('%s', (_, text, inForce, expected) => {
    const steps = stepsFor(accountOf(lines(text)), inForce);
    expect(steps.map(({ kind, delta }) => `${kind} ${delta}`)).toEqual(expected);
  });

  it('correct every history that was sealed in any order', () => {
    // A history of claims, releases and updates, in batches, each of which is sealed in an order of its own.
    const batch = fc.array(fc.constantFrom('move', 'update'), { maxLength: 5 }).chain((moves) =>
      fc.record({
        moves: fc.constant(moves),
        order: fc.shuffledSubarray(
          moves.map((_, i) => i),
          { minLength: moves.length },
        ),
      }),
    );
    fc.assert(
      fc.property(fc.array(batch, { maxLength: 6 }), (batches) => {
        let id = 0;
        let inForce = false;
        const written = batches.map(({ moves, order }) => {
          const own = moves.map((move): AccountLine => {
            id++;
            if (move === 'update') return { sequence: 0, entry_id: id, delta: 0, holds: null };
            inForce = !inForce;
            return { sequence: 0, entry_id: id, delta: inForce ? 1 : -1, holds: null };
          });
          return order.map((place) => own[place]!);
        });
        const sealed = written.flat().map((line, i) => ({ ...line, sequence: i + 1 }));
        const account = accountOf(sealed);
        const isOrdered = sealed.every((line, i) => i === 0 || line.entry_id > sealed[i - 1]!.entry_id);
        // The sum is right in any order; the order is wrong exactly where a pair is found.
        expect(account.net).toBe(inForce ? 1 : 0);
        expect(account.pairs.length === 0).toBe(isOrdered);
        for (const { delta, kind } of stepsFor(account, inForce)) {
          account.take({ sequence: null, entry_id: ++id, delta, holds: kind === 'correction' ? inForce : null });
        }
        expect([account.net, account.holds, account.pairs]).toEqual([inForce ? 1 : 0, inForce, []]);
      }),
    );
  });
});
