import { Unavailable } from '../errors/domain-error.js';

/** The large bodies that are held in memory at once, in bytes. One takes about three times as much while it is read. */
export const MAX_HELD = 96 * 1024 * 1024;
const RETRY_AFTER_SECONDS = 2;

/** Counts the bytes of large bodies over all requests of this process, so that many of them cannot exhaust it. */
export class BodyBudget {
  private held = 0;

  constructor(private readonly max = MAX_HELD) {}

  /** A share for one body: bytes are taken as they are needed, and given back all together. */
  share(): BodyShare {
    let taken = 0;
    return {
      take: (bytes) => {
        if (this.held + bytes > this.max) return new Unavailable('Too many large bodies at once.', RETRY_AFTER_SECONDS);
        this.held += bytes;
        taken += bytes;
        return null;
      },
      giveBack: () => {
        this.held -= taken;
        taken = 0;
      },
    };
  }
}

export interface BodyShare {
  /** Null, or why there is no room for so many more bytes now. */
  readonly take: (bytes: number) => Unavailable | null;
  readonly giveBack: () => void;
}
