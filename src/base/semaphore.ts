/** Lets a fixed number through at a time, in the order in which they came: among destinations that is a round robin. */
export class Semaphore {
  private inside = 0;
  private readonly queue: (() => void)[] = [];

  constructor(private readonly size: number) {}

  /** Runs `work` as soon as there is a place for it. */
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
