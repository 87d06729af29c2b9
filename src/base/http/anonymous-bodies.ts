import { TooManyBodies } from './http.errors.js';

/** Memory for all bodies together that are being read before it is known who sends them, in bytes. */
export const MAX_ANONYMOUS = 16 * 1024 * 1024;
const RETRY_AFTER_SECONDS = 1;

/** The memory of one body. */
export interface AnonymousShare {
  /** Says how much memory the body takes now. Throws nothing: a body that has to give way is told by `giveWay`. */
  readonly grow: (bytes: number) => void;
  /** Ends the count: the body is complete, refused, or its sender is known. May be called again. */
  readonly end: () => void;
}

/**
 * Counts the memory of bodies whose sender is not known yet: small JSON bodies, which are read before the credential is
 * looked up, and forms, which need none. When it is used up, the body that has been on its way for the longest time
 * gives way. An honest body is complete within milliseconds, so a flood of slow ones displaces itself.
 */
export class AnonymousBodies {
  private held = 0;
  /** In the order in which they began. */
  private readonly open = new Map<object, { bytes: number; giveWay: (reason: TooManyBodies) => void }>();

  constructor(private readonly max = MAX_ANONYMOUS) {}

  /** @param giveWay ends the reading of this body with 503; called at most once, and not after `end` */
  share(giveWay: (reason: TooManyBodies) => void): AnonymousShare {
    const key = {};
    this.open.set(key, { bytes: 0, giveWay });
    return {
      grow: (bytes) => {
        const mine = this.open.get(key);
        if (mine === undefined) return;
        this.held += bytes - mine.bytes;
        mine.bytes = bytes;
        this.makeRoom();
      },
      end: () => this.close(key),
    };
  }

  /** Bytes that are held; for metrics and tests. */
  get size(): number {
    return this.held;
  }

  private makeRoom(): void {
    for (const [key, { bytes, giveWay }] of this.open) {
      if (this.held <= this.max) return;
      // One that has taken nothing yet has nothing to give.
      if (bytes === 0) continue;
      this.close(key);
      giveWay(
        new TooManyBodies(
          `Bodies of unknown senders take more than ${this.max} bytes together. Send the body without pauses.`,
          RETRY_AFTER_SECONDS,
        ),
      );
    }
  }

  private close(key: object): void {
    this.held -= this.open.get(key)?.bytes ?? 0;
    this.open.delete(key);
  }
}

/** Those of this process: memory is shared by all that it serves. */
export const anonymousBodies = new AnonymousBodies();
