import { Worker } from 'node:worker_threads';
import { FairQueue } from './fair-queue.js';

/** Why a job has no result: it took too long, the thread broke, too many waited, or the pool is closed. */
export class PoolProblem extends Error {
  constructor(readonly kind: 'deadline' | 'broken' | 'busy' | 'closed') {
    super(`worker pool: ${kind}`);
    this.name = 'PoolProblem';
  }
}

export interface PoolOptions {
  readonly size: number;
  /** How long one job may run, counted from when a thread has taken it. */
  readonly deadlineMs: number;
  /** How many may wait, altogether and of one key. */
  readonly queue: number;
  readonly queuePerKey: number;
  /** Handed to each thread as its `workerData`. */
  readonly data: unknown;
}

interface Task {
  readonly key: string;
  readonly job: unknown;
  readonly resolve: (verdict: unknown) => void;
  readonly reject: (problem: PoolProblem) => void;
}

interface Slot {
  readonly worker: Worker;
  ready: boolean;
  task: Task | null;
  timer: NodeJS.Timeout | null;
}

const START_MS = 15_000;
const LIMITS = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 };

/**
 * A few threads that do one job at a time each. They start when first needed, do not keep the process alive while idle,
 * and are ended and replaced when a job takes too long or uses too much memory. A thread says `{ ready: true }` once,
 * and `{ verdict }` for each job.
 */
export class WorkerPool {
  private readonly slots = new Set<Slot>();
  private readonly waiting: FairQueue<Task>;
  private closed = false;

  constructor(
    private readonly script: URL,
    private readonly options: PoolOptions,
  ) {
    this.waiting = new FairQueue(options.queue, options.queuePerKey);
  }

  /**
   * Has a job done. `key` says for whom: whoever has many jobs waits behind their own and not in front of others. In
   * and out: what structured cloning can carry.
   *
   * @throws PoolProblem
   */
  run(key: string, job: unknown): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.closed) return reject(new PoolProblem('closed'));
      const task = { key, job, resolve, reject };
      this.waiting.add(key, task)?.reject(new PoolProblem('busy'));
      this.pump();
    });
  }

  /** Ends all threads; whoever waits is told. */
  async close(): Promise<void> {
    this.closed = true;
    const slots = [...this.slots];
    for (const slot of slots) this.drop(slot, 'closed');
    this.refuseAll('closed');
    await Promise.all(slots.map(({ worker }) => worker.terminate()));
  }

  private pump(): void {
    for (const slot of this.slots) {
      if (!slot.ready || slot.task !== null) continue;
      const task = this.waiting.take();
      if (task === undefined) return;
      this.give(slot, task);
    }
    const starting = [...this.slots].filter((slot) => !slot.ready).length;
    if (this.waiting.size > starting && this.slots.size < this.options.size) this.start();
  }

  private start(): void {
    // No environment: a thread that reads foreign messages has no use for the service's secrets.
    const worker = new Worker(this.script, { workerData: this.options.data, env: {}, resourceLimits: LIMITS });
    const slot: Slot = { worker, ready: false, task: null, timer: null };
    slot.timer = setTimeout(() => this.end(slot, 'broken'), START_MS);
    this.slots.add(slot);
    worker.on('message', (message: { ready?: true; verdict?: unknown }) => this.heard(slot, message));
    worker.on('error', () => this.end(slot, 'broken'));
    worker.on('messageerror', () => this.end(slot, 'broken'));
    worker.on('exit', () => this.end(slot, 'broken'));
  }

  private give(slot: Slot, task: Task): void {
    slot.task = task;
    slot.worker.ref();
    slot.timer = setTimeout(() => this.end(slot, 'deadline'), this.options.deadlineMs);
    slot.worker.postMessage(task.job);
  }

  private heard(slot: Slot, message: { ready?: true; verdict?: unknown }): void {
    if (!this.slots.has(slot)) return;
    if (slot.timer !== null) clearTimeout(slot.timer);
    const { task } = slot;
    slot.task = null;
    slot.timer = null;
    slot.ready = true;
    slot.worker.unref();
    task?.resolve(message.verdict);
    this.pump();
  }

  private end(slot: Slot, kind: PoolProblem['kind']): void {
    if (!this.drop(slot, kind)) return;
    void slot.worker.terminate();
    // A thread that cannot even start would be tried for ever.
    if (!slot.ready && ![...this.slots].some(({ ready }) => ready)) this.refuseAll(kind);
    this.pump();
  }

  /** Takes a slot out of use and tells its job. Out: whether it was in use. */
  private drop(slot: Slot, kind: PoolProblem['kind']): boolean {
    if (!this.slots.delete(slot)) return false;
    if (slot.timer !== null) clearTimeout(slot.timer);
    slot.task?.reject(new PoolProblem(kind));
    slot.task = null;
    return true;
  }

  private refuseAll(kind: PoolProblem['kind']): void {
    for (const task of this.waiting.empty()) task.reject(new PoolProblem(kind));
  }
}
