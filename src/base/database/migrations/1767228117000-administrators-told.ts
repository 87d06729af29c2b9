import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Processes receive each end of a right of administration, so that no session of the console outlives its right. */
export class AdministratorsTold1767228117000 implements MigrationInterface {
  name = 'AdministratorsTold1767228117000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create trigger audit_entries_told after insert on audit_entries for each row
        when (new.action in ('administrator.added', 'administrator.removed')) execute function tell_settings()`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`drop trigger audit_entries_told on audit_entries`);
  }
}
