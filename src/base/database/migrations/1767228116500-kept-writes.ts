import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildIndex, removeIndex } from './build-index.js';

const TOLD = `name, profile, state, default_role, attribute_map, on_match, takes_over, replace_creates_missing, guard, allow_from,
  custom_attributes, deleted_at`;

/** Writes of a directory about a user whose rights it may not give: they are kept until an admin decides. */
export class KeptWrites1767228116500 implements MigrationInterface {
  name = 'KeptWrites1767228116500';
  transaction = false;

  async up(db: QueryRunner): Promise<void> {
    await db.query(`alter table users add column if not exists kept_for text collate "C"`);
    await db.query(`alter table directories add column if not exists keeps_writes boolean not null default false`);
    await this.tell(db, `${TOLD}, may_grant_console, keeps_writes`);
    await buildIndex(db, 'users_kept', 'on users (tenant_id, kept_for, id) where kept_for is not null');
  }

  async down(db: QueryRunner): Promise<void> {
    await removeIndex(db, 'users_kept');
    await this.tell(db, TOLD);
    await db.query(`alter table directories drop column keeps_writes`);
    await db.query(`alter table users drop column kept_for`);
  }

  private async tell(db: QueryRunner, columns: string): Promise<void> {
    await db.query(`drop trigger if exists directories_told on directories`);
    await db.query(`
      create trigger directories_told after insert or delete or update of ${columns} on directories
        for each row execute function tell_settings()`);
  }
}
