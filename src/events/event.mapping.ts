import { EVENTS } from './catalogue.js';
import { eventId } from './event-id.js';
import type { EventBody } from './events.dto.js';
import type { EventRow } from './events.repository.js';

/** Returns an event as the API shows it. */
export function eventBody({ sequence, event, at, data }: EventRow): EventBody {
  const { severity, runbook } = EVENTS[event];
  return { id: eventId(sequence), event, timestamp: at, data, severity, runbook };
}
