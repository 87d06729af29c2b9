import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildIndex, removeIndex } from './build-index.js';

/** The plan of a preview is stored, and finds the users that a directory in preview has written to. */
export class PreviewPlans1767227970000 implements MigrationInterface {
  name = 'PreviewPlans1767227970000';
  transaction = false;

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table if not exists preview_plans (
        tenant_id text collate "C" not null,
        directory_id text collate "C" not null,
        made_at timestamptz not null,
        settings text not null,
        totals jsonb not null,
        primary key (tenant_id, directory_id)
      );
      create table if not exists preview_plan_users (
        tenant_id text collate "C" not null,
        directory_id text collate "C" not null,
        made_at timestamptz not null,
        user_id text collate "C" not null,
        owner_kind text check (owner_kind in ('create', 'link', 'take_over')),
        change_kind text check (change_kind in ('update', 'deactivate', 'delete')),
        fields text[] not null,
        take_seat boolean not null,
        held text,
        primary key (tenant_id, directory_id, made_at, user_id)
      );
      create index if not exists preview_plan_users_owner
        on preview_plan_users (tenant_id, directory_id, made_at, owner_kind, user_id) where owner_kind is not null;
      create index if not exists preview_plan_users_change
        on preview_plan_users (tenant_id, directory_id, made_at, change_kind, user_id) where change_kind is not null;`);
    await buildIndex(db, 'users_previewed', `on users (tenant_id, directory_id, id) where held = 'preview'`);
    await buildIndex(db, 'preview_writes_updated', 'on preview_writes (tenant_id, directory_id, updated_at)');
  }

  async down(db: QueryRunner): Promise<void> {
    await removeIndex(db, 'preview_writes_updated');
    await removeIndex(db, 'users_previewed');
    await db.query('drop table preview_plan_users, preview_plans');
  }
}
