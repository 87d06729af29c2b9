/** What one look at the database has seen, in this order. */
export interface Look {
  /** The last sequence that was drawn. */
  last: bigint;
  /** A transaction id taken after that; null: the sequence had not moved since the newest mark. */
  own: bigint | null;
  /** The oldest transaction that was open after that. */
  oldest: bigint;
  /** When the server was started: another one has transaction ids of its own. */
  started: string;
}

interface Mark {
  last: bigint;
  own: bigint;
}

/** The most marks that wait for a long transaction. Halving them makes the horizon coarser and never wrong. */
const MOST = 64;

/** What looks have proved: the sequences up to a mark are final once every transaction older than the mark is over. */
export class HorizonMarks {
  private waiting: Mark[] = [];
  private server = '';
  private proved = 0n;
  private seen = 0n;

  /** The highest sequence that is final. */
  get horizon(): bigint {
    return this.proved;
  }

  /** The last sequence that was drawn. */
  get last(): bigint {
    return this.seen;
  }

  /** The highest sequence that has a mark: a look that finds it again needs no other one. */
  get newest(): bigint {
    return this.waiting.at(-1)?.last ?? this.proved;
  }

  /** Takes what a look has seen. */
  take({ last, own, oldest, started }: Look): void {
    // A database that was put back, or another server: what was proved of the former one counts no more.
    const isOther = this.server !== started || last < this.seen;
    if (isOther) {
      this.waiting = [];
      this.proved = 0n;
    }
    this.server = started;
    this.seen = last;
    if (own !== null) this.waiting.push({ last, own });
    const open = this.waiting.findIndex((mark) => mark.own > oldest);
    const over = open === -1 ? this.waiting.length : open;
    if (over > 0) this.proved = this.waiting[over - 1]!.last;
    this.waiting.splice(0, over);
    if (this.waiting.length > MOST)
      this.waiting = this.waiting.filter((_, i) => i % 2 === 1 || i === this.waiting.length - 1);
  }
}
