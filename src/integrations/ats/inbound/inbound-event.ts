import type { Turn } from '../../../base/work/work.js';
import { SERVER } from '../connections/connection.js';

export const INBOUND_STATES = ['waiting', 'applied', 'no_effect', 'failed', 'dismissed'] as const;

/** `failed`: it could not be applied, and can be applied again. `dismissed`: an admin ended it. */
export type InboundState = (typeof INBOUND_STATES)[number];

export interface NewInboundEvent {
  at: Date;
  name: string | null;
  occurredAt: Date | null;
  /** The record of the event; null when there is none, or it is unknown. */
  kind: 'job' | 'candidate' | null;
  remoteId: string | null;
  contentType: string | null;
  headers: Readonly<Record<string, string>>;
  body: Buffer;
  /** A signature over the token, the time or the body was checked. */
  signed: boolean;
  /** Repeated deliveries of one event share the key: the hash of the vendor's name of it, or of the bytes. */
  key: Buffer;
  state: 'waiting' | 'no_effect' | 'failed';
  /** A code, or null. */
  reason: string | null;
  detail: string | null;
}

export interface InboundEventRow {
  id: string;
  at: Date;
  name: string | null;
  occurred_at: Date | null;
  kind: 'job' | 'candidate' | null;
  remote_id: string | null;
  state: InboundState;
  reason: string | null;
  detail: string | null;
  tries: number;
  decided_at: Date | null;
}

/** The event with its body. Null when the body was erased with its candidate, or the event has no effect. */
export interface InboundEventBody extends InboundEventRow {
  content_type: string | null;
  headers: Record<string, string> | null;
  body: Buffer | null;
}

export const INBOUND_WORK = 'ats.events';

/**
 * SQL: the connections with waiting events. One step of the index for each connection: the cost does not grow with the
 * waiting events. Waiting events come before failed ones.
 */
export const DUE_INBOXES = `
  with recursive t as (
    (select o.tenant_id, o.connection_id, o.failed, o.at from ats_open_events o
     order by o.tenant_id, o.connection_id, o.failed, o.id limit 1)
    union all
    select n.* from t, lateral (
      select o.tenant_id, o.connection_id, o.failed, o.at from ats_open_events o
      where (o.tenant_id, o.connection_id) > (t.tenant_id, t.connection_id)
      order by o.tenant_id, o.connection_id, o.failed, o.id limit 1) n
  )
  select t.tenant_id, t.connection_id as id, t.at as since, c.server
  from t cross join lateral (
    select ${SERVER} as server from ats_connections c
    where c.tenant_id = t.tenant_id and c.id = t.connection_id and not c.paused and c.state <> 'disconnected' limit 1) c
  where not t.failed`;

export interface InboxKey {
  tenantId: string;
  connectionId: string;
}

export interface ClaimedInbox extends InboxKey {
  /** The worker's turn: after its lease ends, the worker writes nothing. */
  turn: Turn;
}
