import { TooManyBodies } from './http.errors.js';

/** Memory for all bodies whose sender is not authenticated yet, in bytes. */
const MAX_ANONYMOUS = 16 * 1024 * 1024;
const RETRY_AFTER_SECONDS = 1;

/** The memory of one body. */
export interface AnonymousShare {
  /** Notes the memory of the body. Never throws: `giveWay` is called for a body that has to end. */
  readonly grow: (bytes: number) => void;
  /** Ends the count: the body is complete, refused, or its sender is authenticated. May be called again. */
  readonly end: () => void;
}

/**
 * Counts the memory of bodies whose sender is not authenticated yet: small JSON bodies, which are read before the
 * look-up of the credential, and forms, which need none. When the memory is used up, the oldest body ends. An ordinary
 * body is complete within milliseconds, so a flood of slow bodies displaces itself.
 */
export class AnonymousBodies {
  private held = 0;
  /** In the order of their beginning. */
  private readonly open = new Map<object, { bytes: number; giveWay: (reason: TooManyBodies) => void }>();

  constructor(private readonly max = MAX_ANONYMOUS) {}

  /**
   * Adds a body.
   *
   * @param giveWay ends the reading of this body with 503; called at most once, and not after `end`
   */
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

  /** The bytes in use; for metrics and tests. */
  get size(): number {
    return this.held;
  }

  private makeRoom(): void {
    for (const [key, { bytes, giveWay }] of this.open) {
      if (this.held <= this.max) return;
      // A body without bytes frees no memory.
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

/** The bodies of this process: all its servers share the memory. */
export const anonymousBodies = new AnonymousBodies();
