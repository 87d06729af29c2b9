/** How items of one shape are worked on. */
export interface GatheredWork<T, R> {
  /** Works on one item. */
  alone: (item: T) => Promise<R>;
  /**
   * Works on several items at once; returns their results in the same order. It either has no effect or all of it.
   *
   * @throws {WorkAlone} when it had no effect, and each item has to be worked on alone
   */
  together: (items: readonly T[]) => Promise<R[]>;
  /** Two items of the same key are never worked on together. */
  keyOf: (item: T) => string;
  /** The size of an item in bytes, as estimated. */
  bytesOf?: (item: T) => number;
  /** Makes the refusal of an item, where {@link MOST_WAITING} wait or it has waited for {@link PATIENCE_MS}. */
  busy: () => Error;
}

/** Items that were worked on together had no effect: one of them failed. Each is worked on alone. */
export class WorkAlone extends Error {}

/** While one is under way for so long, another one may go beside it: the first may wait for a lock. */
const LATE_MS = 20;
const MOST_AT_ONCE = 4;
/** Items of a shape that wait, and how long. */
export const MOST_WAITING = 1_000;
export const PATIENCE_MS = 10_000;
const MOST_ITEMS = 16;
const MOST_BYTES = 1024 * 1024;

interface Waiting<T, R> {
  item: T;
  bytes: number;
  since: number;
  done: (result: R | PromiseLike<R>) => void;
  failed: (error: unknown) => void;
}

/** The items of one shape. */
class Shape<T, R> {
  running = 0;
  /** Items under way. */
  items = 0;
  /** The numbers of items, under way or waiting, at the ends of the last two. */
  crowds: [number, number] = [0, 0];
  /** When the last one began, in milliseconds of the monotonic clock. */
  begun = 0;
  waiting: Waiting<T, R>[] = [];
  /** Looks after those that wait. */
  timer: NodeJS.Timeout | undefined;
}

/**
 * Gathers the work of concurrent requests. An item goes at once while none of its shape is under way; those that come
 * meanwhile go together as soon as it is done. A single caller never waits, and what a round trip and a statement cost is
 * shared exactly when there are many.
 */
export class Gatherer<T, R> {
  private readonly shapes = new Map<string, Shape<T, R>>();

  constructor(private readonly work: GatheredWork<T, R>) {}

  /** The number of shapes that are being worked on. */
  get size(): number {
    return this.shapes.size;
  }

  /**
   * Works on an item, alone or with others of its shape; returns its result. One that leaves no room for others runs at
   * once and alone: it may take seconds, and the small ones would wait for it.
   *
   * @param name the name of the shape: what may go together has the same
   */
  run(name: string, item: T): Promise<R> {
    const bytes = this.work.bytesOf?.(item) ?? 0;
    if (bytes >= MOST_BYTES) return this.work.alone(item);
    const shape = this.shapes.get(name) ?? new Shape<T, R>();
    this.shapes.set(name, shape);
    if (shape.waiting.length >= MOST_WAITING) return Promise.reject(this.work.busy());
    return new Promise<R>((done, failed) => {
      shape.waiting.push({ item, bytes, since: performance.now(), done, failed });
      this.begin(name, shape);
      this.lookLater(name, shape);
    });
  }

  /** While items wait, another one may become late, or they may have waited for too long. */
  private lookLater(name: string, shape: Shape<T, R>): void {
    if (shape.waiting.length === 0) return;
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

  /** Begins with what waits, if nothing is under way, or all of it is late. */
  private begin(name: string, shape: Shape<T, R>): void {
    const now = performance.now();
    if (
      shape.waiting.length === 0 ||
      shape.running >= MOST_AT_ONCE ||
      (shape.running > 0 && now - shape.begun < LATE_MS)
    )
      return;
    const taken = this.take(shape);
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
   * Takes the oldest items out of the queue, as many as go together: at most half of those that were there lately. While
   * one half is under way, the callers of the other half are answered and send their next items. All together would be
   * answered together too: this process and the other side would work in turns, each waiting for the other.
   */
  private take(shape: Shape<T, R>): Waiting<T, R>[] {
    const { keyOf } = this.work;
    const keys = new Set<string>();
    const [taken, left]: [Waiting<T, R>[], Waiting<T, R>[]] = [[], []];
    const there = Math.max(...shape.crowds, shape.items + shape.waiting.length);
    const most = Math.min(MOST_ITEMS, Math.ceil(there / 2));
    let bytes = 0;
    for (const one of shape.waiting) {
      const fits = taken.length === 0 || (taken.length < most && bytes + one.bytes <= MOST_BYTES);
      if (fits && !keys.has(keyOf(one.item))) {
        keys.add(keyOf(one.item));
        taken.push(one);
        bytes += one.bytes;
      } else left.push(one);
    }
    shape.waiting = left;
    return taken;
  }

  private async next(taken: Waiting<T, R>[]): Promise<void> {
    if (taken.length === 1) return this.eachAlone(taken);
    try {
      const results = await this.work.together(taken.map(({ item }) => item));
      // The next ones go out before the answers are worked on: a pool gives its connection at a tick.
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
