import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../base/database/database.js';
import type { PageRequest } from '../../base/http/page.js';
import type { RoleBody } from './roles.dto.js';

const COLUMNS = `r.name, r.takes_seat, r.console, r.created_at, (
  select count(*)::int from users u where u.tenant_id = r.tenant_id and u.role = r.name) as users`;

/** The statements of the role catalogue. */
@Injectable()
export class RolesRepository {
  constructor(private readonly db: Database) {}

  /** By name: a catalogue is short, and read by people. */
  async list(tenantId: string, page: PageRequest): Promise<RoleBody[]> {
    const { rows } = await this.db.query<RoleBody>(
      `select ${COLUMNS} from roles r where r.tenant_id = $1 and ($2::text is null or r.name > $2)
       order by r.name limit $3`,
      [tenantId, page.after, page.limit + 1],
    );
    return rows;
  }

  async find(tenantId: string, name: string, db: SqlRunner = this.db): Promise<RoleBody | null> {
    const { rows } = await db.query<RoleBody>(`select ${COLUMNS} from roles r where r.tenant_id = $1 and r.name = $2`, [
      tenantId,
      name,
    ]);
    return rows[0] ?? null;
  }

  async lock(tx: SqlRunner, tenantId: string, name: string): Promise<void> {
    await tx.query(`select 1 from roles where tenant_id = $1 and name = $2 for update`, [tenantId, name]);
  }

  /** Null when the name is taken. */
  async insert(
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

  async update(
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

  async delete(tx: SqlRunner, tenantId: string, name: string): Promise<void> {
    await tx.query(`delete from roles where tenant_id = $1 and name = $2`, [tenantId, name]);
  }

  /** How many directories and connections give it, and how many rules name it. */
  async usesElsewhere(tx: SqlRunner, tenantId: string, name: string): Promise<number> {
    const { rows } = await tx.query<{ uses: number }>(
      `select (select count(*) from directories where tenant_id = $1 and default_role = $2 and deleted_at is null)::int
            + (select count(*) from group_rules where tenant_id = $1 and role = $2)::int
            + (select count(*) from connections c where c.tenant_id = $1 and c.deleted_at is null
                 and (c.settings ->> 'default_role' = $2 or exists (
                   select 1 from jsonb_array_elements(c.settings -> 'role_map') m where m ->> 1 = $2)))::int as uses`,
      [tenantId, name],
    );
    return rows[0]!.uses;
  }
}
