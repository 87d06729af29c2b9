import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { cutTo } from '../../../base/characters.js';
import { Clock } from '../../../base/clock.js';
import { Database } from '../../../base/database/database.js';
import { Unavailable } from '../../../base/errors/domain-error.js';
import { Gatherer, type GatherPolicy } from '../../../base/gatherer.js';
import { TooManyRequests } from '../../../base/http/http.errors.js';
import { Buckets } from '../../../base/http/rate-limit.js';
import { newId } from '../../../base/ids.js';
import { NotJson, parseLossless } from '../../../base/json-text.js';
import { Logger } from '../../../base/log/logger.js';
import { StorageExhausted } from '../../../tenancy/tenants/storage/storage.errors.js';
import { TenantStorage } from '../../../tenancy/tenants/storage/tenant-storage.js';
import { AtsStates } from '../connections/ats-states.js';
import type { AtsConnection } from '../connections/connection.js';
import {
  NotUnderstood,
  type Connector,
  type InboundReading,
  type InboundRequest,
  type InboundAnswer,
} from '../connectors/connector.js';
import type { Admitted } from './inbound-door.js';
import type { NewInboundEvent } from './inbound-event.js';
import { InboundRefused } from './inbound.errors.js';
import { subjectOf } from './inbound.rules.js';

/**
 * Events of one connection. A large body is written alone, as bytes. In an array it would be text of twice its size,
 * made, copied and sent in one turn of the event loop, in which all other requests wait.
 */
const POLICY: GatherPolicy = {
  items: 100,
  bytes: 256 * 1024,
  large: 64 * 1024,
  waiting: 1_000,
  waitingBytes: 8 * 1024 * 1024,
  order: 'in turn',
};

/** Stored events wake the work together, at most once in this time, in milliseconds. */
const GATHER_MS = 20;

// Keys of the former month are read too, so that an event is one event over the end of a month.
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

function monthOf(moment: Date, later: number): Date {
  return new Date(Date.UTC(moment.getUTCFullYear(), moment.getUTCMonth() + later, 1));
}

const MAX_FIELDS = 256;
/** Headers that carry a credential, or show the route of the request. */
const DROPPED = /^(authorization|cookie|x-api-token|proxy-.*|connection|host|x-forwarded-.*|forwarded|via|x-real-ip)$/;
const MAX_HEADERS_BYTES = 4_096;

type ReadBody = { body: unknown; fault: null } | { body: undefined; fault: string };

export function readInboundBody(raw: Buffer, contentType: string, encoding: string | undefined): ReadBody {
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity') {
    return { body: undefined, fault: 'The body is compressed.' };
  }
  if (contentType.toLowerCase().includes('x-www-form-urlencoded')) return readForm(raw);
  try {
    return { body: parseLossless(raw), fault: null };
  } catch (error) {
    if (error instanceof NotJson) return { body: undefined, fault: error.message };
    throw error;
  }
}

/** Returns the headers that are stored beside the body: none with the token, wherever a proxy has put it. */
export function keptHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  token: string,
): Record<string, string> {
  const kept: Record<string, string> = {};
  let bytes = 0;
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value !== 'string' || DROPPED.test(name) || holds(value, token)) continue;
    bytes += name.length + value.length;
    if (bytes > MAX_HEADERS_BYTES) break;
    kept[name] = value;
  }
  return kept;
}

function holds(value: string, token: string): boolean {
  return value.includes(token) || value.includes(encodeURIComponent(token));
}

function readForm(raw: Buffer): ReadBody {
  const text = raw.toString('utf8');
  const pairs = text.split('&', MAX_FIELDS + 1);
  if (pairs.length > MAX_FIELDS) return { body: undefined, fault: `The form has more than ${MAX_FIELDS} fields.` };
  const fields: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [name, value] of new URLSearchParams(text)) fields[name] ??= value;
  return { body: { ...fields }, fault: null };
}

const MAX_REASON = 500;

/** @param fault why the body cannot be read at all, or null */
export function readingOf(
  connector: Connector,
  request: InboundRequest,
  fault: string | null,
): InboundReading | string {
  if (fault !== null) return fault;
  try {
    return connector.inbound.read(request);
  } catch (error) {
    if (error instanceof NotUnderstood) return cutTo(error.message, MAX_REASON);
    // The connector failed over the body. Its error may hold data of the body.
    return 'The body is not one that this ATS documents.';
  }
}

/** A connection is read at most once in this time; sooner if it is not `ok`: another process may have noted that. */
const EVERY_MS = { usually: 60_000, inTrouble: 1_000 };
const REMEMBERED = 10_000;

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Bytes per second of deletions that are stored for a tenant whose storage is exhausted, and those of a burst. */
const DEPARTURES = { bytesPerSecond: 8 * 1024, burstBytes: 1024 * 1024 };

/**
 * Receives inbound webhooks: checks and stores them; background work does the rest. Each connection has one statement
 * at a time, with all events that arrive while the batch before is written. So a flood of one connection takes one database connection of this
 * process, and its events keep their order. Wrong signatures become a problem of the connection: some ATSs never
 * repeat an event after 401.
 */
@Injectable()
export class InboundService {
  private readonly departures: Buckets;
  private readonly gatherer: Gatherer<Arrived, void>;
  private timer: NodeJS.Timeout | null = null;
  private readonly noted = new Map<string, number>();
  /** The change of a connection under way: the next one follows it, so that the last verdict counts. */
  private readonly changing = new Map<string, Promise<void>>();

  constructor(
    private readonly clock: Clock,
    private readonly storage: TenantStorage,
    private readonly db: Database,
    private readonly states: AtsStates,
    private readonly logger: Logger,
  ) {
    this.departures = new Buckets(DEPARTURES.bytesPerSecond, DEPARTURES.burstBytes, clock);

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
   * Stores a request, and returns the answer that the provider takes as received. A body that is not understood is
   * stored too: the provider would repeat it without end.
   *
   * @throws {InboundRefused} when a secret is set and the signature does not fit
   * @throws {StorageExhausted} when the storage of the tenant is exhausted, and the event deletes nothing
   */
  async receive({ gate, connector, token }: Admitted, raw: Buffer, headers: Headers): Promise<InboundAnswer> {
    const { connection, unreadable } = gate;
    const contentType = textOf(headers['content-type']);
    const read = readInboundBody(raw, contentType ?? '', textOf(headers['content-encoding']));
    // Node.js joins a repeated header to one text, except Set-Cookie, which no connector reads.
    const joined = headers as Readonly<Record<string, string | undefined>>;
    const request: InboundRequest = {
      raw,
      body: read.body,
      headers: joined,
      receivedAt: this.clock.now(),
    };
    const greeting = connector.inbound.handshake?.(request) ?? null;
    if (greeting !== null) return greeting;
    const secrets = connector.inbound.isSetByHand?.(request) === true ? gate.handMade : gate.secrets;
    if (unreadable && secrets.length === 0) {
      throw new Unavailable('No key of the settings opens the signing secret of this connection.', 60);
    }
    if (secrets.length > 0) this.verify(connection, connector, request, secrets);
    const parts = partsOf(connector, request);
    const readings = parts.map((part) => readingOf(connector, part, read.fault));
    for (const reading of readings) this.demandRoom(connection.tenantId, reading, raw.length);
    const kept = {
      signed: secrets.length > 0,
      contentType: contentType === undefined ? null : cutTo(contentType, 200),
      headers: keptHeaders(headers, token),
    };
    const events = readings.map((reading, place) => ({ ...eventOf(parts[place]!, reading), ...kept }));
    await Promise.all(events.map((event) => this.store(connection.tenantId, connection.id, event)));
    return { status: connector.inbound.ack, headers: {} };
  }

  /** Deletions pass at a low rate, because their bodies are stored too. The ATS repeats refused ones. */
  private demandRoom(tenantId: string, reading: InboundReading | string, bytes: number): void {
    if (!this.storage.isExhausted(tenantId)) return;
    const deletes = typeof reading !== 'string' && reading.effect.kind === 'gone';
    if (!deletes || !this.departures.take(tenantId, bytes).allowed) throw new StorageExhausted();
  }

  private verify(
    connection: AtsConnection,
    connector: Connector,
    request: InboundRequest,
    secrets: readonly string[],
  ): void {
    const verdict = connector.inbound.verify(request, secrets);
    const refusal = verdict === 'valid' ? null : (`signature_${verdict}` as const);
    this.note(connection, refusal);
    if (refusal !== null) throw new InboundRefused(refusal);
  }

  /** @throws {TooManyRequests} when too many events of this connection wait */
  private store(tenantId: string, connectionId: string, event: NewInboundEvent): Promise<void> {
    return this.gatherer.run(`${tenantId} ${connectionId}`, { tenantId, connectionId, event });
  }

  private async insert(all: readonly Arrived[]): Promise<void> {
    const { tenantId, connectionId, event: first } = all[0]!;
    const of = <T>(pick: (event: NewInboundEvent) => T): T[] => all.map(({ event }) => pick(event));
    // Within one millisecond ids have no order; the batch has the order of receipt.
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

  /** Notes a signature of a connection: the code of its refusal, or null for a fitting one. */
  private note(connection: AtsConnection, refusal: string | null): void {
    const [fits, differs] = [`${connection.id} fits`, `${connection.id} differs`];
    const name = refusal === null ? fits : differs;
    const every = refusal === null && connection.state !== 'ok' ? EVERY_MS.inTrouble : EVERY_MS.usually;
    const now = this.clock.monotonic();
    if (now - (this.noted.get(name) ?? -every) < every) return;
    if (this.noted.size >= REMEMBERED) this.noted.clear();
    this.noted.set(name, now);
    // The next fitting signature ends the problem, however recent the last one was.
    if (refusal !== null) {
      this.noted.delete(fits);
      const about = { tenant_id: connection.tenantId, connection: connection.id, provider: connection.provider };
      this.logger.warn('ats.webhook_refused', { ...about, reason: refusal });
    }
    this.follow(connection, async () => {
      try {
        if (refusal === null) await this.states.solved(connection, 'signature');
        else await this.states.problem(connection, 'signature', refusal);
      } catch (error) {
        this.noted.delete(name);
        const about = { tenant_id: connection.tenantId, connection: connection.id };
        this.logger.warn('ats.signature_not_noted', { ...about, error });
      }
    });
  }

  /** Runs a change after those before it. The answer does not wait: the state is for people. */
  private follow({ id }: AtsConnection, change: () => Promise<void>): void {
    const done = (this.changing.get(id) ?? Promise.resolve()).then(change).finally(() => {
      if (this.changing.get(id) === done) this.changing.delete(id);
    });
    this.changing.set(id, done);
  }
}

/** Returns one event for each record: each is stored like an event that arrived alone. */
function partsOf({ inbound }: Connector, request: InboundRequest): InboundRequest[] {
  const bodies = inbound.parts?.(request.body) ?? [];
  if (bodies.length < 2) return [request];
  return bodies.map((body) => ({ ...request, body, raw: Buffer.from(JSON.stringify(body)) }));
}

function eventOf(
  request: InboundRequest,
  reading: InboundReading | string,
): Omit<NewInboundEvent, 'contentType' | 'headers' | 'signed'> {
  const { raw, receivedAt: at } = request;
  if (typeof reading === 'string') {
    const nothing = { name: null, occurredAt: null, kind: null, remoteId: null };
    return { at, ...nothing, body: raw, key: hashOf(raw), state: 'failed', reason: 'not_understood', detail: reading };
  }
  const { dedupeKey, name, occurredAt, effect } = reading;
  const isPing = effect.kind === 'none';
  return {
    at,
    name: cutTo(name.replace(/\p{Cc}/gu, ''), 200),
    occurredAt: occurredAt !== null && Number.isFinite(occurredAt.getTime()) ? occurredAt : null,
    ...subjectOf(effect),
    body: raw,
    key: dedupeKey === null ? hashOf(raw) : hashOf(`${name} ${dedupeKey}`),
    state: isPing ? 'no_effect' : 'waiting',
    reason: isPing ? 'no_data' : null,
    detail: null,
  };
}

function hashOf(data: Buffer | string): Buffer {
  return createHash('sha256').update(data).digest();
}

function textOf(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
