import { setTimeout as sleep } from 'node:timers/promises';

/** Where webhooks of a simulator go. */
export interface Target {
  id: string;
  url: string;
  /** The vendor's name of the event; null: all. */
  event: string | null;
  secret: string | null;
  /** Further headers that the customer set. */
  headers: Readonly<Record<string, string>>;
}

/** One event, before it is signed for a target. */
export interface Message {
  event: string;
  /** Returns the bytes and headers of one attempt; `attempt` begins at 0. */
  build(target: Target, attempt: number): { body: string; headers: Record<string, string> };
}

/** What became of one attempt. `status` 0: there was no answer. */
export interface Attempt {
  target: string;
  event: string;
  attempt: number;
  body: string;
  status: number;
  ms: number;
}

/** The vendor's rule of repetition. */
export interface RetryRule {
  /** Waits before the further attempts, in seconds. */
  waits: readonly number[];
  taken(status: number): boolean;
  /** Statuses after which the vendor gives up. */
  final?: readonly number[];
}

/** Sends webhooks as a vendor does: signed, repeated by its table, and out of order or twice on request. */
export class Sender {
  readonly attempts: Attempt[] = [];
  /** While set, messages wait for `release`. */
  private held: { target: Target; message: Message }[] | null = null;
  private readonly running = new Set<Promise<void>>();
  private over = false;

  /** @param timeFactor how many times faster than the vendor */
  constructor(
    private readonly rule: RetryRule,
    private readonly timeFactor: number,
  ) {}

  /** Sends a message to each target that asked for its event. */
  send(targets: readonly Target[], message: Message): void {
    for (const target of targets) {
      if (target.event !== null && target.event !== message.event) continue;
      if (this.held !== null) this.held.push({ target, message });
      else this.start(target, message);
    }
  }

  /** Keeps messages back. */
  hold(): void {
    this.held ??= [];
  }

  /** Sends what was kept back. `all` at once, or one after another in the order given. */
  async release({ reversed = false, times = 1, atOnce = false, drop = 0 } = {}): Promise<void> {
    const waiting = (this.held ?? []).slice(drop);
    this.held = null;
    if (reversed) waiting.reverse();
    const doubled = waiting.flatMap((one) => Array.from({ length: times }, () => one));
    if (atOnce) await Promise.all(doubled.map(({ target, message }) => this.deliver(target, message)));
    else for (const { target, message } of doubled) await this.deliver(target, message);
  }

  /** One attempt, and its result; it is not repeated. */
  async once(target: Target, message: Message, attempt = 0): Promise<Attempt> {
    const { body, headers } = message.build(target, attempt);
    const started = performance.now();
    const status = await fetch(target.url, {
      method: 'POST',
      body,
      redirect: 'manual',
      headers: { 'content-type': 'application/json', ...target.headers, ...headers },
      signal: AbortSignal.timeout(15_000),
    }).then(
      async (response) => {
        await response.arrayBuffer();
        return response.status;
      },
      () => 0,
    );
    const done = { target: target.id, event: message.event, attempt, body, status, ms: performance.now() - started };
    this.attempts.push(done);
    return done;
  }

  /** Resolves when nothing is under way. */
  async settled(): Promise<void> {
    while (this.running.size > 0) await Promise.all(this.running);
  }

  close(): void {
    this.over = true;
  }

  private start(target: Target, message: Message): void {
    const running = this.deliver(target, message).finally(() => this.running.delete(running));
    this.running.add(running);
  }

  private async deliver(target: Target, message: Message): Promise<void> {
    for (let attempt = 0; !this.over; attempt++) {
      const { status } = await this.once(target, message, attempt);
      const wait = this.rule.waits[attempt];
      if (this.rule.taken(status) || this.rule.final?.includes(status) === true || wait === undefined) return;
      // The timer keeps no process alive.
      await sleep((wait * 1_000) / this.timeFactor, undefined, { ref: false });
    }
  }
}
