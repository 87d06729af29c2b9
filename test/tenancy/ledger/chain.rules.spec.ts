import { createHash } from 'node:crypto';
import {
  ChainWalk,
  START_HASH,
  type ChainLine,
  type ChainMark,
  dayHash,
  dayText,
  headText,
  type DayFields,
} from '../../../src/tenancy/ledger/chain.rules.js';

describe('chain', () => {
  const hash = (sequence: number) => (sequence === 0 ? START_HASH : String(sequence).padStart(64, '0'));
  const line = (sequence: number, change: Partial<ChainLine> = {}): ChainLine => ({
    sequence,
    entryId: `e${sequence}`,
    at: `2026-01-31T12:00:0${sequence}.000000Z`,
    previousHash: hash(sequence - 1),
    hash: hash(sequence),
    computedHash: hash(sequence),
    count: sequence,
    delta: 1,
    ...change,
  });
  const mark = (sequence: number, of = hash(sequence)): ChainMark => ({
    sequence,
    hash: of,
    problem: 'differs from closed day',
    detail: 'the day',
  });

  it('accepts a whole chain and its marks', () => {
    const walk = new ChainWalk([mark(2)], true);
    expect([line(1), line(2), line(3)].map((one) => walk.take(one))).toEqual([true, true, true]);
    expect([walk.finish(), walk.end, walk.lastLine?.entryId]).toEqual([null, { sequence: 3, hash: hash(3) }, 'e3']);
  });

  it.each<[string, Partial<ChainLine>, boolean]>([
    ['line missing', { sequence: 3 }, true],
    ['order changed', { previousHash: hash(9) }, true],
    ['count changed', { count: 5 }, true],
    ['time runs backwards', { at: '2026-01-31T12:00:00.000000Z' }, true],
    ['line changed', { computedHash: hash(9) }, true],
  ])('stops with "%s" at the second line: %j', (problem, change) => {
    const walk = new ChainWalk([], true);
    walk.take(line(1));
    expect(walk.take(line(2, change))).toBe(false);
    expect(walk.breach).toMatchObject({ sequence: 2, entry_id: 'e2', problem });
    expect([walk.take(line(2)), walk.end.sequence, walk.finish()]).toEqual([false, 1, walk.breach]);
  });

  it('ignores times of a chain without order', () => {
    const walk = new ChainWalk();
    walk.take(line(1));
    expect(walk.take(line(2, { at: '2026-01-30T00:00:00.000000Z' }))).toBe(true);
  });

  it('does not know the count before a walk that starts within the chain', () => {
    const walk = new ChainWalk([], false, { sequence: 4, hash: hash(4) });
    expect(walk.take(line(5, { count: 70 }))).toBe(true);
  });

  it('reports a line that differs from a mark', () => {
    const walk = new ChainWalk([mark(1, hash(9))]);
    expect(walk.take(line(1))).toBe(false);
    expect(walk.breach).toMatchObject({
      problem: 'differs from closed day',
      detail: expect.stringContaining('the day'),
    });
  });

  it('reports an end that was cut off', () => {
    const walk = new ChainWalk([mark(1), mark(3)]);
    walk.take(line(1));
    expect(walk.finish()).toMatchObject({ sequence: 2, entry_id: null, problem: 'end missing' });
  });
});

describe('head', () => {
  const DAY: DayFields = {
    tenantId: 'ten_1',
    chain: 'seats',
    sequence: 3,
    count: 2,
    hash: 'ab',
    day: '2026-01-31',
    previous: '00',
    closed: true,
  };

  it('writes the live head with its purpose and sorted keys', () => {
    expect(headText({ tenantId: 'ten_1', chain: 'audit', sequence: 3, hash: 'ab' })).toBe(
      '{"chain":"audit","hash":"ab","sequence":3,"tenant_id":"ten_1","type":"talent-bridge.chain-head.v1"}',
    );
  });

  it('writes the head of a day with its purpose and sorted keys', () => {
    expect(dayText(DAY)).toBe(
      '{"chain":"seats","closed":true,"count":2,"day":"2026-01-31","hash":"ab","previous":"00","sequence":3,' +
        '"tenant_id":"ten_1","type":"talent-bridge.chain-day.v1"}',
    );
  });

  it('hashes the text of the day', () => {
    expect(dayHash(DAY)).toBe(createHash('sha256').update(dayText(DAY), 'utf8').digest('hex'));
  });

  it.each<[string, Partial<DayFields>]>([
    ['day', { day: '2026-02-01' }],
    ['state', { closed: false }],
    ['place', { sequence: 4 }],
    ['count', { count: 3 }],
    ['hash', { hash: 'cd' }],
    ['day before', { previous: '11' }],
    ['chain', { chain: 'audit' }],
    ['tenant', { tenantId: 'ten_2' }],
  ])('changes its hash with the %s', (_, change) => {
    expect(dayHash({ ...DAY, ...change })).not.toBe(dayHash(DAY));
  });
});
