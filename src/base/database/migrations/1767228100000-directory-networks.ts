import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Networks from which a directory takes requests, and attributes of users that the customer declares for it. */
export class DirectoryNetworks1767228100000 implements MigrationInterface {
  name = 'DirectoryNetworks1767228100000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table directories
        add column allow_from jsonb not null default '[]',
        add column custom_attributes jsonb not null default '[]'`);
    await this.tell(db, 'allow_from, custom_attributes, deleted_at');
  }

  async down(db: QueryRunner): Promise<void> {
    await this.tell(db, 'deleted_at');
    await db.query(`alter table directories drop column allow_from, drop column custom_attributes`);
  }

  private async tell(db: QueryRunner, columns: string): Promise<void> {
    await db.query(`drop trigger directories_told on directories`);
    await db.query(`
      create trigger directories_told after insert or delete or update of name, profile, state, default_role,
        attribute_map, on_match, takes_over, replace_creates_missing, guard, ${columns} on directories
        for each row execute function tell_settings()`);
  }
}
