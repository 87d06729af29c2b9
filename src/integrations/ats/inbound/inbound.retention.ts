/** What is open of events that are dropped, in whole months: `$1` is the days of their bodies. It goes before them. */
export const OLD_OPEN_EVENTS = `delete from ats_open_events
  where at < date_trunc('month', now() at time zone 'UTC' - $1 * interval '1 day') at time zone 'UTC'`;
