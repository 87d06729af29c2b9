import type { ServerResponse } from 'node:http';
import { Unavailable } from '../errors/domain-error.js';

/** Bytes of large answers that are built or sent at the same time. Building one takes about five times as much. */
const MAX_ANSWERS = 64 * 1024 * 1024;
/** The part of one tenant: one page of 2 MiB. */
const ONE_TENANT = 1 / 32;
/** Smaller answers are not counted: the number of requests bounds them. */
export const SMALL_ANSWER = 64 * 1024;
const PATIENCE_MS = 5000;
const MAX_WAITING = 32;
const RETRY_AFTER_SECONDS = 2;

interface Waiting {
  owner: string;
  bytes: number;
  grant(): void;
}

/**
 * A weighted semaphore over the bytes of large answers in this process. An answer takes its share before it is read from the
 * database, and returns it when it is sent or its reader is gone.
 */
export class AnswerBudget {
  private held = 0;
  private readonly heldBy = new Map<string, number>();
  /** In the order of arrival. A tenant that uses its whole share does not block later requests of others. */
  private readonly queue = new Set<Waiting>();

  constructor(
    private readonly max = MAX_ANSWERS,
    private readonly patienceMs = PATIENCE_MS,
  ) {}

  shareOf(res: ServerResponse, owner: string): AnswerShare {
    return new AnswerShare(this, res, owner);
  }

  /** The most bytes that one answer counts. A group of 100 000 members is larger than a share, and needs the whole budget. */
  get most(): number {
    return this.max * ONE_TENANT;
  }

  get size(): number {
    return this.held;
  }

  /**
   * Takes bytes, or waits for them. Returns the function that returns them.
   *
   * @throws {Unavailable} when they did not become free in time, or too many requests of the tenant wait already
   */
  async take(owner: string, bytes: number): Promise<() => void> {
    const weight = Math.min(bytes, this.most);
    if (!this.fits(owner, weight)) await this.wait(owner, weight);
    else this.hold(owner, weight);
    let given = false;
    return () => {
      if (given) return;
      given = true;
      this.hold(owner, -weight);
      this.grantWaiting();
    };
  }

  private fits(owner: string, bytes: number): boolean {
    const theirs = (this.heldBy.get(owner) ?? 0) + bytes;
    return this.held + bytes <= this.max && theirs <= this.max * ONE_TENANT;
  }

  private hold(owner: string, bytes: number): void {
    this.held += bytes;
    const theirs = (this.heldBy.get(owner) ?? 0) + bytes;
    if (theirs > 0) this.heldBy.set(owner, theirs);
    else this.heldBy.delete(owner);
  }

  private wait(owner: string, bytes: number): Promise<void> {
    const alike = [...this.queue].filter((one) => one.owner === owner).length;
    if (alike >= MAX_WAITING) throw tooMany();
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        owner,
        bytes,
        grant: () => {
          clearTimeout(timer);
          this.queue.delete(waiting);
          this.hold(owner, bytes);
          resolve();
        },
      };
      const timer = setTimeout(() => {
        this.queue.delete(waiting);
        reject(tooMany());
      }, this.patienceMs);
      this.queue.add(waiting);
    });
  }

  private grantWaiting(): void {
    for (const waiting of this.queue) if (this.fits(waiting.owner, waiting.bytes)) waiting.grant();
  }
}

/** The bytes of one answer in the budget. */
export class AnswerShare {
  private bytes = 0;
  private readonly releases: (() => void)[] = [];

  constructor(
    private readonly budget: AnswerBudget,
    private readonly res: ServerResponse,
    private readonly owner: string,
  ) {}

  /**
   * Takes bytes until the answer has at least this many; waits for missing ones.
   *
   * @throws {Unavailable} 503 with `Retry-After`, when they did not become free in time
   */
  async grow(bytes: number): Promise<void> {
    const wanted = Math.min(bytes, this.budget.most);
    if (bytes <= SMALL_ANSWER || wanted <= this.bytes) return;
    const release = await this.budget.take(this.owner, wanted - this.bytes);
    this.bytes = wanted;
    this.releases.push(release);
    if (this.res.closed) this.release();
    else if (this.releases.length === 1) this.res.once('close', () => this.release());
  }

  private release(): void {
    for (const release of this.releases.splice(0)) release();
  }
}

function tooMany(): Unavailable {
  return new Unavailable(
    'Too many large answers are in progress; repeat the request, or use smaller pages.',
    RETRY_AFTER_SECONDS,
  );
}
