import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The last refused token of a tenant that belongs to none of its directories. */
export class RefusedTokens1767228123002 implements MigrationInterface {
  name = 'RefusedTokens1767228123002';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table refused_tokens (
        tenant_id text collate "C" primary key references tenants (id),
        refusal jsonb not null
      )`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`drop table refused_tokens`);
  }
}
