import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What a directory in preview wrote to users that it does not manage. The users themselves stay as they are; the directory
 * alone reads these resources back, and going live writes them.
 */
export class PreviewWrites1767226620000 implements MigrationInterface {
  name = 'PreviewWrites1767226620000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table preview_writes (
        tenant_id text collate "C" not null,
        directory_id text collate "C" not null,
        user_id text collate "C" not null,
        -- Null: the directory has removed the user.
        doc jsonb,
        doc_bytes int not null default 0,
        user_name text,
        user_name_key text collate "C",
        external_id text collate "C",
        active boolean,
        linked_by text not null,
        source jsonb not null,
        version int not null default 1,
        updated_at timestamptz not null default date_trunc('milliseconds', now()),
        primary key (tenant_id, directory_id, user_id),
        foreign key (tenant_id, user_id) references users (tenant_id, id) on delete cascade
      )`);
    await db.query(
      `create unique index preview_writes_user_name on preview_writes (tenant_id, directory_id, user_name_key)`,
    );
    await db.query(`create index preview_writes_user on preview_writes (tenant_id, user_id)`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`drop table preview_writes`);
  }
}
