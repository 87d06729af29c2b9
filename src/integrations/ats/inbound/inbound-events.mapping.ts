import { isUtf8 } from 'node:buffer';
import type { InboundEventListed, InboundEventShown } from './inbound-events.dto.js';
import type { InboundEventBody, InboundEventRow } from './inbound-event.js';
import { reasonInWords } from './inbound-words.js';

/** Returns an event as a list shows it. */
export function listedEvent(row: InboundEventRow): InboundEventListed {
  const { id, name, kind, remote_id, state, reason, tries } = row;
  const detail = reasonInWords(reason, row.detail);
  const at = row.at.toISOString();
  const occurredAt = row.occurred_at?.toISOString() ?? null;
  const decidedAt = row.decided_at?.toISOString() ?? null;
  return {
    id,
    at,
    name,
    occurred_at: occurredAt,
    kind,
    remote_id,
    state,
    reason,
    detail,
    tries,
    decided_at: decidedAt,
  };
}

/** Returns an event with what came. */
export function shownEvent(row: InboundEventBody): InboundEventShown {
  const { body, headers, content_type } = row;
  const isText = body !== null && isUtf8(body);
  return {
    ...listedEvent(row),
    content_type,
    headers,
    body: isText ? body.toString('utf8') : null,
    body_base64: body === null || isText ? null : body.toString('base64'),
  };
}
