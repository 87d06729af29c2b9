import { isUtf8 } from 'node:buffer';
import { ApiProperty } from '@nestjs/swagger';
import { Text } from '../../../base/http/fields.js';
import { LEFT_OUT_WORDS } from '../records/record.js';
import { INBOUND_STATES, type InboundState, type InboundEventBody, type InboundEventRow } from './inbound-event.js';

/** A received event of an ATS, as lists show it. */
export class InboundEventListed {
  @ApiProperty({ example: 'aev_01k0000000abcdefghjkmnpqrs' })
  id!: string;
  @ApiProperty({ type: String, format: 'date-time', description: 'When it was received.' })
  at!: string;
  @ApiProperty({ type: String, nullable: true, description: 'The vendor’s name of the event.' })
  name!: string | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'The vendor’s time of the fact.' })
  occurred_at!: string | null;
  @ApiProperty({ type: String, enum: ['job', 'candidate'], nullable: true })
  kind!: 'job' | 'candidate' | null;
  @ApiProperty({ type: String, nullable: true, description: 'The id of the record in the ATS.' })
  remote_id!: string | null;
  @ApiProperty({ enum: INBOUND_STATES })
  state!: InboundState;
  @ApiProperty({ type: String, nullable: true, example: 'no_email' })
  reason!: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'The reason in words.' })
  detail!: string | null;
  @ApiProperty({ type: 'integer', description: 'How often it failed on its own account.' })
  tries!: number;
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  decided_at!: string | null;
}

export class InboundEventShown extends InboundEventListed {
  @ApiProperty({ type: String, nullable: true })
  content_type!: string | null;
  @ApiProperty({
    type: Object,
    nullable: true,
    additionalProperties: { type: 'string' },
    description: 'Without credentials.',
  })
  headers!: Record<string, string> | null;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The body as text, letter for letter; null once its candidate is deleted, or where it is no UTF-8.',
  })
  body!: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'A body that is no UTF-8, in Base64.' })
  body_base64!: string | null;
}

export class RetriedBody {
  @ApiProperty({ type: 'integer', description: 'At most 1,000 at a time: repeat until it is 0.' })
  retried!: number;
}

export class DismissInboundEvent {
  @Text({ max: 500, description: 'Why it does not matter; kept in the audit log.' })
  reason!: string;
}

const WORDS: Readonly<Record<string, string>> = {
  ...LEFT_OUT_WORDS,
  no_data: 'A ping of the vendor, or an event without data: it has no effect.',
  not_understood: 'The body is not one that this ATS documents.',
  not_found: 'The ATS has no such record.',
  from_the_future: 'The time of the event is more than five minutes ahead.',
  cannot_read: 'The event does not hold the data, and the connection has no credential to read it with.',
  not_signed:
    'A deletion or merge without a signature is applied only after the ATS was asked, and the connection has no credential.',
  still_there: 'The ATS still has the record: the deletion has no signature, and has no effect.',
  not_applied: 'The event could not be applied because of an error inside the service.',
  queued: 'The event is applied next.',
  under_way:
    'A worker applies the events of the connection. Where its process has ended, another one continues within 20 seconds.',
  ats_away: 'The ATS did not answer, or asked for a pause: its events are tried again automatically.',
  reconnect_needed: 'The ATS has withdrawn the access: connect it again.',
  connection_paused: 'The connection is paused; `ats resume` continues it.',
  disconnected: 'The connection was disconnected before the event was applied.',
  by_hand: 'The event was dismissed.',
};

/** Returns a reason in words, or null. */
function reasonInWords(reason: string | null, detail: string | null): string | null {
  if (detail !== null) return detail;
  return reason === null ? null : (WORDS[reason] ?? reason);
}

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
