import { EVENTS } from './catalogue.js';
import { bodyText } from './event-body.js';
import { eventId } from './event-id.js';
import type { StoredEvent } from './event-source.js';

const ENDS = new Map(
  Object.entries(EVENTS).map(([event, { severity, runbook }]) => [
    event,
    `,"severity":"${severity}","runbook":${JSON.stringify(runbook)}}`,
  ]),
);

/** Returns an event as the API shows it. It contains the body letter for letter, and its data is never parsed. */
export function eventText(event: StoredEvent): string {
  return `{"id":"${eventId(event.sequence)}",${bodyText(event).slice(1, -1)}${ENDS.get(event.event) ?? '}'}`;
}

/**
 * Returns a page of events.
 *
 * @param name the member with the place of the next page
 */
export function pageText(
  events: readonly StoredEvent[],
  name: 'next_after' | 'next_cursor',
  next: string | null,
): string {
  return `{"data":[${events.map(eventText).join(',')}],"${name}":${JSON.stringify(next)}}`;
}
