import fc from '../../support/properties.js';
import { FairQueue } from '../../../src/protocols/saml/fair-queue.js';
import { long } from '../../support/rounds.js';

function takeAll<T>(queue: FairQueue<T>): T[] {
  const all: T[] = [];
  for (let next = queue.take(); next !== undefined; next = queue.take()) all.push(next);
  return all;
}

describe('FairQueue', () => {
  it('gives every key its turn, each in its own order', () => {
    const queue = new FairQueue<string>(100, 20);
    for (const entry of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) expect(queue.add(entry[0]!, entry)).toBeNull();
    expect(takeAll(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
    expect(queue.size).toBe(0);
  });

  it('puts a served key after those that wait', () => {
    const queue = new FairQueue<string>(100, 20);
    queue.add('a', 'a1');
    queue.add('b', 'b1');
    expect(queue.take()).toBe('a1');
    queue.add('a', 'a2');
    expect(takeAll(queue)).toEqual(['b1', 'a2']);
  });

  it('limits the room of one key', () => {
    const queue = new FairQueue<number>(100, 2);
    expect([1, 2, 3].map((entry) => queue.add('a', entry))).toEqual([null, null, 3]);
    expect(queue.add('b', 4)).toBeNull();
    expect(takeAll(queue)).toEqual([1, 4, 2]);
  });

  it('makes room for a key that has less when it is full', () => {
    const queue = new FairQueue<string>(4, 3);
    for (const entry of ['a1', 'a2', 'a3', 'b1']) expect(queue.add(entry[0]!, entry)).toBeNull();
    expect(queue.add('c', 'c1')).toBe('a3');
    expect(queue.add('d', 'd1')).toBe('a2');
    // No key has more than one now: the last one has no place.
    expect(queue.add('e', 'e1')).toBe('e1');
    expect(queue.add('a', 'a4')).toBe('a4');
    expect(takeAll(queue)).toEqual(['a1', 'b1', 'c1', 'd1']);
  });

  it('can be emptied', () => {
    const queue = new FairQueue<number>(4, 3);
    queue.add('a', 1);
    queue.add('b', 2);
    expect(queue.empty()).toEqual([1, 2]);
    expect([queue.size, queue.take()]).toEqual([0, undefined]);
  });

  long('loses no entry, keeps its limits, and makes no key wait longer than a turn of the others', () => {
    const key = fc.constantFrom('a', 'b', 'c', 'd', 'e');
    fc.assert(
      fc.property(fc.array(fc.oneof(key, fc.constant(null)), { maxLength: 60 }), (steps) => {
        const queue = new FairQueue<{ key: string; n: number }>(8, 3);
        const inside = new Set<{ key: string; n: number }>();
        steps.forEach((step, n) => {
          if (step === null) {
            const taken = queue.take();
            expect(taken === undefined).toBe(inside.size === 0);
            if (taken !== undefined) inside.delete(taken);
          } else {
            const entry = { key: step, n };
            inside.add(entry);
            const refused = queue.add(step, entry);
            if (refused !== null) expect(inside.delete(refused)).toBe(true);
          }
          expect(queue.size).toBe(inside.size);
          expect(inside.size).toBeLessThanOrEqual(8);
          for (const one of 'abcde') {
            expect([...inside].filter((entry) => entry.key === one).length).toBeLessThanOrEqual(3);
          }
        });
        const keys = new Set([...inside].map((entry) => entry.key));
        const order = takeAll(queue);
        expect(new Set(order.slice(0, keys.size).map((entry) => entry.key))).toEqual(keys);
        expect(new Set(order)).toEqual(inside);
      }),
    );
  });
});
