import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../base/database/database.js';
import { NotFound } from '../../base/errors/domain-error.js';
import { newId } from '../../base/ids.js';
import type { Caller } from '../../tenancy/tenants/caller.js';
import { WEBHOOK, type Endpoint, EndpointStore } from './endpoint.store.js';

export type NewEndpoint = Omit<Endpoint, 'secrets' | 'unreadable' | 'createdAt' | 'updatedAt'>;

type ChangedEndpoint = Omit<NewEndpoint, 'createdBy' | 'keyId'>;

export interface EndpointFacts {
  id: string;
  state: 'ok' | 'open' | 'paused';
  state_reason: string | null;
  state_detail: string | null;
  state_since: Date;
  next_probe_at: Date | null;
  failing_since: Date | null;
  failing_stage: number;
  last_success_at: Date | null;
  waiting: number;
  given_up: number;
  secrets: { id: string; created_at: string; expires_at: string | null }[];
}

/** The most that are counted: any number of messages can wait, and a list shows fifty endpoints. */
const MOST_COUNTED = 10_000;
/** More secrets that sign at the same time would make the header too long. */
const MOST_SECRETS = 10;

function demanded(endpoints: readonly Endpoint[], id: string): Endpoint {
  const found = endpoints.find((endpoint) => endpoint.id === id);
  if (found === undefined) throw new NotFound('webhook endpoint');
  return found;
}

export interface GivenUpRow {
  sequence: string;
  event: string;
  record: string | null;
  at: Date;
  given_up_at: Date;
  reason: string;
}

/** After every sequence. */
const MOST_SEQUENCE = '9223372036854775807';
const COLUMNS = 'sequence, event, record, at, given_up_at, reason';

/**
 * Reads and writes endpoints and their secrets, within the rights of a caller. A key sees and changes its own
 * endpoints and those of the keys that it replaced; with `admin`, all. `webhooks:read` sees all of them and changes
 * none.
 */
@Injectable()
export class EndpointsRepository {
  constructor(
    private readonly db: Database,
    private readonly store: EndpointStore,
  ) {}

  async insert(tx: SqlRunner, endpoint: NewEndpoint): Promise<void> {
    await tx.query(
      `insert into webhook_endpoints (tenant_id, id, url, description, events, form, ordered, headers_sealed, created_by,
         key_id)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9::jsonb, $10)`,
      [...this.columnsOf(endpoint), JSON.stringify(endpoint.createdBy), endpoint.keyId],
    );
  }

  async update(tx: SqlRunner, endpoint: ChangedEndpoint): Promise<void> {
    await tx.query(
      `update webhook_endpoints set url = $3, description = $4, events = $5, form = $6, ordered = $7,
         headers_sealed = $8, updated_at = now()
       where tenant_id = $1 and id = $2`,
      this.columnsOf(endpoint),
    );
  }

  async remove(tx: SqlRunner, tenantId: string, id: string): Promise<void> {
    await tx.query(`delete from webhook_endpoints where tenant_id = $1 and id = $2`, [tenantId, id]);
  }

  async removeGivenUp(tenantId: string, id: string): Promise<void> {
    await this.db.query(`delete from webhook_given_up where tenant_id = $1 and endpoint_id = $2`, [tenantId, id]);
  }

  /**
   * Adds a secret before the others, which end after the overlap. The oldest make room.
   *
   * @param overlapSeconds 0 ends the others now
   */
  async addSecret(tx: SqlRunner, tenantId: string, id: string, secret: string, overlapSeconds: number): Promise<void> {
    await this.endOlder(tx, tenantId, id, overlapSeconds);
    await tx.query(
      `delete from webhook_secrets where tenant_id = $1 and endpoint_id = $2 and id = any(array(
         select s.id from webhook_secrets s where s.tenant_id = $1 and s.endpoint_id = $2
         order by s.created_at desc, s.id desc offset ${MOST_SECRETS - 1}))`,
      [tenantId, id],
    );
    const sealed = this.store.sealSecret(tenantId, id, secret);
    await tx.query(
      `insert into webhook_secrets (tenant_id, endpoint_id, id, sealed, created_at)
       values ($1, $2, $3, $4, clock_timestamp())`,
      [tenantId, id, newId('whs'), sealed],
    );
  }

  async revokeOlder(tx: SqlRunner, tenantId: string, id: string): Promise<number> {
    const { rows } = await tx.query<{ live: boolean }>(
      `delete from webhook_secrets where tenant_id = $1 and endpoint_id = $2 and id = any(array(
         select s.id from webhook_secrets s where s.tenant_id = $1 and s.endpoint_id = $2
         order by s.created_at desc, s.id desc offset 1))
       returning expires_at is null or expires_at > now() as live`,
      [tenantId, id],
    );
    return rows.filter(({ live }) => live).length;
  }

  private async endOlder(tx: SqlRunner, tenantId: string, id: string, overlapSeconds: number): Promise<void> {
    await tx.query(
      `delete from webhook_secrets where tenant_id = $1 and endpoint_id = $2 and ($3 = 0 or expires_at <= now())`,
      [tenantId, id, overlapSeconds],
    );
    await tx.query(
      `update webhook_secrets set
         expires_at = least(coalesce(expires_at, 'infinity'), now() + $3 * interval '1 second')
       where tenant_id = $1 and endpoint_id = $2`,
      [tenantId, id, overlapSeconds],
    );
  }

  async factsOf(
    tenantId: string,
    ids: readonly string[],
    db: SqlRunner = this.db,
  ): Promise<Map<string, EndpointFacts>> {
    const { rows } = await db.query<EndpointFacts>(
      `select d.id, d.state, d.state_reason, d.state_detail, d.state_since, d.next_probe_at, d.failing_since,
         d.failing_stage, d.last_success_at,
         (select count(*) from (select 1 from lanes l where l.tenant_id = $1 and l.channel = '${WEBHOOK}'
            and l.destination = d.id and l.first_pending is not null and l.parked_reason is null
            limit ${MOST_COUNTED}) w)::int as waiting,
         (select count(*) from (select 1 from webhook_given_up g where g.tenant_id = $1 and g.endpoint_id = d.id
            limit ${MOST_COUNTED}) g)::int as given_up,
         (select coalesce(json_agg(json_build_object('id', s.id, 'created_at', s.created_at, 'expires_at', s.expires_at)
            order by s.created_at desc, s.id desc), '[]'::json)
          from webhook_secrets s where s.tenant_id = $1 and s.endpoint_id = d.id
            and (s.expires_at is null or s.expires_at > now())) as secrets
       from destinations d where d.tenant_id = $1 and d.channel = '${WEBHOOK}' and d.id = any($2::text[])`,
      [tenantId, ids],
    );
    return new Map(rows.map((row) => [row.id, row]));
  }

  /** Returns the ids of a key and of all keys that it has replaced: their endpoints belong to the successor. */
  private async keysBefore(tenantId: string, keyId: string, db: SqlRunner = this.db): Promise<ReadonlySet<string>> {
    const { rows } = await db.query<{ id: string }>(
      `with recursive k as (
         select a.id, a.replaces_id, 1 as n from api_keys a where a.tenant_id = $1 and a.id = $2
         union all
         select a.id, a.replaces_id, k.n + 1 from k join api_keys a on a.tenant_id = $1 and a.id = k.replaces_id
         where k.n < 100
       ) select id from k`,
      [tenantId, keyId],
    );
    return new Set(rows.map(({ id }) => id));
  }

  private columnsOf(endpoint: ChangedEndpoint): unknown[] {
    const { tenantId, id, url, description, events, form, ordered, headers } = endpoint;
    const sealed = this.store.sealHeaders(tenantId, id, headers);
    return [tenantId, id, url, description, events, form, ordered, sealed];
  }

  async allOf(caller: Caller, db?: SqlRunner): Promise<readonly Endpoint[]> {
    const endpoints = await this.store.fresh(caller.tenantId, db);
    if (caller.scopes.has('admin') || endpoints.length === 0) return endpoints;
    const own = endpoints.filter(({ keyId }) => keyId === caller.keyId);
    if (own.length === endpoints.length) return own;
    const keys = await this.keysBefore(caller.tenantId, caller.keyId, db);
    return endpoints.filter(({ keyId }) => keyId !== null && keys.has(keyId));
  }

  /** Returns an endpoint. @throws {NotFound} when the tenant has no such endpoint, and for one of another key */
  async demandOne(caller: Caller, id: string, db?: SqlRunner): Promise<Endpoint> {
    return demanded(await this.allOf(caller, db), id);
  }

  async readable(caller: Caller): Promise<readonly Endpoint[]> {
    return caller.scopes.has('webhooks:read') ? this.store.fresh(caller.tenantId) : this.allOf(caller);
  }

  /** @throws {NotFound} when the tenant has no such endpoint, and for one of another key */
  async toRead(caller: Caller, id: string): Promise<Endpoint> {
    return demanded(await this.readable(caller), id);
  }

  /** Returns an endpoint that the caller may change, locked until the end of the transaction. */
  async lockedOne(tx: SqlRunner, caller: Caller, id: string): Promise<Endpoint> {
    const lock = `select 1 from webhook_endpoints where tenant_id = $1 and id = $2 for update`;
    await tx.query(lock, [caller.tenantId, id]);
    return this.demandOne(caller, id, tx);
  }

  async listGivenUp(tenantId: string, endpointId: string, after: string | null, limit: number): Promise<GivenUpRow[]> {
    const { rows } = await this.db.query<GivenUpRow>(
      `select ${COLUMNS} from webhook_given_up
       where tenant_id = $1 and endpoint_id = $2 and sequence < $3
       order by sequence desc limit $4`,
      [tenantId, endpointId, after ?? MOST_SEQUENCE, limit + 1],
    );
    return rows;
  }

  async givenUpBySequences(tenantId: string, endpointId: string, sequences: readonly string[]): Promise<GivenUpRow[]> {
    const { rows } = await this.db.query<GivenUpRow>(
      `select ${COLUMNS} from webhook_given_up
       where tenant_id = $1 and endpoint_id = $2 and sequence = any($3::bigint[])`,
      [tenantId, endpointId, sequences],
    );
    return rows;
  }

  async oldestGivenUp(
    tx: SqlRunner,
    tenantId: string,
    endpointId: string,
    range: { after: string; through: string; limit: number },
  ): Promise<GivenUpRow[]> {
    const { rows } = await tx.query<GivenUpRow>(
      `select ${COLUMNS} from webhook_given_up
       where tenant_id = $1 and endpoint_id = $2 and sequence > $3 and sequence <= $4 order by sequence limit $5`,
      [tenantId, endpointId, range.after, range.through, range.limit],
    );
    return rows;
  }

  async countGivenUp(tenantId: string, endpointId: string): Promise<number> {
    const { rows } = await this.db.query<{ n: number }>(
      `select count(*)::int as n from webhook_given_up where tenant_id = $1 and endpoint_id = $2`,
      [tenantId, endpointId],
    );
    return rows[0]!.n;
  }

  async removeGivenUpRows(
    tx: SqlRunner,
    tenantId: string,
    endpointId: string,
    sequences: readonly string[],
  ): Promise<void> {
    await tx.query(
      `delete from webhook_given_up where tenant_id = $1 and endpoint_id = $2 and sequence = any($3::bigint[])`,
      [tenantId, endpointId, sequences],
    );
  }
}

/** Rows of removed endpoints. */
export const GIVEN_UP_LEFTOVERS = [
  `delete from webhook_given_up g where not exists (
     select 1 from webhook_endpoints e where e.tenant_id = g.tenant_id and e.id = g.endpoint_id)`,
] as const;

/** SQL: removes rows older than the kept events, which are dropped in whole months; `$1` is their days. */
export const OLD_GIVEN_UP = `delete from webhook_given_up
  where at < date_trunc('month', now() at time zone 'UTC' - $1 * interval '1 day') at time zone 'UTC'`;
