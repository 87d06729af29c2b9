import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../base/database/database.js';
import type { PageRequest } from '../../base/http/page.js';
import type { RoleBody } from './administrators.js';
import { KnownUsers } from './caller.js';
import type { TenantBody, ApiKeyBody } from './tenants.dto.js';

const COLUMNS = `id, name, time_zone, owner_user_id, break_glass, api_may_write_directory_users, base_url, help_url, created_at,
  updated_at`;

const FIRST_ROLES: readonly (readonly [name: string, takesSeat: boolean])[] = [
  ['User', true],
  ['Admin', true],
  ['Observer', false],
];

export interface TenantChange {
  name?: string;
  time_zone?: string;
  owner_user_id?: string | null;
  break_glass?: string[];
  api_may_write_directory_users?: boolean;
  /** An origin; null for the installation's address. */
  base_url?: string | null;
  help_url?: string | null;
}

/** The maker of a key `k`, also through a personal key; null without a user. */
const MAKER = `case
  when k.created_by ->> 'kind' in ('user', 'person') then k.created_by ->> 'id'
  when k.created_by ->> 'kind' = 'key' then (select m.owner_user_id from api_keys m
                                    where m.tenant_id = k.tenant_id and m.id = k.created_by ->> 'id')
  end`;

// A service's key outlives its maker, and shows that.
// // The column has the value `person` for the key of a user.
const columnsOf = (users: KnownUsers): string => `k.id, k.name, k.prefix, k.scopes,
  case k.owner_kind when 'person' then 'user' else k.owner_kind end as owner_kind, k.owner_user_id, k.created_by, k.expires_at, k.last_used_at,
  k.revoked_at, k.replaces_id, k.created_at, k.allow_from, k.last_refusal,
  k.owner_kind = 'service' and coalesce((
    select not exists (${users.activeQuery('k.tenant_id', 'maker.id')})
    from (select ${MAKER} as id) maker
    where maker.id is not null), false) as orphaned`;

interface NewKeyRow {
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

/** The statements of tenants, their keys and roles. */
@Injectable()
export class TenantsRepository {
  private readonly columns: string;
  private readonly roleColumns: string;

  constructor(
    private readonly db: Database,
    users: KnownUsers,
  ) {
    this.columns = columnsOf(users);

    this.roleColumns = `r.name, r.takes_seat, r.console, r.created_at, (${users.countQuery('r.tenant_id', 'r.name')}) as users`;
  }

  async insert(
    tx: SqlRunner,
    tenant: { id: string; name: string; time_zone: string; api_may_write_directory_users: boolean },
  ): Promise<TenantBody> {
    const { rows } = await tx.query<TenantBody>(
      `insert into tenants (id, name, time_zone, api_may_write_directory_users) values ($1, $2, $3, $4)
       returning ${COLUMNS}`,
      [tenant.id, tenant.name, tenant.time_zone, tenant.api_may_write_directory_users],
    );
    await tx.query(
      `insert into roles (tenant_id, name, takes_seat, console)
         select $1, r.name, r.takes_seat, case r.name when 'Admin' then 'admin' else 'none' end
       from unnest($2::text[], $3::boolean[]) r (name, takes_seat)`,
      [tenant.id, FIRST_ROLES.map(([name]) => name), FIRST_ROLES.map(([, takesSeat]) => takesSeat)],
    );
    return rows[0]!;
  }

  async first(): Promise<string | null> {
    const { rows } = await this.db.query<{ id: string }>(`select id from tenants order by id limit 1`);
    return rows[0]?.id ?? null;
  }

  async list(page: PageRequest): Promise<TenantBody[]> {
    const { rows } = await this.db.query<TenantBody>(
      `select ${COLUMNS} from tenants where ($1::text is null or id < $1) order by id desc limit $2`,
      [page.after, page.limit + 1],
    );
    return rows;
  }

  async find(id: string, db: SqlRunner = this.db, lock = false): Promise<TenantBody | null> {
    const { rows } = await db.query<TenantBody>(
      `select ${COLUMNS} from tenants where id = $1 ${lock ? 'for update' : ''}`,
      [id],
    );
    return rows[0] ?? null;
  }

  async update(tx: SqlRunner, id: string, change: TenantChange): Promise<TenantBody> {
    const { rows } = await tx.query<TenantBody>(
      `update tenants set name = coalesce($2, name),
         former_name = case when $2 <> name then name else former_name end,
         name_changed_at = case when $2 <> name then now() else name_changed_at end, time_zone = coalesce($3, time_zone),
         owner_user_id = case when $4 then $5 else owner_user_id end,
         api_may_write_directory_users = coalesce($6, api_may_write_directory_users),
         break_glass = coalesce($7, break_glass),
         base_url = case when $8 then $9 else base_url end,
         help_url = case when $10 then $11 else help_url end, updated_at = now()
       where id = $1 returning ${COLUMNS}`,
      [
        id,
        change.name ?? null,
        change.time_zone ?? null,
        change.owner_user_id !== undefined,
        change.owner_user_id ?? null,
        change.api_may_write_directory_users ?? null,
        change.break_glass ?? null,
        change.base_url !== undefined,
        change.base_url ?? null,
        change.help_url !== undefined,
        change.help_url ?? null,
      ],
    );
    return rows[0]!;
  }

  /**
   * Makes an origin the tenant's own address, in place of the former one; null removes the address. A concurrent
   * request for the same origin waits.
   *
   * @returns false when another tenant has the origin
   */
  async takeAddress(tx: SqlRunner, tenantId: string, origin: string | null): Promise<boolean> {
    await tx.query(`delete from tenant_addresses where tenant_id = $1 and base_url is distinct from $2`, [
      tenantId,
      origin,
    ]);
    if (origin === null) return true;
    const { rowCount } = await tx.query(
      `insert into tenant_addresses as a (tenant_id, base_url) values ($1, $2)
       on conflict (base_url) do update set tenant_id = a.tenant_id where a.tenant_id = $1`,
      [tenantId, origin],
    );
    return rowCount === 1;
  }

  async insertKey(tx: SqlRunner, key: NewKeyRow): Promise<void> {
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

  async listKeys(tenantId: string, page: PageRequest): Promise<ApiKeyBody[]> {
    const { rows } = await this.db.query<ApiKeyBody>(
      `select ${this.columns} from api_keys k where k.tenant_id = $1 and ($2::text is null or k.id < $2)
       order by k.id desc limit $3`,
      [tenantId, page.after, page.limit + 1],
    );
    return rows;
  }

  async findKey(tenantId: string, id: string, db: SqlRunner = this.db): Promise<ApiKeyBody | null> {
    const { rows } = await db.query<ApiKeyBody>(
      `select ${this.columns} from api_keys k where k.tenant_id = $1 and k.id = $2`,
      [tenantId, id],
    );
    return rows[0] ?? null;
  }

  /** Returns the live keys that belong to these users or that these users have made, oldest first. */
  async keysOfUsers(
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

  async lockKey(tx: SqlRunner, tenantId: string, id: string): Promise<boolean> {
    const { rowCount } = await tx.query(`select 1 from api_keys where tenant_id = $1 and id = $2 for update`, [
      tenantId,
      id,
    ]);
    return rowCount === 1;
  }

  async updateKey(
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

  /** Ends a key in `inSeconds` seconds; an earlier end stays. */
  async revokeKey(tx: SqlRunner, tenantId: string, id: string, inSeconds: number): Promise<void> {
    await tx.query(
      `update api_keys set revoked_at = least(revoked_at, now() + make_interval(secs => $3))
       where tenant_id = $1 and id = $2`,
      [tenantId, id, inSeconds],
    );
  }

  /** By name: a catalogue is short, and read by people. */
  async listRoles(tenantId: string, page: PageRequest): Promise<RoleBody[]> {
    const { rows } = await this.db.query<RoleBody>(
      `select ${this.roleColumns} from roles r where r.tenant_id = $1 and ($2::text is null or r.name > $2)
       order by r.name limit $3`,
      [tenantId, page.after, page.limit + 1],
    );
    return rows;
  }

  async findRole(tenantId: string, name: string, db: SqlRunner = this.db): Promise<RoleBody | null> {
    const { rows } = await db.query<RoleBody>(
      `select ${this.roleColumns} from roles r where r.tenant_id = $1 and r.name = $2`,
      [tenantId, name],
    );
    return rows[0] ?? null;
  }

  async lockRole(tx: SqlRunner, tenantId: string, name: string): Promise<void> {
    await tx.query(`select 1 from roles where tenant_id = $1 and name = $2 for update`, [tenantId, name]);
  }

  async insertRole(
    tx: SqlRunner,
    tenantId: string,
    { name, takes_seat, console }: Pick<RoleBody, 'name' | 'takes_seat' | 'console'>,
  ): Promise<RoleBody | null> {
    const { rows } = await tx.query<RoleBody>(
      `insert into roles (tenant_id, name, takes_seat, console) values ($1, $2, $3, $4) on conflict do nothing
       returning name, takes_seat, console, created_at, 0 as users`,
      [tenantId, name, takes_seat, console],
    );
    return rows[0] ?? null;
  }

  async updateRole(
    tx: SqlRunner,
    tenantId: string,
    { name, takes_seat, console }: Pick<RoleBody, 'name' | 'takes_seat' | 'console'>,
  ): Promise<void> {
    await tx.query(`update roles set takes_seat = $3, console = $4 where tenant_id = $1 and name = $2`, [
      tenantId,
      name,
      takes_seat,
      console,
    ]);
  }

  async deleteRole(tx: SqlRunner, tenantId: string, name: string): Promise<void> {
    await tx.query(`delete from roles where tenant_id = $1 and name = $2`, [tenantId, name]);
  }
}

/** Returns the statement that revokes keys of users; `which` is SQL that is true of such a key `k`. */
export function revokeUserKeys(which: string): string {
  return `update api_keys k set revoked_at = now() where k.owner_kind = 'person' and k.revoked_at is null and ${which}`;
}
