import { LEFT_OUT_WORDS } from '../records/record.js';

/** What the reasons of events mean. */
const WORDS: Readonly<Record<string, string>> = {
  ...LEFT_OUT_WORDS,
  no_data: 'A ping of the vendor, or an event without data: it has no effect.',
  not_understood: 'The body is not one that this ATS documents.',
  not_found: 'The ATS has no such record.',
  from_the_future: 'The time of the event is more than five minutes ahead.',
  cannot_read: 'The event does not hold the data, and the connection has no credential to read it with.',
  not_signed:
    'A deletion or merge without a signature is applied only after the ATS was asked, and the connection has no credential.',
  still_there: 'The ATS still has the record: the deletion has no signature, and has no effect.',
  not_applied: 'The event could not be applied because of an error inside the service.',
  queued: 'The event is applied next.',
  under_way:
    'A worker applies the events of the connection. Where its process has ended, another one continues within 20 seconds.',
  ats_away: 'The ATS did not answer, or asked for a pause: its events are tried again automatically.',
  reconnect_needed: 'The ATS has withdrawn the access: connect it again.',
  connection_paused: 'The connection is paused; `ats resume` continues it.',
  disconnected: 'The connection was disconnected before the event was applied.',
  by_hand: 'The event was dismissed.',
};

/** Returns a reason in words; null where there is none. */
export function reasonInWords(reason: string | null, detail: string | null): string | null {
  if (detail !== null) return detail;
  return reason === null ? null : (WORDS[reason] ?? reason);
}
