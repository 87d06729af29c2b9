import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The last role that a directory sent and the tenant's catalogue lacks: its user got another role, or none. */
export class UnknownRoles1767227030000 implements MigrationInterface {
  name = 'UnknownRoles1767227030000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`alter table directories add column last_unknown_role jsonb`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`alter table directories drop column last_unknown_role`);
  }
}
