import { createContext, useContext } from 'react';
import { elapsedTime, exactTime, relativeTime } from './time.rules.js';

/** The time zone of the tenant, in which times are shown. */
export const TimeZone = createContext('UTC');

/** A time, relative to now; exact, with its zone, for a pointer and for the focus. */
export function Time({ at }: { at: string | null | undefined }) {
  const zone = useContext(TimeZone);
  if (at === null || at === undefined) return <span className="secondary">–</span>;
  const exact = exactTime(at, zone);
  return (
    // The focus shows the exact time to those who have no pointer.
    <time dateTime={at} title={exact} data-exact={exact} tabIndex={0} className="time">
      {relativeTime(at, Date.now())}
    </time>
  );
}

/** How long a time is past: "31 seconds". */
export function Elapsed({ since }: { since: string }) {
  const exact = exactTime(since, useContext(TimeZone));
  return (
    <time dateTime={since} title={exact} data-exact={exact} tabIndex={0} className="time">
      {elapsedTime(since, Date.now())}
    </time>
  );
}

/** A time as a whole, with its zone. */
export function ExactTime({ at }: { at: string }) {
  return <time dateTime={at}>{exactTime(at, useContext(TimeZone))}</time>;
}
