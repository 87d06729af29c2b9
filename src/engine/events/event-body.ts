/**
 * Returns the body of an event: what webhooks send, and what the feed shows beside id, severity and runbook.
 *
 * @param data JSON text, which stays as it is
 */
export function bodyText({ event, at, data }: { event: string; at: Date; data: string }): string {
  return `{"event":"${event}","timestamp":"${at.toISOString()}","data":${data}}`;
}
