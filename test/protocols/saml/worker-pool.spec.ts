import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PoolProblem, WorkerPool, FairQueue } from '../../../src/protocols/saml/worker-pool.js';
import fc from '../../support/properties.js';
import { long, someOf } from '../../support/rounds.js';

describe('worker pool', () => {
  const SCRIPT = `
import { parentPort, workerData } from 'node:worker_threads';
import { threadId } from 'node:worker_threads';
parentPort.on('message', (job) => {
  if (job === 'hang') for (;;);
  if (job === 'die') process.exit(1);
  if (job === 'throw') throw new Error('broken');
  if (job === 'reject') return void Promise.reject(new Error('broken'));
  if (job === 'eat') { const all = []; for (;;) all.push(new Array(1e6).fill('x')); }
  parentPort.postMessage({ verdict: { job, threadId, env: Object.keys(process.env).length } });
});
parentPort.postMessage({ ready: true });
`;

  describe('the pool of threads', () => {
    const folder = mkdtempSync(join(tmpdir(), 'pool-'));
    const script = (name: string, text: string) => {
      writeFileSync(join(folder, name), text);
      return pathToFileURL(join(folder, name));
    };
    const pools: WorkerPool[] = [];
    const pool = (url: URL, options: Partial<ConstructorParameters<typeof WorkerPool>[1]> = {}) => {
      const made = new WorkerPool(url, { size: 2, deadlineMs: 300, queue: 5, queuePerKey: 5, data: null, ...options });
      pools.push(made);
      return made;
    };
    afterAll(async () => {
      await Promise.all(pools.map((one) => one.close()));
      rmSync(folder, { recursive: true });
    });

    const outcome = async (job: Promise<unknown>): Promise<string> => {
      try {
        return String(((await job) as { job: unknown }).job);
      } catch (error) {
        if (error instanceof PoolProblem) return error.kind;
        throw error;
      }
    };

    it('runs jobs in at most two threads, without our environment', async () => {
      const both = pool(script('good.mjs', SCRIPT));
      const answers = await Promise.all(
        [1, 2, 3, 4, 5].map((job) => both.run('key', job) as Promise<Record<string, number>>),
      );
      expect(answers.map(({ job }) => job)).toEqual([1, 2, 3, 4, 5]);
      expect(new Set(answers.map(({ threadId }) => threadId)).size).toBeLessThanOrEqual(2);
      expect(answers[0]!['env']).toBe(0);
    });

    it.each(
      someOf([
        ['hang', 'deadline'],
        ['die', 'broken'],
        ['throw', 'broken'],
        ['reject', 'broken'],
      ]),
    )('continues after a job that makes it %s', async (job, kind) => {
      const one = pool(script('good.mjs', SCRIPT), { size: 1 });
      expect(await outcome(one.run('key', 'honest'))).toBe('honest');
      const waiting = [one.run('key', job), one.run('key', 'behind it')];
      expect(await Promise.all(waiting.map(outcome))).toEqual([kind, 'behind it']);
      expect(await outcome(one.run('key', 'honest'))).toBe('honest');
    });

    long('survives a job that takes all memory', async () => {
      const one = pool(script('good.mjs', SCRIPT), { size: 1, deadlineMs: 20_000 });
      expect(await outcome(one.run('key', 'eat'))).toBe('broken');
      expect(await outcome(one.run('key', 'honest'))).toBe('honest');
    });

    long('refuses a job when its queue is full', async () => {
      const one = pool(script('good.mjs', SCRIPT), { size: 1, queue: 2 });
      const outcomes = await Promise.all(['hang', 'b', 'c'].map((job) => outcome(one.run('key', job))));
      expect(outcomes).toEqual(['deadline', 'b', 'busy']);
    });

    it('gives each key its turn when one of them has a long queue', async () => {
      const one = pool(script('good.mjs', SCRIPT), { size: 1, queue: 50, queuePerKey: 20 });
      await one.run('first', 'warm');
      const order: string[] = [];
      const note = async (key: string, job: string) => {
        await one.run(key, job);
        order.push(job);
      };
      const flood = Array.from({ length: 20 }, (_, i) => note('loud', `loud ${i}`));
      await Promise.all([...flood, note('quiet', 'quiet 0'), note('quiet', 'quiet 1'), note('other', 'other 0')]);
      // One was under way, and one stood before each of them.
      expect(order.slice(0, 6)).toEqual(['loud 0', 'loud 1', 'quiet 0', 'other 0', 'loud 2', 'quiet 1']);
      expect(order).toHaveLength(23);
    });

    it('refuses a job of a key when its queue is full, and takes those of others', async () => {
      const one = pool(script('good.mjs', SCRIPT), { size: 1, queue: 50, queuePerKey: 2 });
      await one.run('key', 'warm');
      const outcomes = await Promise.all(
        ['a', 'b', 'c', 'd'].map((job) => outcome(one.run('loud', job))).concat(outcome(one.run('quiet', 'honest'))),
      );
      expect(outcomes).toEqual(['a', 'b', 'c', 'busy', 'honest']);
    });

    it('stops after failed starts of a thread', async () => {
      const broken = pool(script('broken.mjs', `throw new Error('broken');`));
      expect(await Promise.all([outcome(broken.run('key', 1)), outcome(broken.run('key', 2))])).toEqual([
        'broken',
        'broken',
      ]);
    });

    it('rejects waiting jobs when it closes, and accepts no more', async () => {
      const closing = pool(script('good.mjs', SCRIPT), { size: 1, deadlineMs: 10_000 });
      const waiting = [closing.run('key', 'hang'), closing.run('key', 'behind it')].map(outcome);
      await closing.close();
      expect(await Promise.all(waiting)).toEqual(['closed', 'closed']);
      expect(await outcome(closing.run('key', 'late'))).toBe('closed');
    });
  });
});

describe('fair queue', () => {
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
});
