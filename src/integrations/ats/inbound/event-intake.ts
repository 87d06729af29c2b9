import { Injectable } from '@nestjs/common';
import { Database } from '../../../base/database/database.js';
import { TooManyRequests } from '../../../base/http/http.errors.js';
import { newId } from '../../../base/ids.js';
import type { NewInboundEvent } from './inbound-event.js';

/** Events and bytes of one statement. */
const BATCH = { events: 100, bytes: 256 * 1024 };
/**
 * A larger body is written alone, as bytes. In an array it would be text of twice its size: made, copied and sent in one
 * turn of the event loop, in which all other requests wait.
 */
const LARGE_BODY = 64 * 1024;
/** Events and bytes of one connection that wait for a statement; of more the sender waits. */
const WAITING = { events: 1_000, bytes: 8 * 1024 * 1024 };
/** Stored events wake the work together, at most once in this time. */
const GATHER_MS = 20;

// Keys of the month before are looked at, so that an event is one event also over the end of a month.
const STORE = `
  with fresh as (
    insert into ats_event_keys (tenant_id, connection_id, key, at)
    select $1, $2, k.key, $3::timestamptz from unnest($5::bytea[]) as k(key)
    where not exists (
      select 1 from ats_event_keys o
      where o.tenant_id = $1 and o.connection_id = $2 and o.key = k.key and o.at = $4::timestamptz)
    on conflict do nothing returning key
  ), stored as (
  insert into ats_events (tenant_id, connection_id, id, at, name, occurred_at, kind, remote_id, content_type, headers,
    body, state, reason, detail, decided_at, signed)
  select $1, $2, u.id, u.at, u.name, u.occurred_at, u.kind, u.remote_id, u.content_type,
    case when u.state <> 'no_effect' then u.headers end,
    case when u.state <> 'no_effect' then coalesce(u.body, $18::bytea) end, u.state, u.reason, u.detail, case when u.state = 'waiting' then null else u.at end,
    u.signed
  from unnest($5::bytea[], $6::text[], $7::timestamptz[], $8::text[], $9::timestamptz[], $10::text[], $11::text[],
    $12::text[], $13::json[], $14::bytea[], $15::text[], $16::text[], $17::text[], $19::boolean[])
    as u(key, id, at, name, occurred_at, kind, remote_id, content_type, headers, body, state, reason, detail,
      signed)
  where u.key in (select key from fresh)
  returning id, at, state, octet_length(body) as bytes
  )
  insert into ats_open_events (tenant_id, connection_id, failed, id, at, bytes)
  select $1, $2, s.state = 'failed', s.id, s.at, s.bytes from stored s where s.state in ('waiting', 'failed')`;

interface Pending {
  event: NewInboundEvent;
  stored: Promise<void>;
  resolve: () => void;
  reject: (error: unknown) => void;
}

interface Inbox {
  waiting: Map<string, Pending>;
  bytes: number;
}

/**
 * Stores inbound events: of each connection one statement at a time, with all that came meanwhile. A flood of one
 * connection takes one database connection of this process, and its events keep their order.
 */
@Injectable()
export class EventIntake {
  private readonly inboxes = new Map<string, Inbox>();
  private timer: NodeJS.Timeout | null = null;

  constructor(private readonly db: Database) {}

  /**
   * Stores an event; resolves when it is committed, or when it has been stored before.
   *
   * @throws {TooManyRequests} when too much of this connection waits
   */
  store(tenantId: string, connectionId: string, event: NewInboundEvent): Promise<void> {
    const name = `${tenantId} ${connectionId}`;
    const inbox = this.inboxes.get(name);
    const key = event.key.toString('latin1');
    const same = inbox?.waiting.get(key);
    if (same !== undefined) return same.stored;
    if (inbox !== undefined && (inbox.waiting.size >= WAITING.events || inbox.bytes > WAITING.bytes)) {
      return Promise.reject(new TooManyRequests('Too many events of this connection wait to be stored.', 1));
    }
    const open = inbox ?? { waiting: new Map<string, Pending>(), bytes: 0 };
    const pending = { event } as Pending;
    pending.stored = new Promise<void>((resolve, reject) => Object.assign(pending, { resolve, reject }));
    open.waiting.set(key, pending);
    open.bytes += event.body.length;
    if (inbox === undefined) {
      this.inboxes.set(name, open);
      void this.run(name, open, tenantId, connectionId);
    }
    return pending.stored;
  }

  private async run(name: string, inbox: Inbox, tenantId: string, connectionId: string): Promise<void> {
    while (inbox.waiting.size > 0) {
      const batch = taken(inbox);
      try {
        await this.insert(
          tenantId,
          connectionId,
          batch.map(({ event }) => event),
        );
        for (const { resolve } of batch) resolve();
        this.wake();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.inboxes.delete(name);
  }

  private async insert(tenantId: string, connectionId: string, events: readonly NewInboundEvent[]): Promise<void> {
    const of = <T>(pick: (event: NewInboundEvent) => T): T[] => events.map(pick);
    // Within one millisecond ids are in no order; that of the batch is the order of receipt.
    const ids = of(({ at }) => newId('aev', at.getTime())).sort();
    const month = monthOf(events[0]!.at, 0);
    const large = isLarge(events[0]!) ? events[0]!.body : null;
    await this.db.query(STORE, [
      tenantId,
      connectionId,
      month,
      monthOf(events[0]!.at, -1),
      of(({ key }) => key),
      ids,
      of(({ at }) => at),
      of((event) => event.name),
      of(({ occurredAt }) => occurredAt),
      of(({ kind }) => kind),
      of(({ remoteId }) => remoteId),
      of(({ contentType }) => contentType),
      of(({ headers }) => JSON.stringify(headers)),
      of(({ body }) => (large === null ? body : null)),
      of(({ state }) => state),
      of(({ reason }) => reason),
      of(({ detail }) => detail),
      large,
      of(({ signed }) => signed),
    ]);
  }

  private wake(): void {
    this.timer ??= setTimeout(() => {
      this.timer = null;
      this.db.feed.wakeups.tell('ats');
    }, GATHER_MS).unref();
  }
}

function isLarge({ body }: NewInboundEvent): boolean {
  return body.length > LARGE_BODY;
}

function taken(inbox: Inbox): Pending[] {
  const batch: Pending[] = [];
  let bytes = 0;
  for (const [key, pending] of inbox.waiting) {
    const size = pending.event.body.length;
    const alone = isLarge(pending.event);
    if (batch.length > 0 && (alone || batch.length >= BATCH.events || bytes + size > BATCH.bytes)) break;
    batch.push(pending);
    bytes += size;
    inbox.waiting.delete(key);
    if (alone) break;
  }
  inbox.bytes -= bytes;
  return batch;
}

function monthOf(moment: Date, later: number): Date {
  return new Date(Date.UTC(moment.getUTCFullYear(), moment.getUTCMonth() + later, 1));
}
