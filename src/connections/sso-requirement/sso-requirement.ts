import { Injectable } from '@nestjs/common';
import type { SqlRunner } from '../../base/database/database.js';
import { UntestedConnection } from './sso-requirement.errors.js';
import { doorsOf, untestedLeft, type Door } from './sso-requirement.rules.js';

/** Keeps a connection from becoming the only door of a tenant, or of a domain, before a sign-in through it succeeded. */
@Injectable()
export class OnlyDoor {
  /**
   * For an act that disables or deletes an enabled connection.
   *
   * @throws {UntestedConnection} when only untested connections would be left
   */
  async demandAnother(tx: SqlRunner, tenantId: string, closing: string): Promise<void> {
    const all = await this.doors(tx, tenantId);
    const before = all.filter(({ enabled }) => enabled);
    refuse(
      untestedLeft(
        before,
        before.filter(({ id }) => id !== closing),
      ),
    );
  }

  /**
   * For an act that binds a domain to another connection.
   *
   * @param from the connection that the domain was bound to; null: to none
   * @throws {UntestedConnection} when the new connection is untested, and the domain's users had one that works
   */
  async demandTested(tx: SqlRunner, tenantId: string, from: string | null, to: string): Promise<void> {
    const all = await this.doors(tx, tenantId);
    // A disabled connection lets nobody in either: whether it would is known from a test.
    const target = all.filter(({ id }) => id === to);
    const enabled = all.filter((door) => door.enabled);
    refuse(untestedLeft(doorsOf(enabled, from), target));
  }

  /** All connections. Of two acts at once the second waits here, and sees what the first has done. */
  private async doors(tx: SqlRunner, tenantId: string): Promise<(Door & { enabled: boolean })[]> {
    await tx.query(`select 1 from tenants where id = $1 for no key update`, [tenantId]);
    const { rows } = await tx.query<Door & { enabled: boolean }>(
      `select id, name, enabled, tested_at is not null as tested from connections
       where tenant_id = $1 and deleted_at is null order by id`,
      [tenantId],
    );
    return rows;
  }
}

function refuse(left: Door | null): void {
  if (left !== null) throw new UntestedConnection(left);
}
