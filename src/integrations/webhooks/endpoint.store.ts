import { Injectable } from '@nestjs/common';
import { Clock } from '../../base/clock.js';
import { Sealer } from '../../base/crypto/seal.js';
import { Database, type SqlRunner } from '../../base/database/database.js';
import { FreshCache } from '../../base/fresh-cache.js';
import type { SealedColumn } from '../../base/sealing/reseal.js';
import type { EventName } from '../../engine/events/catalogue.js';
import type { Actor } from '../../tenancy/identity/person.js';

/** The delivery channel: a part of the key of destinations, lanes and attempts. */
export const WEBHOOK = 'webhook';

export const FORMS = ['source', 'standard', 'cloudevents'] as const;

export type Form = (typeof FORMS)[number];

/** An address of a tenant for events. Its state is that of its destination. */
export interface Endpoint {
  readonly tenantId: string;
  readonly id: string;
  readonly url: string;
  readonly description: string | null;
  /** Null means all events. */
  readonly events: readonly EventName[] | null;
  readonly form: Form;
  /** Whether the events of one record arrive in order, one at a time. */
  readonly ordered: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
  /** No key of the settings opens its secrets or headers: nothing can be signed, so nothing is sent. */
  readonly unreadable: boolean;
  readonly createdBy: Actor;
  /** The API key that made it: other keys do not see it, except those with `admin`. */
  readonly keyId: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export function takes({ events }: Pick<Endpoint, 'events'>, event: EventName): boolean {
  return events === null || events.includes(event);
}

/** The column of the signing secrets. */
export const WEBHOOK_SECRETS: SealedColumn = {
  table: 'webhook_secrets',
  key: ['tenant_id', 'endpoint_id', 'id'],
  column: 'sealed',
  lasting: true,
  aad: (row) => secretAad(row['tenant_id']!, row['endpoint_id']!),
};

/** The column of the headers that endpoints ask for: they often hold a credential. */
export const WEBHOOK_HEADERS: SealedColumn = {
  table: 'webhook_endpoints',
  key: ['tenant_id', 'id'],
  column: 'headers_sealed',
  lasting: true,
  aad: (row) => headersAad(row['tenant_id']!, row['id']!),
};

function secretAad(tenantId: string, endpointId: string): string {
  return `${tenantId}:webhook_secrets.sealed:${endpointId}`;
}

function headersAad(tenantId: string, endpointId: string): string {
  return `${tenantId}:webhook_endpoints.headers:${endpointId}`;
}

export interface EndpointRow {
  tenant_id: string;
  id: string;
  url: string;
  description: string | null;
  events: EventName[] | null;
  form: Form;
  ordered: boolean;
  headers_sealed: string | null;
  created_by: Actor;
  key_id: string | null;
  created_at: Date;
  updated_at: Date;
  secrets: { sealed: string; expires_at: string | null }[] | null;
}

/** A secret of an endpoint; null when no key of the settings opens it. */
interface StoredSecret {
  secret: string | null;
  /** Milliseconds since 1970; null when it lasts. */
  expiresAt: number | null;
}

/**
 * Returns an endpoint with the secrets that are live at `now`.
 *
 * @param headers null when no key of the settings opens them
 */
export function endpointOf(
  row: EndpointRow,
  headers: Record<string, string> | null,
  secrets: readonly StoredSecret[],
  now: number,
): Endpoint {
  const live = secrets.filter(({ expiresAt }) => expiresAt === null || expiresAt > now);
  const readable = headers !== null && live.length > 0 && live.every(({ secret }) => secret !== null);
  return {
    tenantId: row.tenant_id,
    id: row.id,
    url: row.url,
    description: row.description,
    events: row.events,
    form: row.form,
    ordered: row.ordered,
    headers: headers ?? {},
    secrets: readable ? live.map(({ secret }) => secret!) : [],
    unreadable: !readable,
    createdBy: row.created_by,
    keyId: row.key_id,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

const TTL = 800;

/** The endpoints of a tenant as read, and the moment at which the first of their secrets ends. */
interface Kept {
  rows: readonly { row: EndpointRow; headers: Record<string, string> | null; secrets: readonly StoredSecret[] }[];
  endpoints: readonly Endpoint[];
  changesAt: number;
}

const NONE: readonly Endpoint[] = [];

/**
 * The endpoints of tenants, with opened secrets, in the state of the last answered change. A write of a record asks it
 * which endpoints take the event, so it must not cost a query. Secrets are sealed and bound to tenant and endpoint.
 */
@Injectable()
export class EndpointStore {
  private readonly cache: FreshCache<Kept>;

  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
    private readonly sealer: Sealer,
  ) {
    this.cache = new FreshCache(clock, TTL, { proof: db.feed });
    db.feed.on(['webhook_endpoints', 'webhook_secrets'], (row) => {
      if (row === null) this.cache.drop();
      else this.cache.drop(row.tenantId);
    });
  }

  async of(tenantId: string, db: SqlRunner = this.db): Promise<readonly Endpoint[]> {
    const kept = await this.cache.get(tenantId, () => this.load(tenantId, db));
    const now = this.clock.now().getTime();
    // A secret ends at its time, without a message.
    if (now >= kept.changesAt) Object.assign(kept, this.shaped(kept.rows, now));
    return kept.endpoints;
  }

  async get(tenantId: string, id: string): Promise<Endpoint | undefined> {
    return (await this.of(tenantId)).find((endpoint) => endpoint.id === id);
  }

  /** Returns the endpoints as the database has them now; in a transaction, with its own changes. */
  async fresh(tenantId: string, db: SqlRunner = this.db): Promise<readonly Endpoint[]> {
    return (await this.load(tenantId, db)).endpoints;
  }

  /** Resolves after a change when no process uses the old values. */
  forget(tenantId: string): Promise<void> {
    this.cache.drop(tenantId);
    return this.db.feed.settled();
  }

  private async load(tenantId: string, db: SqlRunner): Promise<Kept> {
    const { rows } = await db.query<EndpointRow>(
      `select e.tenant_id, e.id, e.url, e.description, e.events, e.form, e.ordered, e.headers_sealed, e.created_by,
         e.key_id, e.created_at, e.updated_at,
         (select json_agg(json_build_object('sealed', s.sealed, 'expires_at', s.expires_at)
            order by s.created_at desc, s.id desc)
          from webhook_secrets s where s.tenant_id = $1 and s.endpoint_id = e.id) as secrets
       from webhook_endpoints e where e.tenant_id = $1 order by e.id`,
      [tenantId],
    );
    if (rows.length === 0) return { rows: [], endpoints: NONE, changesAt: Infinity };
    const read = rows.map((row) => ({
      row,
      headers: this.openHeaders(tenantId, row.id, row.headers_sealed),
      secrets: (row.secrets ?? []).map(({ sealed, expires_at }) => ({
        secret: this.openSecret(tenantId, row.id, sealed),
        expiresAt: expires_at === null ? null : Date.parse(expires_at),
      })),
    }));
    return { rows: read, ...this.shaped(read, this.clock.now().getTime()) };
  }

  private shaped(rows: Kept['rows'], now: number): Pick<Kept, 'endpoints' | 'changesAt'> {
    const ends = rows.flatMap(({ secrets }) => secrets.map(({ expiresAt }) => expiresAt ?? Infinity));
    return {
      endpoints: rows.map(({ row, headers, secrets }) => endpointOf(row, headers, secrets, now)),
      changesAt: Math.min(...ends.filter((end) => end > now), Infinity),
    };
  }

  sealSecret(tenantId: string, endpointId: string, secret: string): string {
    return this.sealer.seal(secret, secretAad(tenantId, endpointId));
  }

  sealHeaders(tenantId: string, endpointId: string, headers: Readonly<Record<string, string>>): string | null {
    if (Object.keys(headers).length === 0) return null;
    return this.sealer.seal(JSON.stringify(headers), headersAad(tenantId, endpointId));
  }

  /** Returns a secret, or null where no key of the settings opens it. */
  private openSecret(tenantId: string, endpointId: string, sealed: string): string | null {
    return this.sealer.unsealOrNull(sealed, secretAad(tenantId, endpointId));
  }

  /** Returns the headers, or null where no key of the settings opens them. */
  private openHeaders(tenantId: string, endpointId: string, sealed: string | null): Record<string, string> | null {
    if (sealed === null) return {};
    const text = this.sealer.unsealOrNull(sealed, headersAad(tenantId, endpointId));
    return text === null ? null : (JSON.parse(text) as Record<string, string>);
  }
}
