import { Injectable } from '@nestjs/common';
import type { SqlRunner } from '../../../base/database/database.js';
import { UntestedConnection } from './sso-requirement.errors.js';
import { waysOf, untestedLeft, type SignInWay } from './sso-requirement.rules.js';

/**
 * Keeps a connection from becoming the only way to sign in, for a tenant or a domain, before a sign-in through it
 * succeeded.
 */
@Injectable()
export class SsoRequirement {
  /**
   * Checks an act that disables or deletes an enabled connection.
   *
   * @throws {UntestedConnection} when only untested connections would be left
   */
  async demandAnother(tx: SqlRunner, tenantId: string, closing: string): Promise<void> {
    const all = await this.ways(tx, tenantId);
    const before = all.filter(({ enabled }) => enabled);
    refuse(
      untestedLeft(
        before,
        before.filter(({ id }) => id !== closing),
      ),
    );
  }

  /**
   * Checks an act that binds a domain to another connection.
   *
   * @param from the connection that the domain was bound to; null: to none
   * @throws {UntestedConnection} when the new connection is untested, and the users of the domain had a tested one
   */
  async demandTested(tx: SqlRunner, tenantId: string, from: string | null, to: string): Promise<void> {
    const all = await this.ways(tx, tenantId);
    // A disabled connection counts as well, by its test.
    const target = all.filter(({ id }) => id === to);
    const enabled = all.filter((way) => way.enabled);
    refuse(untestedLeft(waysOf(enabled, from), target));
  }

  /** Returns all connections. A concurrent act waits and sees what this one has done. */
  private async ways(tx: SqlRunner, tenantId: string): Promise<(SignInWay & { enabled: boolean })[]> {
    await tx.query(`select 1 from tenants where id = $1 for no key update`, [tenantId]);
    const { rows } = await tx.query<SignInWay & { enabled: boolean }>(
      `select id, name, enabled, tested_at is not null as tested from connections
       where tenant_id = $1 and deleted_at is null order by id`,
      [tenantId],
    );
    return rows;
  }
}

function refuse(left: SignInWay | null): void {
  if (left !== null) throw new UntestedConnection(left);
}
