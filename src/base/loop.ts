import type { Activity } from './activity.js';

interface QuietPace {
  readonly everyMs: number;
  readonly activity: Activity;
}

/** Repeats work: at once after `wake`, else every `everyMs`, one run at a time. An error is reported. */
export class Loop {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  private again = false;
  private stopped = true;

  /** @param work returns true if there is more to do */
  constructor(
    private readonly everyMs: number,
    private readonly work: () => Promise<boolean | void>,
    private readonly onError: (error: unknown) => void,
    private readonly quiet: QuietPace | null = null,
  ) {
    quiet?.activity.onStir(() => this.hasten());
  }

  start(): void {
    this.stopped = false;
    this.schedule(0);
  }

  wake(): void {
    if (this.stopped) return;
    if (this.running) this.again = true;
    else this.schedule(0);
  }

  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.running;
  }

  private pause(): number {
    return this.quiet?.activity.isQuiet() === true ? this.quiet.everyMs : this.everyMs;
  }

  /** The quiet is over: a run that was put off for long is moved to the usual pace. */
  private hasten(): void {
    if (!this.stopped && this.running === undefined) this.schedule(this.everyMs);
  }

  private schedule(delay: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.running = this.run();
    }, delay);
    this.timer.unref();
  }

  private async run(): Promise<void> {
    let more: boolean | void = false;
    try {
      more = await this.work();
    } catch (error) {
      this.onError(error);
    } finally {
      this.running = undefined;
      const soon = this.again || more === true;
      this.again = false;
      if (!this.stopped) this.schedule(soon ? 0 : this.pause());
    }
  }
}

/**
 * A loop of one process, for work whose entry in the table of work (`src/base/work/work.ts`) would be written each second. The
 * application starts and stops all providers of this class.
 */
export abstract class Background {
  /** The loop also runs in processes that only answer requests. */
  readonly isEverywhere: boolean = false;
  private readonly loop: Loop;

  /** @param what names the work in the log when it fails */
  constructor(
    everyMs: number,
    what: string,
    logger: { error(message: string, fields?: Record<string, unknown>): void },
    quiet: QuietPace | null = null,
  ) {
    this.loop = new Loop(
      everyMs,
      () => this.run(),
      (error) => logger.error(`${what} failed`, { error }),
      quiet,
    );
  }

  /** Runs one round; returns true if there is more to do. */
  abstract run(): Promise<boolean | void>;

  start(): void {
    this.loop.start();
  }

  stop(): Promise<void> {
    return this.loop.stop();
  }

  wake(): void {
    this.loop.wake();
  }
}

/** Admits a fixed number at a time, in the order of arrival: among destinations that is a round robin. */
export class Semaphore {
  private inside = 0;
  private readonly queue: (() => void)[] = [];

  constructor(private readonly size: number) {}

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.inside >= this.size) await new Promise<void>((resolve) => this.queue.push(resolve));
    else this.inside++;
    try {
      return await work();
    } finally {
      const next = this.queue.shift();
      if (next === undefined) this.inside--;
      else next();
    }
  }
}

const SIZE = 4;

/**
 * Bounds the concurrent writes of background work of tenants in a process, so that requests find connections to the database. A
 * slot is held for a write, never for a call to another server.
 */
export class WorkSlots extends Semaphore {
  constructor() {
    super(SIZE);
  }
}
