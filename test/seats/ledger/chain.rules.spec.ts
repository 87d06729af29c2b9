import fc from '../../support/properties.js';
import {
  ExportVerifier,
  EMPTY_HEAD,
  hashOf,
  seal,
  type ChainEntry,
  type ChainHead,
  type SealedEntry,
} from '../../../src/seats/ledger/chain.rules.js';

const entry = (id: number, delta = 1, more: Partial<ChainEntry> = {}): ChainEntry => ({
  entry_id: String(id),
  kind: delta > 0 ? 'claim' : 'release',
  user_id: `usr_${id}`,
  delta,
  role: 'User',
  directory_id: null,
  cost_center: null,
  details: null,
  reason: 'created',
  source: { request_id: `r${id}` },
  occurred_at: `2026-03-01T00:00:${String(id).padStart(2, '0')}.000000Z`,
  ...more,
});

const verify = (entries: readonly SealedEntry[], head?: ChainHead) => {
  const verifier = new ExportVerifier();
  for (const each of entries) verifier.take(each);
  return verifier.verdict(head);
};
const headOf = (entries: readonly SealedEntry[]): ChainHead => {
  const last = entries.at(-1)!;
  return { sequence: last.sequence, count: last.count_after, hash: last.hash, sealed_through: last.effective_at };
};
const CHAIN = seal(EMPTY_HEAD, [entry(1), entry(2), entry(3, -1, { user_id: 'usr_1' }), entry(4)]);

describe('the seal of a chain', () => {
  it('numbers, counts and links each entry to the one before', () => {
    expect(CHAIN.map(({ sequence, count_after: count }) => [sequence, count])).toEqual([
      [1, 1],
      [2, 2],
      [3, 1],
      [4, 2],
    ]);
    expect(CHAIN[0]!.previous_hash).toBe('0'.repeat(64));
    for (let i = 1; i < CHAIN.length; i++) expect(CHAIN[i]!.previous_hash).toBe(CHAIN[i - 1]!.hash);
    expect(verify(CHAIN, headOf(CHAIN))).toEqual({ ok: true, entries: 4, head: CHAIN[3]!.hash, count: 2 });
  });

  it('makes the same chain in two parts', () => {
    const first = seal(EMPTY_HEAD, [entry(1), entry(2)]);
    expect([...first, ...seal(headOf(first), [entry(3, -1, { user_id: 'usr_1' }), entry(4)])]).toEqual(CHAIN);
  });

  it('dates a late entry no earlier than the sealed ones', () => {
    const late = seal({ ...EMPTY_HEAD, sealed_through: '2026-03-01T00:00:30.000000Z' }, [
      entry(1),
      entry(2),
      entry(45),
    ]);
    expect(late.map((each) => each.effective_at.slice(17, 19))).toEqual(['30', '30', '45']);
    expect(late.map((each) => each.occurred_at.slice(17, 19))).toEqual(['01', '02', '45']);
  });

  it('accepts an empty chain', () => {
    expect(verify([])).toMatchObject({ ok: true, entries: 0, count: 0 });
    expect(verify([], EMPTY_HEAD)).toMatchObject({ ok: true });
  });
});

describe('lines of one user in a wrong order', () => {
  const swapped = [entry(10, -1, { user_id: 'usr_x' }), entry(9, 1, { user_id: 'usr_x' })];
  const correction = entry(11, 0, { user_id: 'usr_x', kind: 'correction', details: { holds: false } });

  it('are named when the chain is whole', () => {
    expect(verify(seal(EMPTY_HEAD, [entry(1), ...swapped]))).toEqual({
      ok: false,
      sequence: 3,
      problem: 'lines 2 and 3 about usr_x are not in the order in which they were written',
    });
    expect(verify(seal(EMPTY_HEAD, [entry(1), entry(2), entry(3, 1, { user_id: 'usr_2' })]))).toEqual({
      ok: false,
      sequence: 3,
      problem: 'the lines about usr_2 add up to 2 seats',
    });
  });

  it('are settled by a later correction', () => {
    expect(verify(seal(EMPTY_HEAD, [entry(1), ...swapped, correction]))).toMatchObject({ ok: true, count: 1 });
  });
});

describe('tampering is found at the first wrong entry', () => {
  const changed = (at: number, change: Partial<SealedEntry>) =>
    CHAIN.map((each, i) => (i === at ? { ...each, ...change } : each));
  const resealed = (at: number, change: Partial<SealedEntry>) => {
    const broken = changed(at, change);
    broken[at] = { ...broken[at]!, hash: hashOf(broken[at]!) };
    return broken;
  };
  const cases: [string, readonly SealedEntry[], number, string][] = [
    ['another role', changed(1, { role: 'Observer' }), 2, 'the entry was changed'],
    ['another person', changed(1, { user_id: 'usr_x' }), 2, 'the entry was changed'],
    ['another source', changed(2, { source: { request_id: 'x' } }), 3, 'the entry was changed'],
    ['another cost centre', changed(0, { cost_center: 'C' }), 1, 'the entry was changed'],
    ['another moment, later', changed(3, { effective_at: '2026-03-02T00:00:00.000000Z' }), 4, 'the entry was changed'],
    ['another moment, earlier', changed(3, { effective_at: '2026-02-01T00:00:00.000000Z' }), 4, 'time runs backwards'],
    ['when it happened', changed(3, { occurred_at: '2026-02-01T00:00:00.000000Z' }), 4, 'the entry was changed'],
    ['a count', changed(1, { count_after: 7 }), 2, 'the count does not fit'],
    ['a claim made a release', changed(1, { delta: -1, count_after: 0 }), 2, 'the entry was changed'],
    ['a hash', changed(1, { hash: 'f'.repeat(64) }), 2, 'the entry was changed'],
    ['a hash before', changed(1, { previous_hash: 'f'.repeat(64) }), 2, 'the hash of the entry before does not fit'],
    ['an entry and its hash', resealed(1, { role: 'Observer' }), 3, 'the hash of the entry before does not fit'],
    ['an entry left out', CHAIN.filter((_, i) => i !== 1), 3, 'expected sequence 2'],
    ['the first left out', CHAIN.slice(1), 2, 'expected sequence 1'],
    ['an entry twice', [CHAIN[0]!, ...CHAIN], 1, 'expected sequence 2'],
    ['two in the other order', [CHAIN[0]!, CHAIN[2]!, CHAIN[1]!, CHAIN[3]!], 3, 'expected sequence 2'],
    ['the end cut off', CHAIN.slice(0, 3), 4, 'the chain does not end where its head says'],
    ['the last entry and its hash', resealed(3, { role: 'Observer' }), 5, 'the chain does not end where its head says'],
  ];
  it.each(cases)('%s', (_, entries, sequence, problem) => {
    expect(verify(entries, headOf(CHAIN))).toEqual({ ok: false, sequence, problem });
  });

  it('keeps a verdict when more entries follow', () => {
    const verifier = new ExportVerifier();
    expect(verifier.take(CHAIN[1]!)).toBe(false);
    expect(verifier.take(CHAIN[0]!)).toBe(false);
    expect(verifier.verdict()).toMatchObject({ ok: false, sequence: 2 });
  });

  it('finds each change of a text', () => {
    const texts = fc.constantFrom(
      'kind',
      'user_id',
      'role',
      'directory_id',
      'cost_center',
      'reason',
      'occurred_at',
      'entry_id',
    );
    fc.assert(
      fc.property(fc.nat({ max: CHAIN.length - 1 }), texts, fc.string(), (at, field, text) => {
        fc.pre(CHAIN[at]![field as keyof SealedEntry] !== text);
        expect(verify(changed(at, { [field]: text }), headOf(CHAIN)).ok).toBe(false);
      }),
    );
  });
});
