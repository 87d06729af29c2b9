const FIRST_BYTES = 1024;
const NOTHING = Buffer.alloc(0);
/** The pieces that every sender may use, and the least average bytes of each further piece. */
const FREE_PIECES = 256;
const BYTES_OF_A_PIECE = 32;

export function isCrumbs(pieces: number, bytes: number): boolean {
  return pieces > FREE_PIECES + bytes / BYTES_OF_A_PIECE;
}

/**
 * Collects bytes in one growing buffer. A list of pieces would need several hundred bytes for each, and a sender can make every
 * piece one byte long.
 */
export class ByteCollector {
  private kept: Buffer = NOTHING;
  private used = 0;
  private pieces = 0;

  /** @param expected the announced length; no memory is reserved for it */
  constructor(
    private readonly most: number,
    private readonly expected: number | null = null,
  ) {}

  get size(): number {
    return this.used;
  }

  /** The reserved memory in bytes: at least the received bytes and at most twice as much. */
  get capacity(): number {
    return this.kept.length;
  }

  /**
   * Whether the pieces are so small that receiving them costs more than their bytes: a piece of one byte takes as long as one
   * of a thousand. No ordinary sender splits a body like that.
   */
  get crumbles(): boolean {
    return isCrumbs(this.pieces, this.used);
  }

  /** Adds a piece, or the part of it that fits; false where the piece did not fit as a whole. */
  add(piece: Buffer): boolean {
    this.pieces++;
    const room = this.most - this.used;
    const part = piece.length <= room ? piece : piece.subarray(0, room);
    // The body is a single piece, as most are: no copy.
    if (this.used === 0 && part.length === this.expected) this.kept = part;
    else this.append(part);
    this.used += part.length;
    return part === piece;
  }

  /** The memory is shared with the collector, which must not be used afterwards. */
  bytes(): Buffer {
    return this.used === this.kept.length ? this.kept : this.kept.subarray(0, this.used);
  }

  private append(part: Buffer): void {
    const needed = this.used + part.length;
    if (needed > this.kept.length) {
      const end = Math.min(this.most, this.expected ?? this.most);
      const next = Math.max(needed, Math.min(Math.max(this.kept.length * 2, FIRST_BYTES), Math.max(end, needed)));
      // Not from the shared pool: a slice of it would keep the whole pool in memory.
      const larger = Buffer.allocUnsafeSlow(next);
      this.kept.copy(larger, 0, 0, this.used);
      this.kept = larger;
    }
    part.copy(this.kept, this.used);
  }
}
