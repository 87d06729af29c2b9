import { EVENTS } from './catalogue.js';
import type { EventBody } from './events.dto.js';
import type { EventRow } from './events.repository.js';

/** Returns an event as the API shows it. */
export function eventBody({ id, event, at, data }: EventRow): EventBody {
  const { severity, runbook } = EVENTS[event];
  return { id, event, timestamp: at, data, severity, runbook };
}
