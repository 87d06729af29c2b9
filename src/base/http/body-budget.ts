import { TooManyBodies } from './http.errors.js';

/** The most bytes of large bodies in memory. One takes about three times as much while it is read. */
const MAX_HELD = 96 * 1024 * 1024;
/** The part of one tenant: its slow uploads do not block other tenants. */
const ONE_TENANT = 1 / 3;
const RETRY_AFTER_SECONDS = 2;

/**
 * Counts the bytes of large bodies over all requests of this process, so that many bodies cannot exhaust its memory.
 */
export class BodyBudget {
  private held = 0;
  private readonly heldBy = new Map<string, number>();

  constructor(private readonly max = MAX_HELD) {}

  /** Returns a share for one body of a tenant. Bytes are taken as they arrive, and returned together. */
  share(owner: string): BodyShare {
    let taken = 0;
    return {
      take: (bytes) => {
        const theirs = (this.heldBy.get(owner) ?? 0) + bytes;
        if (this.held + bytes > this.max || theirs > this.max * ONE_TENANT) {
          const limit = `${Math.floor(this.max * ONE_TENANT)} bytes for a tenant, ${this.max} in all`;
          return new TooManyBodies(
            `The large bodies in progress take more than ${limit}. Send fewer at the same time.`,
            RETRY_AFTER_SECONDS,
          );
        }
        this.held += bytes;
        this.heldBy.set(owner, theirs);
        taken += bytes;
        return null;
      },
      giveBack: () => {
        const left = (this.heldBy.get(owner) ?? 0) - taken;
        if (left > 0) this.heldBy.set(owner, left);
        else this.heldBy.delete(owner);
        this.held -= taken;
        taken = 0;
      },
    };
  }
}

/** The bytes of one body in the budget. */
export interface BodyShare {
  /** Takes bytes; returns null, or the refusal when there is no room. */
  readonly take: (bytes: number) => TooManyBodies | null;
  readonly giveBack: () => void;
}
