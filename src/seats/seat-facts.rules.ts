/** The part of the limit at which it is near. */
const NEAR = 0.9;

/** Seats that were taken, in the order of the ledger. */
export interface SealedSeats {
  limit: number;
  /** The seats in use before the lines. */
  before: number;
  /** The seats in use after each line. */
  counts: readonly number[];
  /** One of the lines has changed the limit. */
  limitChanged: boolean;
}

/** What lines of the ledger say about the limit. */
export interface SeatFact {
  event: 'seat.limit_approaching' | 'seat.limit_reached';
  data: { limit: number; used: number; threshold: number };
}

/** Returns which marks the seats have passed upwards. A new limit passes those that are behind already. */
export function seatFacts({ limit, before, counts, limitChanged }: SealedSeats): SeatFact[] {
  const near = Math.ceil(limit * NEAR);
  const marks = [
    { event: 'seat.limit_approaching', threshold: near },
    { event: 'seat.limit_reached', threshold: limit },
  ] as const;
  return marks.flatMap(({ event, threshold }) => {
    // A limit of a few seats is near only when it is reached.
    if (limit === 0 || (event === 'seat.limit_approaching' && near === limit)) return [];
    const used = counts.find((count, i) => {
      const earlier = counts[i - 1] ?? before;
      return count >= threshold && (limitChanged || earlier < threshold);
    });
    return used === undefined ? [] : [{ event, data: { limit, used, threshold } }];
  });
}
