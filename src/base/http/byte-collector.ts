const FIRST_BYTES = 1024;
/** Pieces that any sender may have, and the bytes that each further piece has on average at least. */
const FREE_PIECES = 256;
const BYTES_OF_A_PIECE = 32;

/** Whether so many pieces are too many for the bytes that they hold. */
export function isCrumbs(pieces: number, bytes: number): boolean {
  return pieces > FREE_PIECES + bytes / BYTES_OF_A_PIECE;
}

/**
 * Bytes that arrive in pieces, kept in one buffer that grows. A list of the pieces would keep an object of several
 * hundred bytes for each, and a sender can make every piece one byte long.
 */
export class ByteCollector {
  private kept: Buffer = Buffer.alloc(0);
  private used = 0;
  private pieces = 0;

  /**
   * @param most how many bytes are kept at most
   * @param expected how many are announced, if that is known; nothing is set aside for what is only announced
   */
  constructor(
    private readonly most: number,
    private readonly expected: number | null = null,
  ) {}

  /** Bytes that have come so far. */
  get size(): number {
    return this.used;
  }

  /** Memory that is set aside, in bytes: at most twice what has come, and never less than that. */
  get capacity(): number {
    return this.kept.length;
  }

  /**
   * Whether the pieces are so small that receiving them costs more than their bytes: a piece of one byte takes as long
   * as one of a thousand. No sender that means well splits a body like that.
   */
  get crumbles(): boolean {
    return isCrumbs(this.pieces, this.used);
  }

  /**
   * Keeps a piece, or as much of it as there is room for.
   *
   * @returns false where the piece did not fit as a whole
   */
  add(piece: Buffer): boolean {
    this.pieces++;
    const room = this.most - this.used;
    const part = piece.length <= room ? piece : piece.subarray(0, room);
    // All in one piece, which is how nearly every body comes: no copy.
    if (this.used === 0 && part.length === this.expected) this.kept = part;
    else this.append(part);
    this.used += part.length;
    return part === piece;
  }

  /** What has come. The memory is shared with the collector, which is not used any more after that. */
  bytes(): Buffer {
    return this.kept.subarray(0, this.used);
  }

  private append(part: Buffer): void {
    const needed = this.used + part.length;
    if (needed > this.kept.length) {
      const end = Math.min(this.most, this.expected ?? this.most);
      const next = Math.max(needed, Math.min(Math.max(this.kept.length * 2, FIRST_BYTES), Math.max(end, needed)));
      // Not from the shared pool: a slice of it would keep the whole pool alive.
      const larger = Buffer.allocUnsafeSlow(next);
      this.kept.copy(larger, 0, 0, this.used);
      this.kept = larger;
    }
    part.copy(this.kept, this.used);
  }
}
