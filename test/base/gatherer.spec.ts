import { jest } from '@jest/globals';
import { Gatherer, WorkAlone, type GatherPolicy } from '../../src/base/gatherer.js';

/** Work that ends on command. */
class Bench {
  readonly begun: string[][] = [];
  private readonly ends: ((how?: Error) => void)[] = [];
  readonly gatherer: Gatherer<string, string>;

  constructor(policy: { policy?: GatherPolicy } = {}) {
    this.gatherer = new Gatherer<string, string>({
      alone: async (item) => (await this.work([item]))[0]!,
      together: (items) => this.work(items),
      keyOf: (item) => item.split('=')[0]!,
      bytesOf: (item) => item.length,
      busy: () => new Error('busy'),
      ...policy,
    });
  }

  run(...items: string[]): Promise<string>[] {
    const all = items.map((item) => this.gatherer.run('shape', item));
    // A test looks at failures when all is done.
    for (const one of all) one.catch(() => undefined);
    return all;
  }

  /** The number of works that are under way. */
  get open(): number {
    return this.ends.length;
  }

  /** Ends the oldest work that is under way. */
  async end(how?: Error): Promise<void> {
    this.ends.shift()!(how);
    // What waits begins in microtasks that follow the end.
    await new Promise(setImmediate);
  }

  private work(items: readonly string[]): Promise<string[]> {
    this.begun.push([...items]);
    return new Promise((resolve, reject) => {
      this.ends.push((how) => (how ? reject(how) : resolve(items.map((item) => `did ${item}`))));
    });
  }
}

it('works at once on a single item, and together on items that arrive meanwhile', async () => {
  const bench = new Bench();
  const all = bench.run('a', 'b', 'c');
  expect(bench.begun).toEqual([['a']]);
  await bench.end();
  expect(bench.begun).toEqual([['a'], ['b', 'c']]);
  await bench.end();
  expect(await Promise.all(all)).toEqual(['did a', 'did b', 'did c']);
});

it('batches each shape alone, and forgets a shape without items', async () => {
  const bench = new Bench();
  const all = [bench.gatherer.run('one', 'a'), bench.gatherer.run('two', 'b')];
  expect(bench.begun).toEqual([['a'], ['b']]);
  await bench.end();
  await bench.end();
  await Promise.all(all);
  expect(bench.gatherer.size).toBe(0);
});

it('puts no two items of one key together, and keeps their order', async () => {
  const bench = new Bench();
  const all = bench.run('x', 'k=1', 'k=2', 'l=1', 'k=3');
  await bench.end();
  await bench.end();
  await bench.end();
  await bench.end();
  await Promise.all(all);
  expect(bench.begun).toEqual([['x'], ['k=1', 'l=1'], ['k=2'], ['k=3']]);
});

it('bounds a batch in items and in bytes', async () => {
  const bench = new Bench();
  const small = Array.from({ length: 20 }, (_, i) => `s${i}`);
  const large = ['m', 'n', 'o'].map((name) => `${name}=${'x'.repeat(400 * 1024)}`);
  const all = bench.run('first', ...small, ...large);
  for (let i = 0; i < 5; i++) if (bench.begun.length > i) await bench.end();
  await Promise.all(all);
  expect(bench.begun.map(({ length }) => length)).toEqual([1, 12, 10, 1]);
});

it('takes at most sixteen of a hundred', async () => {
  const bench = new Bench();
  const all = bench.run(...Array.from({ length: 100 }, (_, i) => `s${i}`));
  for (let i = 0; i < bench.begun.length; i++) await bench.end();
  await Promise.all(all);
  expect(bench.begun.map(({ length }) => length)).toEqual([1, ...Array.from({ length: 6 }, () => 16), 3]);
});

it('keeps half of sixteen callers under way while the other half is answered', async () => {
  // A pause of this process would make a work late, and another one would begin beside it.
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
  const bench = new Bench();
  let sent = 0;
  const call = async (name: number): Promise<void> => {
    for (let round = 0; round < 20; round++) {
      sent++;
      await bench.gatherer.run('shape', `caller${name}-${round}`);
    }
  };
  const callers = Promise.all(Array.from({ length: 16 }, (_, name) => call(name)));
  while (sent < 16 * 20) await bench.end();
  const sizes = bench.begun.map(({ length }) => length);
  expect(sizes[0]).toBe(1);
  expect(Math.min(...sizes.slice(1))).toBeGreaterThanOrEqual(7);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(9);
  while (bench.open > 0) await bench.end();
  await callers;
  jest.useRealTimers();
});

it('begins the next batch before it answers', async () => {
  const bench = new Bench();
  const order: string[] = [];
  const all = bench.run('a', 'b', 'c', 'd');
  void all[1]!.then(() => order.push(`answer, ${bench.begun.length} begun`));
  await bench.end();
  expect(bench.begun).toEqual([['a'], ['b', 'c']]);
  await bench.end();
  expect(order).toEqual(['answer, 3 begun']);
  await bench.end();
  await Promise.all(all);
});

it('takes half of the waiting items beside a late batch', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'queueMicrotask', 'nextTick'] });
  const bench = new Bench();
  const all = bench.run('late', ...Array.from({ length: 9 }, (_, i) => `s${i}`));
  await jest.advanceTimersByTimeAsync(25);
  expect(bench.begun.map(({ length }) => length)).toEqual([1, 5]);
  jest.useRealTimers();
  for (let i = 0; i < bench.begun.length; i++) await bench.end();
  await Promise.all(all);
});

it('begins a large item at once, and small ones do not wait for it', async () => {
  const bench = new Bench();
  const [large, larger] = ['l'.repeat(1024 * 1024), 'm'.repeat(1024 * 1024)];
  const all = bench.run('a', 'b', large, larger);
  expect(bench.begun).toEqual([['a'], [large], [larger]]);
  await bench.end();
  expect(bench.begun.at(-1)).toEqual(['b']);
  for (let left = 3; left > 0; left--) await bench.end();
  expect(await Promise.all(all)).toEqual(['a', 'b', large, larger].map((item) => `did ${item}`));
});

it('works on each item alone when a batch had no effect, and a failure stays with its own item', async () => {
  const bench = new Bench();
  const all = bench.run('a', 'b', 'c');
  await bench.end();
  await bench.end(new WorkAlone());
  expect(bench.begun).toEqual([['a'], ['b', 'c'], ['b'], ['c']]);
  await bench.end(new Error('of b'));
  await bench.end();
  expect(await Promise.allSettled(all)).toMatchObject([
    { value: 'did a' },
    { reason: { message: 'of b' } },
    { value: 'did c' },
  ]);
});

it('never repeats an item with an unknown outcome', async () => {
  const bench = new Bench();
  const all = bench.run('a', 'b', 'c');
  await bench.end();
  await bench.end(new Error('connection lost'));
  expect(bench.begun).toHaveLength(2);
  expect(await Promise.allSettled(all.slice(1))).toMatchObject([
    { reason: { message: 'connection lost' } },
    { reason: { message: 'connection lost' } },
  ]);
});

describe('while the database does not answer', () => {
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'queueMicrotask', 'nextTick'] });
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('runs waiting items beside late work, at most four batches', async () => {
    const bench = new Bench();
    const all = bench.run('a', 'b');
    for (const item of ['c', 'd', 'e', 'f']) {
      jest.advanceTimersByTime(25);
      all.push(...bench.run(item));
    }
    expect(bench.begun).toEqual([['a'], ['b'], ['c'], ['d']]);
    jest.advanceTimersByTime(100);
    expect(bench.begun).toHaveLength(4);
    for (let i = 0; i < 5; i++) await bench.end();
    await Promise.all(all);
    expect(bench.begun.slice(4)).toEqual([['e', 'f']]);
  });

  it('refuses items that would wait too long or behind too many others', async () => {
    const bench = new Bench();
    const stuck = bench.run('s=0');
    for (let i = 1; i < 4; i++) {
      jest.advanceTimersByTime(25);
      stuck.push(...bench.run(`s=${i}`));
    }
    const waiting = bench.run(...Array.from({ length: 1_000 }, (_, i) => `w=${i}`));
    await expect(bench.gatherer.run('shape', 'one more')).rejects.toThrow('busy');
    jest.advanceTimersByTime(10_100);
    const later = bench.run('later');
    expect(await Promise.allSettled(waiting)).toMatchObject(waiting.map(() => ({ reason: { message: 'busy' } })));
    await bench.end();
    expect(bench.begun.at(-1)).toEqual(['later']);
    for (let i = 0; i < 4; i++) await bench.end();
    expect(await Promise.all([...stuck, ...later])).toHaveLength(5);
  });
});

describe('in turn', () => {
  const policy: GatherPolicy = { items: 3, bytes: 20, large: 10, waiting: 8, waitingBytes: 40, order: 'in turn' };

  it('works on one batch after the other in the order of arrival, large items alone', async () => {
    const bench = new Bench({ policy });
    const all = bench.run('first', 'a', 'b', 'large=1234', 'c', 'd', 'e', 'f');
    for (let i = 0; i < bench.begun.length; i++) await bench.end();
    await Promise.all(all);
    expect(bench.begun).toEqual([['first'], ['a', 'b'], ['large=1234'], ['c', 'd', 'e'], ['f']]);
    expect(bench.gatherer.size).toBe(0);
  });

  it('gives an item the result of the waiting item with its key, and works again once that one is under way', async () => {
    const bench = new Bench({ policy });
    const all = bench.run('k=1', 'k=2', 'k=3');
    for (let i = 0; i < bench.begun.length; i++) await bench.end();
    expect(await Promise.all(all)).toEqual(['did k=1', 'did k=2', 'did k=2']);
    expect(bench.begun).toEqual([['k=1'], ['k=2']]);
  });

  it('refuses an item when too many items or bytes wait', async () => {
    const bench = new Bench({ policy });
    const many = bench.run(...Array.from({ length: 10 }, (_, i) => `s${i}`));
    await expect(many[9]).rejects.toThrow('busy');
    const long = new Bench({ policy });
    const bytes = long.run('x', ...Array.from({ length: 7 }, (_, i) => `${i}=1234567`));
    await expect(bytes[6]).rejects.toThrow('busy');
  });
});
