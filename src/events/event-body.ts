import type { EventName, RecordIds } from './catalogue.js';

/** The most bytes of a body with the whole record (Standard Webhooks advises to stay under 20 kB). */
const MOST_BYTES = 20_000;
/** What a body has beside the name of the event and `data`; the timestamp always has 24 characters. */
const FRAME = bodyText({ event: '', at: new Date(0), data: '' }).length;

/** Returns the body of an event: what webhooks send, and the feed shows beside id, severity and runbook. */
export function bodyText({ event, at, data }: { event: string; at: Date; data: string }): string {
  return `{"event":"${event}","timestamp":"${at.toISOString()}","data":${data}}`;
}

/**
 * Returns the data of an event, or its thin form where the body would be larger than 20 kB.
 *
 * @param data JSON text
 */
export function thinIfLarge(event: EventName, data: string, ids: RecordIds): string {
  return FRAME + event.length + Buffer.byteLength(data) <= MOST_BYTES ? data : JSON.stringify(ids);
}
