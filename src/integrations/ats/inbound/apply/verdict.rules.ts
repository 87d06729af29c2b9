import type { AtsFailure } from '../../api/ats-api.js';
import type { LeftOutReason, RecordResult } from '../../records/record.js';
import type { ReadEvent } from './plan.rules.js';
import type { EventVerdict, WaitingEvent } from './waiting-events.repository.js';

/** The number of tries of an event that fails on its own account. */
const MOST_TRIES = 3;

/** Reasons that an admin has to look at. */
const FAILED: ReadonlySet<LeftOutReason> = new Set(['bad_id', 'claimed_by_another_connection', 'metadata_too_large']);

type Named = Pick<WaitingEvent, 'id' | 'at'>;

/**
 * Returns the verdict on an event that has no effect, or cannot have one. What has no effect is not kept: its body can hold
 * what this service does not even take, such as offers and assessments.
 */
export function settledVerdict(
  { id, at }: Named,
  state: 'no_effect' | 'failed',
  reason: string,
  detail?: string,
): EventVerdict {
  return { id, at, state, reason, detail: detail ?? null, tried: false, erase: state === 'no_effect' };
}

/** Returns the verdict on an event that failed on its own account: it is tried again, a few times. */
export function triedAgain({ id, at, tries }: ReadEvent, reason: string, detail: string): EventVerdict {
  const isLast = tries + 1 >= MOST_TRIES;
  return { id, at, state: isLast ? 'failed' : 'waiting', reason, detail, tried: true, erase: false };
}

/** The same for a record that the ATS does not let us read. */
export function unreadable(event: ReadEvent, { kind, message }: AtsFailure): EventVerdict {
  return triedAgain(event, `ats_${kind}`, message);
}

/**
 * Returns the verdicts on the events about one record, from what became of it.
 *
 * @param by the event whose data was written; null: the record was read, which serves all
 */
export function verdictsOf(events: readonly ReadEvent[], result: RecordResult, by: ReadEvent | null): EventVerdict[] {
  const { outcome, reason } = result;
  const removed = outcome === 'deleted' || outcome === 'merged';
  return events.map((event) => {
    if (outcome === 'left_out') return settledVerdict(event, FAILED.has(reason!) ? 'failed' : 'no_effect', reason!);
    if (by === null && event.reading.effect.kind === 'gone' && !removed)
      return settledVerdict(event, 'no_effect', 'still_there');
    if (by !== null && event !== by) return settledVerdict(event, 'no_effect', 'older');
    if (outcome === 'unchanged') return settledVerdict(event, 'no_effect', 'unchanged');
    const { id, at } = event;
    return { id, at, state: 'applied', reason: null, detail: null, tried: false, erase: removed };
  });
}
