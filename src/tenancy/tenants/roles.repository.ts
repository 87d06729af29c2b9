import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../base/database/database.js';
import type { PageRequest } from '../../base/http/page.js';
import { KnownUsers } from './known-users.js';
import type { RoleBody } from './roles.dto.js';

/** The statements of the role catalogue. */
@Injectable()
export class RolesRepository {
  private readonly columns: string;

  constructor(
    private readonly db: Database,
    users: KnownUsers,
  ) {
    this.columns = `r.name, r.takes_seat, r.console, r.created_at, (${users.countQuery('r.tenant_id', 'r.name')}) as users`;
  }

  /** By name: a catalogue is short, and read by people. */
  async list(tenantId: string, page: PageRequest): Promise<RoleBody[]> {
    const { rows } = await this.db.query<RoleBody>(
      `select ${this.columns} from roles r where r.tenant_id = $1 and ($2::text is null or r.name > $2)
       order by r.name limit $3`,
      [tenantId, page.after, page.limit + 1],
    );
    return rows;
  }

  async find(tenantId: string, name: string, db: SqlRunner = this.db): Promise<RoleBody | null> {
    const { rows } = await db.query<RoleBody>(
      `select ${this.columns} from roles r where r.tenant_id = $1 and r.name = $2`,
      [tenantId, name],
    );
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
}
