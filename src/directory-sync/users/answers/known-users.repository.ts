import { Injectable } from '@nestjs/common';
import type { SqlRunner } from '../../../base/database/database.js';
import { KnownUsers } from '../../../tenancy/tenants/caller.js';

/** Answers what `tenants` asks about users. */
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
