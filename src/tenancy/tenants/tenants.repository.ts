import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../base/database/database.js';
import type { PageRequest } from '../../base/http/page.js';
import type { TenantBody } from './tenants.dto.js';

const COLUMNS = `id, name, time_zone, owner_user_id, break_glass, api_may_write_directory_users, base_url, help_url, created_at,
  updated_at`;

/** What a tenant begins with: who takes a seat and who does not. */
const FIRST_ROLES: readonly (readonly [name: string, takesSeat: boolean])[] = [
  ['User', true],
  ['Admin', true],
  ['Observer', false],
];

/** A change of a tenant; what is left out stays. */
export interface TenantChange {
  name?: string;
  time_zone?: string;
  owner_user_id?: string | null;
  break_glass?: string[];
  api_may_write_directory_users?: boolean;
  /** An origin; null: the installation's address. */
  base_url?: string | null;
  help_url?: string | null;
}

/** The statements of tenants. */
@Injectable()
export class TenantsRepository {
  constructor(private readonly db: Database) {}

  /** A tenant with everything that belongs to one from the start. */
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

  /** The tenant that was made first; null: there is none. */
  async first(): Promise<string | null> {
    const { rows } = await this.db.query<{ id: string }>(`select id from tenants order by id limit 1`);
    return rows[0]?.id ?? null;
  }

  /** Newest first. */
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
   * Makes an origin the tenant's own address, in place of the one before; null: the tenant has none. A concurrent request for
   * the same origin waits.
   *
   * @returns false when another tenant has it
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
}
