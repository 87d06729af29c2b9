interface GatheredWork<T, R> {
  alone: (item: T) => Promise<R>;
  /**
   * Works on several items at once, with all of the effect or none; returns their results in the same order.
   *
   * @throws {WorkAlone} when it had no effect, and each item has to be worked on alone
   */
  together: (items: readonly T[]) => Promise<R[]>;
  keyOf: (item: T) => string;
  bytesOf?: (item: T) => number;
  /** Makes the refusal of an item: the queue is full, or the item has waited for {@link PATIENCE_MS}. */
  busy: () => Error;
  /** {@link OVERLAPPING} unless set. */
  policy?: GatherPolicy;
}

/** How many items go together, and how many wait. */
export interface GatherPolicy {
  /** Of one batch. */
  readonly items: number;
  readonly bytes: number;
  /** The size in bytes from which an item goes alone. */
  readonly large: number;
  /** Items and bytes of a shape that wait at the most. */
  readonly waiting: number;
  readonly waitingBytes: number;
  /**
   * `overlapping`: batches follow each other before the last one is answered, and go beside a late one; a large item goes at
   * once; two items of one key never go together. `in turn`: one batch after the other, in the order of arrival; an item with
   * the key of a waiting one shares its result.
   */
  readonly order: 'overlapping' | 'in turn';
}

/** A batch of items had no effect, because one of them failed. Each is worked on alone. */
export class WorkAlone extends Error {}

/** A batch under way for this time may have another one beside it: the first may wait for a lock. */
const LATE_MS = 20;
const MOST_AT_ONCE = 4;
/** Items of a shape that wait, and how long. */
export const MOST_WAITING = 1_000;
export const PATIENCE_MS = 10_000;
const MIB = 1024 * 1024;

/** For statements of requests: small, many, and of callers who send the next one when they are answered. */
const OVERLAPPING: GatherPolicy = {
  items: 16,
  bytes: MIB,
  large: MIB,
  waiting: MOST_WAITING,
  waitingBytes: Infinity,
  order: 'overlapping',
};

interface Waiting<T, R> {
  item: T;
  result: Promise<R>;
  bytes: number;
  since: number;
  done: (result: R | PromiseLike<R>) => void;
  failed: (error: unknown) => void;
}

class Shape<T, R> {
  running = 0;
  items = 0;
  /** Items under way or waiting, at the ends of the last two batches. */
  crowds: [number, number] = [0, 0];
  /** When the last batch began, in milliseconds of the monotonic clock. */
  begun = 0;
  waiting: Waiting<T, R>[] = [];
  /** The bytes and keys of waiting items, for the order `in turn`. */
  waitingBytes = 0;
  readonly byKey = new Map<string, Waiting<T, R>>();
  timer: NodeJS.Timeout | undefined;
}

/**
 * Gathers the work of concurrent requests. An item goes at once while none of its shape is under way; items that arrive during
 * that work go together as soon as it is done. A single caller never waits, and many callers share the cost of a round trip and
 * a statement.
 */
export class Gatherer<T, R> {
  private readonly shapes = new Map<string, Shape<T, R>>();

  private readonly policy: GatherPolicy;
  private readonly inTurn: boolean;

  constructor(private readonly work: GatheredWork<T, R>) {
    this.policy = work.policy ?? OVERLAPPING;
    this.inTurn = this.policy.order === 'in turn';
  }

  get size(): number {
    return this.shapes.size;
  }

  /** Works on an item, alone or with others of the shape `name`. */
  run(name: string, item: T): Promise<R> {
    const { waiting: most, waitingBytes, large } = this.policy;
    const bytes = this.work.bytesOf?.(item) ?? 0;
    // A large item may take seconds, and the small ones would wait for it.
    if (bytes >= large && !this.inTurn) return this.work.alone(item);
    const shape = this.shapes.get(name) ?? new Shape<T, R>();
    const key = this.inTurn ? this.work.keyOf(item) : '';
    const same = shape.byKey.get(key);
    if (same !== undefined) return same.result;
    this.shapes.set(name, shape);
    if (shape.waiting.length >= most || shape.waitingBytes > waitingBytes) return Promise.reject(this.work.busy());
    const one = { item, bytes, since: performance.now() } as Waiting<T, R>;
    one.result = new Promise<R>((done, failed) => Object.assign(one, { done, failed }));
    shape.waiting.push(one);
    if (this.inTurn) {
      shape.waitingBytes += bytes;
      shape.byKey.set(key, one);
    }
    this.begin(name, shape);
    this.lookLater(name, shape);
    return one.result;
  }

  /** While items wait, a batch may become late, or items may have waited for too long. */
  private lookLater(name: string, shape: Shape<T, R>): void {
    if (shape.waiting.length === 0 || this.inTurn) return;
    shape.timer ??= setTimeout(() => {
      shape.timer = undefined;
      const oldest = performance.now() - PATIENCE_MS;
      const tired = shape.waiting.filter(({ since }) => since < oldest);
      if (tired.length > 0) shape.waiting = shape.waiting.filter(({ since }) => since >= oldest);
      for (const { failed } of tired) failed(this.work.busy());
      this.begin(name, shape);
      this.lookLater(name, shape);
    }, LATE_MS);
  }

  private begin(name: string, shape: Shape<T, R>): void {
    const now = performance.now();
    if (
      shape.waiting.length === 0 ||
      shape.running >= MOST_AT_ONCE ||
      (shape.running > 0 && (this.inTurn || now - shape.begun < LATE_MS))
    )
      return;
    const taken = this.inTurn ? this.takeInTurn(shape) : this.take(shape);
    shape.running++;
    shape.items += taken.length;
    shape.begun = now;
    void this.next(taken).finally(() => {
      shape.crowds = [shape.items + shape.waiting.length, shape.crowds[0]];
      shape.running--;
      shape.items -= taken.length;
      if (shape.waiting.length > 0) this.begin(name, shape);
      else if (shape.running === 0) this.shapes.delete(name);
    });
  }

  /**
   * Takes the oldest items out of the queue, as many as go together: at most half of those that were there lately. While one
   * half is under way, the callers of the other half are answered and send their next items. All together would be answered
   * together too: this process and the other side would work in turns, each waiting for the other.
   */
  private take(shape: Shape<T, R>): Waiting<T, R>[] {
    const { keyOf } = this.work;
    const keys = new Set<string>();
    const [taken, left]: [Waiting<T, R>[], Waiting<T, R>[]] = [[], []];
    const there = Math.max(...shape.crowds, shape.items + shape.waiting.length);
    const most = Math.min(this.policy.items, Math.ceil(there / 2));
    let bytes = 0;
    for (const one of shape.waiting) {
      const fits = taken.length === 0 || (taken.length < most && bytes + one.bytes <= this.policy.bytes);
      if (fits && !keys.has(keyOf(one.item))) {
        keys.add(keyOf(one.item));
        taken.push(one);
        bytes += one.bytes;
      } else left.push(one);
    }
    shape.waiting = left;
    return taken;
  }

  private takeInTurn(shape: Shape<T, R>): Waiting<T, R>[] {
    const { items, bytes: mostBytes, large } = this.policy;
    let count = 0;
    let bytes = 0;
    for (const one of shape.waiting) {
      if (count > 0 && (count >= items || one.bytes >= large || bytes + one.bytes > mostBytes)) break;
      count++;
      bytes += one.bytes;
      if (one.bytes >= large) break;
    }
    shape.waitingBytes -= bytes;
    const taken = shape.waiting.splice(0, count);
    for (const { item } of taken) shape.byKey.delete(this.work.keyOf(item));
    return taken;
  }

  private async next(taken: Waiting<T, R>[]): Promise<void> {
    if (taken.length === 1) return this.eachAlone(taken);
    try {
      const results = await this.work.together(taken.map(({ item }) => item));
      // The next items go out before the answers are worked on: a pool gives its connection at a tick.
      process.nextTick(() => taken.forEach(({ done }, i) => done(results[i]!)));
    } catch (error) {
      if (error instanceof WorkAlone) return this.eachAlone(taken);
      for (const { failed } of taken) failed(error);
    }
  }

  /** At the same time: one that waits for a lock must not hold up the others. */
  private async eachAlone(taken: readonly Waiting<T, R>[]): Promise<void> {
    await Promise.all(taken.map(({ item, done, failed }) => this.work.alone(item).then(done, failed)));
  }
}
