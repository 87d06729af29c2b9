import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A holder's new role, directory or cost centre becomes a line of 0 in the seat ledger. `users.cost_center` is the cost
 * centre in force, `tenants.holder_facts_since` when such lines began: what came before is not known.
 */
export class HolderFacts1767226930000 implements MigrationInterface {
  name = 'HolderFacts1767226930000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`alter table users add column cost_center text`);
    await db.query(`
      update users set cost_center = doc #>> '{urn:ietf:params:scim:schemas:extension:enterprise:2.0:User,costCenter}'
      where doc #>> '{urn:ietf:params:scim:schemas:extension:enterprise:2.0:User,costCenter}' is not null`);
    await db.query(`alter table tenants add column holder_facts_since timestamptz not null default now()`);
    await db.query(`alter table seat_entries drop constraint seat_entries_kind_check`);
    await db.query(`
      alter table seat_entries add constraint seat_entries_kind_check
        check (kind in ('claim', 'release', 'update', 'limit', 'policy', 'opening', 'repair'))`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`alter table tenants drop column holder_facts_since`);
    await db.query(`alter table users drop column cost_center`);
  }
}
