import type { ReadEvent } from './plan.rules.js';
import type { EventVerdict, WaitingEvent } from './waiting-events.repository.js';

/** A batch after it was read. */
export interface ReadBatch {
  rows: readonly WaitingEvent[];
  read: ReadEvent[];
  verdicts: EventVerdict[];
}

/**
 * Returns the part of a batch before its first merge, or that merge alone. Without reads a survivor can be made from what is
 * known of the merged candidate: events that come together must then come to the same as events that come one by one.
 */
export function upToMerge(batch: ReadBatch): ReadBatch & { isCut: boolean } {
  const merge = batch.read.findIndex(
    ({ reading: { effect } }) => effect.kind === 'gone' && effect.gone.survivorId !== null,
  );
  if (merge < 0) return { ...batch, isCut: false };
  const last = batch.read[Math.max(merge - 1, 0)]!.id;
  const isIn = ({ id }: { id: string }): boolean => id <= last;
  return {
    rows: batch.rows.filter(isIn),
    read: batch.read.filter(isIn),
    verdicts: batch.verdicts.filter(isIn),
    isCut: true,
  };
}
