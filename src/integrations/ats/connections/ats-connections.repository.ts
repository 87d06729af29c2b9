import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../base/database/database.js';
import type { Actor } from '../../../tenancy/identity/person.js';
import { TENANT_ROW, type Cap } from '../../../tenancy/tenants/caps.js';
import type { Credential } from '../api/ats-api.js';
import { ATS_CONNECTION_COLUMNS, type AtsConnectionRow, AtsConnectionStore } from './ats-connections.store.js';
import { MarkerTaken } from './ats.errors.js';
import type { AtsConnection, Takes, Writes } from './connection.js';

interface NewAtsConnection extends Omit<AtsConnection, 'state' | 'paused' | 'createdAt'> {
  grantedScopes: readonly string[] | null;
  createdBy: Actor;
}

export interface AtsConnectionFacts {
  problems: { problem: string; reason: string; since: string }[];
  tokens: { id: string; hint: string; created_at: string }[];
  signing: { id: string; event: string | null; remote_id: string | null }[];
}

interface AtsConnectionChange {
  name: string;
  takes: Takes;
  writes: Writes;
}

/** The statements that make and change connections. */
@Injectable()
export class AtsConnectionsRepository {
  constructor(
    private readonly db: Database,
    private readonly store: AtsConnectionStore,
  ) {}

  async rows(tenantId: string, db: SqlRunner = this.db): Promise<AtsConnectionRow[]> {
    const { rows } = await db.query<AtsConnectionRow>(
      `select ${ATS_CONNECTION_COLUMNS} from ats_connections where tenant_id = $1 order by id`,
      [tenantId],
    );
    return rows;
  }

  async row(
    tenantId: string,
    id: string,
    { db = this.db, lock = false }: { db?: SqlRunner; lock?: boolean } = {},
  ): Promise<AtsConnectionRow | undefined> {
    const { rows } = await db.query<AtsConnectionRow>(
      `select ${ATS_CONNECTION_COLUMNS} from ats_connections where tenant_id = $1 and id = $2${lock ? ' for update' : ''}`,
      [tenantId, id],
    );
    return rows[0];
  }

  async factsOf(tenantId: string, ids: readonly string[]): Promise<Map<string, AtsConnectionFacts>> {
    const { rows } = await this.db.query<AtsConnectionFacts & { id: string }>(
      `select c.id,
         coalesce((select json_agg(json_build_object('problem', p.problem, 'reason', p.detail, 'since', p.since)
            order by p.since) from ats_problems p where p.tenant_id = $1 and p.connection_id = c.id), '[]') as problems,
         coalesce((select json_agg(json_build_object('id', t.id, 'hint', t.hint, 'created_at', t.created_at)
            order by t.id desc) from ats_tokens t where t.tenant_id = $1 and t.connection_id = c.id), '[]') as tokens,
         coalesce((select json_agg(json_build_object('id', s.id, 'event', s.event, 'remote_id', s.remote_id)
            order by s.id) from ats_signing_secrets s where s.tenant_id = $1 and s.connection_id = c.id), '[]') as signing
       from ats_connections c where c.tenant_id = $1 and c.id = any($2::text[])`,
      [tenantId, ids],
    );
    return new Map(rows.map((row) => [row.id, row]));
  }

  /** @throws {MarkerTaken} */
  async insert(tx: SqlRunner, one: NewAtsConnection): Promise<void> {
    const { tenantId, id, credential } = one;
    const { rows: holders } = await tx.query<{ id: string }>(
      `select id from ats_connections where tenant_id = $1 and marker = $2`,
      [tenantId, one.marker],
    );
    if (holders[0] !== undefined) throw new MarkerTaken(holders[0].id);
    await tx.query(
      `insert into ats_connections (tenant_id, id, provider, name, region, base_url, marker, state, takes, writes,
         approved_by, credential_sealed, granted_scopes, created_by)
       values ($1, $2, $3, $4, $5, $6, $7, 'ok', $8, $9, $10, $11, $12, $13)`,
      [
        tenantId,
        id,
        one.provider,
        one.name,
        one.region,
        one.baseUrl,
        one.marker,
        JSON.stringify(one.takes),
        JSON.stringify(one.writes),
        one.approvedBy,
        credential === null ? null : this.store.sealCredential(tenantId, id, credential),
        one.grantedScopes,
        JSON.stringify(one.createdBy),
      ],
    );
  }

  async update(
    tx: SqlRunner,
    tenantId: string,
    id: string,
    { name, takes, writes }: AtsConnectionChange,
  ): Promise<void> {
    await tx.query(
      `update ats_connections set name = $3, takes = $4, writes = $5, updated_at = now() where tenant_id = $1 and id = $2`,
      [tenantId, id, name, JSON.stringify(takes), JSON.stringify(writes)],
    );
  }

  async setCredential(tx: SqlRunner, tenantId: string, id: string, credential: Credential): Promise<void> {
    await tx.query(
      `update ats_connections set credential_sealed = $3, updated_at = now(),
         state = case when state = 'disconnected' then 'ok' else state end,
         state_reason = case when state = 'disconnected' then null else state_reason end,
         state_since = case when state = 'disconnected' then now() else state_since end
       where tenant_id = $1 and id = $2`,
      [tenantId, id, this.store.sealCredential(tenantId, id, credential)],
    );
  }

  async setGrant(
    tx: SqlRunner,
    tenantId: string,
    id: string,
    grant: { region: string; baseUrl: string | null; scopes: readonly string[]; approvedBy: string | null },
  ): Promise<void> {
    await tx.query(
      `update ats_connections set region = $3, base_url = $4, granted_scopes = $5, approved_by = coalesce($6, approved_by)
       where tenant_id = $1 and id = $2`,
      [tenantId, id, grant.region, grant.baseUrl, grant.scopes, grant.approvedBy],
    );
  }

  async setApprover(tenantId: string, id: string, approvedBy: string): Promise<void> {
    await this.db.query(
      `update ats_connections set approved_by = $3, updated_at = now()
       where tenant_id = $1 and id = $2 and approved_by is distinct from $3`,
      [tenantId, id, approvedBy],
    );
  }

  async emailOf(tenantId: string, userId: string): Promise<string | null> {
    const { rows } = await this.db.query<{ email: string | null }>(
      `select email from users where tenant_id = $1 and id = $2 and status = 'active'`,
      [tenantId, userId],
    );
    return rows[0]?.email ?? null;
  }

  async setPaused(tx: SqlRunner, tenantId: string, id: string, paused: boolean): Promise<void> {
    await tx.query(`update ats_connections set paused = $3, updated_at = now() where tenant_id = $1 and id = $2`, [
      tenantId,
      id,
      paused,
    ]);
  }

  async disconnect(tx: SqlRunner, tenantId: string, id: string): Promise<void> {
    for (const table of ['ats_token_hashes', 'ats_tokens', 'ats_signing_secrets', 'ats_problems']) {
      await tx.query(`delete from ${table} where tenant_id = $1 and connection_id = $2`, [tenantId, id]);
    }
    await tx.query(
      `update ats_connections set state = 'disconnected', state_reason = 'by_hand', state_since = now(),
         credential_sealed = null, granted_scopes = null, updated_at = now()
       where tenant_id = $1 and id = $2`,
      [tenantId, id],
    );
  }

  async remove(tx: SqlRunner, tenantId: string, id: string): Promise<void> {
    await tx.query(`delete from ats_token_hashes where tenant_id = $1 and connection_id = $2`, [tenantId, id]);
    await tx.query(`delete from ats_connections where tenant_id = $1 and id = $2`, [tenantId, id]);
  }
}

export const ATS_CONNECTIONS_CAP: Cap = {
  most: 20,
  code: 'too_many_ats_connections',
  whose: 'A tenant',
  what: 'connections to ATSs',
  remedy: 'delete one that is disconnected',
  count: `select count(*)::int as n from ats_connections where tenant_id = $1`,
  lock: TENANT_ROW,
};
