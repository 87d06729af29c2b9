import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../base/database/database.js';
import type { PageRequest } from '../../base/http/page.js';
import { KnownUsers } from './known-users.js';
import type { ApiKeyBody } from './tenants.dto.js';

/** The person behind a key `k`, be it through a key of theirs; null: there is none. */
const MAKER = `case
  when k.created_by ->> 'kind' in ('user', 'person') then k.created_by ->> 'id'
  when k.created_by ->> 'kind' = 'key' then (select m.owner_user_id from api_keys m
                                    where m.tenant_id = k.tenant_id and m.id = k.created_by ->> 'id')
  end`;

// A service's key outlives its maker, and says so.
// The column has the value `person` for the key of a user.
const columnsOf = (users: KnownUsers): string => `k.id, k.name, k.prefix, k.scopes,
  case k.owner_kind when 'person' then 'user' else k.owner_kind end as owner_kind, k.owner_user_id, k.created_by, k.expires_at, k.last_used_at,
  k.revoked_at, k.replaces_id, k.created_at, k.allow_from, k.last_refusal,
  k.owner_kind = 'service' and coalesce((
    select not exists (${users.activeQuery('k.tenant_id', 'maker.id')})
    from (select ${MAKER} as id) maker
    where maker.id is not null), false) as orphaned`;

/** A key that is to be stored; the secret itself is not. */
export interface NewKeyRow {
  tenantId: string;
  id: string;
  name: string;
  prefix: string;
  hash: Buffer;
  scopes: readonly string[];
  ownerUserId: string | null;
  createdBy: unknown;
  expiresAt: Date | null;
  replacesId: string | null;
  allowFrom: readonly string[];
}

/** The statements of API keys. */
@Injectable()
export class ApiKeysRepository {
  private readonly columns: string;

  constructor(
    private readonly db: Database,
    users: KnownUsers,
  ) {
    this.columns = columnsOf(users);
  }

  async insert(tx: SqlRunner, key: NewKeyRow): Promise<void> {
    await tx.query(
      `insert into api_keys (tenant_id, id, name, prefix, hash, scopes, owner_kind, owner_user_id, created_by, expires_at,
         replaces_id, allow_from)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
      [
        key.tenantId,
        key.id,
        key.name,
        key.prefix,
        key.hash,
        key.scopes,
        key.ownerUserId === null ? 'service' : 'person',
        key.ownerUserId,
        JSON.stringify(key.createdBy),
        key.expiresAt,
        key.replacesId,
        JSON.stringify(key.allowFrom),
      ],
    );
  }

  /** Newest first. */
  async list(tenantId: string, page: PageRequest): Promise<ApiKeyBody[]> {
    const { rows } = await this.db.query<ApiKeyBody>(
      `select ${this.columns} from api_keys k where k.tenant_id = $1 and ($2::text is null or k.id < $2)
       order by k.id desc limit $3`,
      [tenantId, page.after, page.limit + 1],
    );
    return rows;
  }

  async find(tenantId: string, id: string, db: SqlRunner = this.db): Promise<ApiKeyBody | null> {
    const { rows } = await db.query<ApiKeyBody>(
      `select ${this.columns} from api_keys k where k.tenant_id = $1 and k.id = $2`,
      [tenantId, id],
    );
    return rows[0] ?? null;
  }

  /** Returns the live keys that are of these users or that these users have made, oldest first. */
  async ofUsers(
    tenantId: string,
    userIds: readonly string[],
    db: SqlRunner = this.db,
  ): Promise<{ id: string; owner_user_id: string | null; maker: string | null }[]> {
    const { rows } = await db.query<{ id: string; owner_user_id: string | null; maker: string | null }>(
      `select k.id, k.owner_user_id, k.maker from (select k.*, ${MAKER} as maker from api_keys k where k.tenant_id = $1) k
       where (k.owner_user_id = any($2::text[]) or (k.owner_user_id is null and k.maker = any($2::text[])))
         and least(k.expires_at, k.revoked_at) > now() is not false
       order by k.id`,
      [tenantId, userIds],
    );
    return rows;
  }

  /** Locks a key for a change to it; false when there is none. */
  async lock(tx: SqlRunner, tenantId: string, id: string): Promise<boolean> {
    const { rowCount } = await tx.query(`select 1 from api_keys where tenant_id = $1 and id = $2 for update`, [
      tenantId,
      id,
    ]);
    return rowCount === 1;
  }

  async update(
    tx: SqlRunner,
    tenantId: string,
    id: string,
    key: { name: string; allow_from: readonly string[] },
  ): Promise<void> {
    await tx.query(`update api_keys set name = $3, allow_from = $4 where tenant_id = $1 and id = $2`, [
      tenantId,
      id,
      key.name,
      JSON.stringify(key.allow_from),
    ]);
  }

  /** Ends a key, a number of seconds from now; an earlier end stays. */
  async revoke(tx: SqlRunner, tenantId: string, id: string, inSeconds: number): Promise<void> {
    await tx.query(
      `update api_keys set revoked_at = least(revoked_at, now() + make_interval(secs => $3))
       where tenant_id = $1 and id = $2`,
      [tenantId, id, inSeconds],
    );
  }
}
