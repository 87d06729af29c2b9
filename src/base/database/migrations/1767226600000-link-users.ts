import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What linking has to know and what it leaves behind. `users.name_written` says whether a directory once wrote the
 * `userName`; null, for rows from before, follows from the source. `user_notes` holds the events of a user that no other
 * table has: a link, and what an admin did with a held user.
 */
export class LinkUsers1767226600000 implements MigrationInterface {
  name = 'LinkUsers1767226600000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`alter table users add column name_written boolean`);
    // The key of a removed user that stays in force begins with its old name, so that the name brings the user back.
    await db.query(`
      update users set user_name_key = chr(1) || lower(user_name) || chr(1) || id
      where gone_at is not null and left(user_name_key, 1) = chr(1)`);
    await db.query(`create sequence user_note_sequence`);
    await db.query(`
      create table user_notes (
        tenant_id text collate "C" not null,
        note_id bigint not null default nextval('user_note_sequence'),
        user_id text collate "C" not null,
        at timestamptz not null default clock_timestamp(),
        kind text not null check (kind in ('linked', 'held')),
        detail jsonb not null,
        source jsonb not null,
        primary key (tenant_id, note_id)
      )`);
    await db.query(`create index user_notes_of_user on user_notes (tenant_id, user_id, at, note_id)`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`drop table user_notes`);
    await db.query(`drop sequence user_note_sequence`);
    await db.query(`alter table users drop column name_written`);
  }
}
