import { Injectable } from '@nestjs/common';
import { Database } from '../../../base/database/database.js';
import { TooManyRequests } from '../../../base/http/http.errors.js';
import { Gatherer, type GatherPolicy } from '../../../base/gatherer.js';
import { newId } from '../../../base/ids.js';
import type { NewInboundEvent } from './inbound-event.js';

/**
 * Events of one connection. A large body is written alone, as bytes. In an array it would be text of twice its size: made,
 * copied and sent in one turn of the event loop, in which all other requests wait.
 */
const POLICY: GatherPolicy = {
  items: 100,
  bytes: 256 * 1024,
  large: 64 * 1024,
  waiting: 1_000,
  waitingBytes: 8 * 1024 * 1024,
  order: 'in turn',
};
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

interface Arrived {
  tenantId: string;
  connectionId: string;
  event: NewInboundEvent;
}

/**
 * Stores inbound events: of each connection one statement at a time, with all that came meanwhile. A flood of one
 * connection takes one database connection of this process, and its events keep their order.
 */
@Injectable()
export class EventIntake {
  private readonly gatherer: Gatherer<Arrived, void>;
  private timer: NodeJS.Timeout | null = null;

  constructor(private readonly db: Database) {
    this.gatherer = new Gatherer<Arrived, void>({
      alone: (one) => this.insert([one]),
      together: async (all) => {
        await this.insert(all);
        return all.map(() => undefined);
      },
      keyOf: ({ event }) => event.key.toString('latin1'),
      bytesOf: ({ event }) => event.body.length,
      busy: () => new TooManyRequests('Too many events of this connection wait to be stored.', 1),
      policy: POLICY,
    });
  }

  /**
   * Stores an event; resolves when it is committed, or when it has been stored before.
   *
   * @throws {TooManyRequests} when too much of this connection waits
   */
  store(tenantId: string, connectionId: string, event: NewInboundEvent): Promise<void> {
    return this.gatherer.run(`${tenantId} ${connectionId}`, { tenantId, connectionId, event });
  }

  private async insert(all: readonly Arrived[]): Promise<void> {
    const { tenantId, connectionId, event: first } = all[0]!;
    const of = <T>(pick: (event: NewInboundEvent) => T): T[] => all.map(({ event }) => pick(event));
    // Within one millisecond ids are in no order; that of the batch is the order of receipt.
    const ids = of(({ at }) => newId('aev', at.getTime())).sort();
    const large = first.body.length >= POLICY.large ? first.body : null;
    await this.db.query(STORE, [
      tenantId,
      connectionId,
      monthOf(first.at, 0),
      monthOf(first.at, -1),
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
    this.wake();
  }

  private wake(): void {
    this.timer ??= setTimeout(() => {
      this.timer = null;
      this.db.feed.wakeups.tell('work');
    }, GATHER_MS).unref();
  }
}

function monthOf(moment: Date, later: number): Date {
  return new Date(Date.UTC(moment.getUTCFullYear(), moment.getUTCMonth() + later, 1));
}
