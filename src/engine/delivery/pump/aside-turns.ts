const FIRST_MS = 200;
const MOST_MS = 30_000;

/**
 * When the lanes that stand aside are looked for. A look reads all of them, and mostly finds that none is due: so the time
 * between two looks grows while they find nothing. The pauses that this process has set are known, and met.
 */
export class AsideTurns {
  private nextAt = -Infinity;
  private pauseMs = FIRST_MS;

  /** Returns whether it is time to look. */
  isTime(now: number): boolean {
    return now >= this.nextAt;
  }

  /** Notes a look. `found`: there may be more that is due. */
  looked(now: number, found: boolean): void {
    this.pauseMs = found ? FIRST_MS : Math.min(this.pauseMs * 2, MOST_MS);
    this.nextAt = now + this.pauseMs;
  }

  /** Notes that a lane stands aside for so long from now on. */
  waits(now: number, ms: number): void {
    this.nextAt = Math.min(this.nextAt, now + ms);
  }
}
