import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Database } from '../../base/database/database.js';
import { HorizonMarks, type Look } from './horizon.rules.js';

/** At most 50 looks a second: each one can use up a transaction id. */
const EVERY_MS = 20;
/** The looks after which a caller no longer waits for open transactions. */
const LOOKS = 4;

interface LookRow {
  last: string;
  own: string | null;
  oldest: string;
  started: string;
}

/**
 * The horizon of the feed: every event up to it is committed, or never will be.
 *
 * A transaction gets its id before it draws its first sequence (the default of the columns). A look reads the last sequence
 * first and takes a transaction id then. All sequences up to there belong to older transactions; when these are over, the
 * sequences are final. All callers of a process share the looks and what they have proved.
 */
@Injectable()
export class EventHorizon {
  private readonly marks = new HorizonMarks();
  /** The look that begins next; a caller that comes now is served by it. */
  private next: Promise<void> | null = null;
  private running: Promise<void> = Promise.resolve();
  private begun = 0;

  constructor(private readonly db: Database) {}

  /** The highest sequence that is known to be final. */
  get known(): string {
    return String(this.marks.horizon);
  }

  /**
   * Looks anew. What was committed before the call is under the horizon afterwards, unless an older write transaction stays
   * open.
   *
   * @returns the horizon
   */
  async newest(): Promise<string> {
    await this.look();
    const wanted = this.marks.last;
    for (let looks = 1; looks < LOOKS && this.marks.horizon < wanted; looks++) await this.look();
    return this.known;
  }

  /** Waits for a look that begins after the call. */
  private look(): Promise<void> {
    this.next ??= this.begin();
    return this.next;
  }

  private async begin(): Promise<void> {
    // The failure of another look is thrown to its own callers.
    await this.running.catch(() => undefined);
    const pause = this.begun + EVERY_MS - performance.now();
    if (pause > 0) await sleep(pause);
    this.begun = performance.now();
    this.next = null;
    this.running = this.read();
    return this.running;
  }

  private async read(): Promise<void> {
    const { rows } = await this.db.query<LookRow>(`select last, own, oldest, started from event_mark($1)`, [
      String(this.marks.newest),
    ]);
    const { last, own, oldest, started } = rows[0]!;
    const look: Look = { last: BigInt(last), own: own === null ? null : BigInt(own), oldest: BigInt(oldest), started };
    this.marks.take(look);
  }
}
