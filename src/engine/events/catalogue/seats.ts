import { count, kinds, object } from './kind.js';

/** The seats of a tenant at the moment of the fact; the event is recorded from `threshold` seats on. */
const figures = object({ limit: count, used: count, threshold: count });

/** The events about seats. */
export const SEAT_EVENTS = kinds({
  'seat.limit_approaching': {
    severity: 'warning',
    runbook: 'Raise the limit or free seats: nine of ten seats are in use.',
    schema: figures,
    example: { limit: 100, used: 90, threshold: 90 },
  },
  'seat.limit_reached': {
    severity: 'critical',
    runbook: 'Raise the limit or free seats: new users wait or are refused, as the policy of the channel says.',
    schema: figures,
    example: { limit: 100, used: 100, threshold: 100 },
  },
});
