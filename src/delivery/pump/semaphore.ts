/** Lets so many through at a time, in the order in which they came: among tenants that is a round robin. */
export class Turnstile {
  private inside = 0;
  private readonly queue: (() => void)[] = [];

  constructor(private readonly size: number) {}

  async pass<T>(work: () => Promise<T>): Promise<T> {
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
