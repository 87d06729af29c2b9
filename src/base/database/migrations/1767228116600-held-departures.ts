import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a held departure took of a user, and since when a user counts for the guard. */
export class HeldDepartures1767228116600 implements MigrationInterface {
  name = 'HeldDepartures1767228116600';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table users add column in_force_since timestamptz, add column held_change boolean not null default false`);
    await db.query(`
      create table held_memberships (
        tenant_id text collate "C" not null,
        user_id text collate "C" not null,
        group_id text collate "C" not null,
        primary key (tenant_id, user_id, group_id),
        foreign key (tenant_id, user_id) references users (tenant_id, id) on delete cascade,
        foreign key (tenant_id, group_id) references groups (tenant_id, id) on delete cascade
      )`);
    await db.query(`create index held_memberships_group on held_memberships (tenant_id, group_id)`);
    await db.query(`
      create table guard_changes (
        tenant_id text collate "C" not null,
        directory_id text collate "C" not null,
        user_id text collate "C" not null,
        changed_at timestamptz not null default clock_timestamp(),
        primary key (tenant_id, directory_id, user_id)
      )`);
    await db.query(`create index guard_changes_time on guard_changes (tenant_id, directory_id, changed_at)`);
    await db.query(`create index guard_changes_old on guard_changes (changed_at)`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`drop table guard_changes`);
    await db.query(`drop table held_memberships`);
    await db.query(`alter table users drop column in_force_since, drop column held_change`);
  }
}
