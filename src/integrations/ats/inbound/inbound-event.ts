import type { Turn } from '../../../base/work/work.js';
import { SERVER } from '../connections/connection.js';

/** The states of an inbound event. */
export const INBOUND_STATES = ['waiting', 'applied', 'no_effect', 'failed', 'dismissed'] as const;

/** `failed`: it could not be applied, and can be applied again. `dismissed`: an admin ended it. */
export type InboundState = (typeof INBOUND_STATES)[number];

/** An inbound event that is to be stored. */
export interface NewInboundEvent {
  at: Date;
  /** The vendor's name of the event; null: the body was not understood. */
  name: string | null;
  occurredAt: Date | null;
  /** The record that it is about; null: none, or not known. */
  kind: 'job' | 'candidate' | null;
  remoteId: string | null;
  contentType: string | null;
  headers: Readonly<Record<string, string>>;
  body: Buffer;
  /** A signature over the token, the time or the body was checked. */
  signed: boolean;
  /** What makes a second delivery the same event: the vendor's name of it, or the bytes; hashed. */
  key: Buffer;
  state: 'waiting' | 'no_effect' | 'failed';
  /** A code; null: nothing is to be said. */
  reason: string | null;
  /** Of a body that is not understood: why. */
  detail: string | null;
}

/** An inbound event as it is stored. */
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

/** The same with what came. Null: it is erased, since the candidate was, or since the event has no effect. */
export interface InboundEventBody extends InboundEventRow {
  content_type: string | null;
  headers: Record<string, string> | null;
  body: Buffer | null;
}

/** The kind of the work that applies the events of a connection. */
export const INBOUND_WORK = 'ats.events';

/**
 * The connections with events that wait, as SQL. One step of the index for each connection: the cost does not grow with what
 * waits. What waits is before what failed.
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

/** A connection whose events wait. */
export interface InboxKey {
  tenantId: string;
  connectionId: string;
}

/** The events of one connection in the hands of one worker. */
export interface ClaimedInbox extends InboxKey {
  /** The turn that has them: one whose lease has ended writes nothing any more. */
  turn: Turn;
}
