import { Injectable } from '@nestjs/common';
import { type SqlRunner, Database } from '../../../base/database/database.js';
import { NamedUsers } from '../../../forwarding/connections.js';
import type { ShownPerson } from '../../../seats/ledger/event.mapping.js';
import { SeatHolders, type LockedHolder } from '../../../seats/ledger/seat-holders.js';
import { KnownUsers } from '../../../tenancy/tenants/caller.js';

/** Reads users for `tenants`. */
@Injectable()
export class KnownUsersRepository extends KnownUsers {
  override activeQuery(tenantId: string, userId: string): string {
    return `select 1 from users u where u.tenant_id = ${tenantId} and u.id = ${userId} and u.status = 'active'`;
  }

  override countQuery(tenantId: string, role: string): string {
    return `select count(*)::int from users u where u.tenant_id = ${tenantId} and u.role = ${role}`;
  }

  override async isActive(tx: SqlRunner, tenantId: string, userId: string): Promise<boolean> {
    const { rowCount } = await tx.query(
      `select 1 from users where tenant_id = $1 and id = $2 and status = 'active' and gone_at is null for share`,
      [tenantId, userId],
    );
    return rowCount === 1;
  }
}

/** Reads users for `forwarding`. */
@Injectable()
export class NamedUsersRepository extends NamedUsers {
  constructor(private readonly db: Database) {
    super();
  }

  override namedQuery(tenantId: string, externalId: string, email: string): string {
    return `select u.id from users u where u.tenant_id = ${tenantId} and u.status = 'active'
      and (u.person_external_id = ${externalId} or u.email_key = ${email})`;
  }

  override async byExternalId(tenantId: string, externalIds: readonly string[]): Promise<Map<string, string>> {
    const { rows } = await this.db.query<{ key: string; id: string }>(
      `select person_external_id as key, id from users
       where tenant_id = $1 and status = 'active' and person_external_id = any($2::text[])`,
      [tenantId, externalIds],
    );
    return new Map(rows.map(({ key, id }) => [key, id]));
  }
}

/** Reads users for `seats`. */
@Injectable()
export class SeatHoldersRepository extends SeatHolders {
  constructor(private readonly db: Database) {
    super();
  }

  override heldQuery(tenantId: string): string {
    return `select id from users where tenant_id = ${tenantId} and seat = 'held'`;
  }

  override lockQuery(tenantId: string, userId: string): string {
    return `select id from users where tenant_id = ${tenantId} and id = ${userId} for no key update`;
  }

  override shownQuery(tenantId: string, userId: string): string {
    return `select nullif(trim(u.first_name || ' ' || u.last_name), '') as name, u.email, u.person_external_id as external_id
      from users u where u.tenant_id = ${tenantId} and u.id = ${userId}`;
  }

  override directoryQuery(tenantId: string, directoryId: string): string {
    return `select d.name from directories d where d.tenant_id = ${tenantId} and d.id = ${directoryId}`;
  }

  override async lock(tx: SqlRunner, tenantId: string, userIds: readonly string[]): Promise<LockedHolder[]> {
    const { rows } = await tx.query<LockedHolder>(
      `select id, seat = 'held' as held, role, directory_id, cost_center from users
       where tenant_id = $1 and id = any($2::text[]) order by id for no key update`,
      [tenantId, userIds],
    );
    return rows;
  }

  override async waitingFor(tx: SqlRunner, tenantId: string, except: string | null, most: number): Promise<number> {
    const { rows } = await tx.query<{ n: number }>(
      `select count(*)::int as n from (select 1 from users where tenant_id = $1 and seat = 'waiting'
         and held = 'no_seat' and id is distinct from $2 limit $3) as w`,
      [tenantId, except, most],
    );
    return rows[0]!.n;
  }

  override waiting(tenantId: string): Promise<number> {
    return this.count(tenantId, 'waiting');
  }

  override held(tenantId: string): Promise<number> {
    return this.count(tenantId, 'held');
  }

  override async shown(tenantId: string, userIds: readonly string[]): Promise<Map<string, ShownPerson>> {
    const { rows } = await this.db.query<ShownPerson & { id: string }>(
      `select id, first_name, last_name, email from users where tenant_id = $1 and id = any($2::text[])`,
      [tenantId, userIds],
    );
    return new Map(rows.map(({ id, ...person }) => [id, person]));
  }

  private async count(tenantId: string, seat: 'held' | 'waiting'): Promise<number> {
    const { rows } = await this.db.query<{ n: number }>(
      // A text for each value: the indexes are partial, and plans are generic.
      `select count(*)::int as n from users where tenant_id = $1 and seat = '${seat}'`,
      [tenantId],
    );
    return rows[0]!.n;
  }
}
