import { Worker } from 'node:worker_threads';

/**
 * A queue in which the keys take turns. The key that has waited longest gives its oldest entry, then goes after the
 * others. A flood of one key fills the line of that key alone.
 */
export class FairQueue<T> {
  /** By key, in the order of their turns; no line is empty. */
  private readonly lines = new Map<string, T[]>();
  private count = 0;

  constructor(
    private readonly limit: number,
    private readonly limitPerKey: number,
  ) {}

  get size(): number {
    return this.count;
  }

  /**
   * Adds an entry to the line of its key. In a full queue the youngest entry of the longest line gives way, so that
   * many keys cannot keep a single one out.
   *
   * @returns the entry that is refused; null: there was room
   */
  add(key: string, entry: T): T | null {
    const line = this.lines.get(key) ?? [];
    if (line.length >= this.limitPerKey) return entry;
    const full = this.count >= this.limit;
    const refused = full ? this.displace(line.length) : null;
    if (full && refused === null) return entry;
    line.push(entry);
    this.lines.set(key, line);
    this.count++;
    return refused;
  }

  take(): T | undefined {
    for (const [key, line] of this.lines) {
      const entry = line.shift();
      this.lines.delete(key);
      if (line.length > 0) this.lines.set(key, line);
      this.count--;
      return entry;
    }
    return undefined;
  }

  /** Removes and returns all entries. */
  empty(): T[] {
    const all = [...this.lines.values()].flat();
    this.lines.clear();
    this.count = 0;
    return all;
  }

  /** Removes the youngest entry of the longest line, unless that line would become shorter than the growing one. */
  private displace(growing: number): T | null {
    let longest: T[] = [];
    for (const line of this.lines.values()) if (line.length > longest.length) longest = line;
    if (longest.length <= growing + 1) return null;
    this.count--;
    return longest.pop() ?? null;
  }
}

/** Why a job has no result: the deadline passed, the thread broke, too many jobs waited, or the pool is closed. */
export class PoolProblem extends Error {
  constructor(readonly kind: 'deadline' | 'broken' | 'busy' | 'closed') {
    super(`worker pool: ${kind}`);
    this.name = 'PoolProblem';
  }
}

/** The limits of a pool of threads. */
interface PoolOptions {
  readonly size: number;
  /** The maximum run time of a job, from when a thread has taken it. */
  readonly deadlineMs: number;
  /** How many jobs may wait, altogether and per key. */
  readonly queue: number;
  readonly queuePerKey: number;
  /** The `workerData` of each thread. */
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
 * A pool of threads with one job each. Modes of a thread: *starting* (until `{ ready: true }`, else ended after 15 s),
 * *idle* (does not keep the process alive), *busy* (one job; ended after the deadline). A thread that breaks, runs out
 * of memory or exceeds the deadline is replaced. A thread sends `{ verdict }` for each job.
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
   * Runs a job. Jobs of one key wait behind each other and not in front of other keys.
   *
   * @param job a value that structured cloning can carry, as the result is
   * @throws {PoolProblem} when there is no result
   */
  run(key: string, job: unknown): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.closed) return reject(new PoolProblem('closed'));
      const task = { key, job, resolve, reject };
      this.waiting.add(key, task)?.reject(new PoolProblem('busy'));
      this.pump();
    });
  }

  /** Ends all threads and rejects all waiting jobs. */
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
    // Without an environment: a thread that reads foreign messages needs none of the service's secrets.
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
    // Otherwise a thread that cannot start would be tried without end.
    if (!slot.ready && ![...this.slots].some(({ ready }) => ready)) this.refuseAll(kind);
    this.pump();
  }

  /**
   * Removes a slot and rejects its job.
   *
   * @returns whether the slot was in use
   */
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
