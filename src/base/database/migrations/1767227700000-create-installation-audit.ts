import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The audit log of the installation: acts of the operator that concern no tenant. Append-only by the database itself. */
export class CreateInstallationAudit1767227700000 implements MigrationInterface {
  name = 'CreateInstallationAudit1767227700000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table installation_audit (
        entry_id bigint generated always as identity primary key,
        at timestamptz not null default clock_timestamp(),
        actor jsonb not null,
        action text not null,
        target_type text not null,
        target_id text not null,
        after jsonb,
        request_id text
      )`);
    await db.query(`
      create trigger installation_audit_append_only before update or delete on installation_audit
      for each row execute function refuse_change()`);
    await db.query(`
      create trigger installation_audit_never_truncated before truncate on installation_audit
      for each statement execute function refuse_change()`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`drop table installation_audit`);
  }
}
