/** Thresholds that were passed so long ago that the fact of today would be another one. */
export const EVENT_LEFTOVERS = [`delete from event_thresholds where passed_at < now() - interval '400 days'`] as const;
