import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildIndex, removeIndex } from './build-index.js';

/** The guard of a directory gets the tables in which departures count, and finds the users in force of a directory. */
export class Guard1767227950000 implements MigrationInterface {
  name = 'Guard1767227950000';
  transaction = false;

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table if not exists guard_states (
        tenant_id text collate "C" not null,
        directory_id text collate "C" not null,
        mode text not null default 'exact' check (mode in ('open', 'exact')),
        window_from timestamptz,
        window_base int not null default 0,
        day_from timestamptz,
        day_base int not null default 0,
        told_at timestamptz,
        primary key (tenant_id, directory_id)
      );
      create table if not exists guard_departures (
        tenant_id text collate "C" not null,
        directory_id text collate "C" not null,
        user_id text collate "C" not null,
        went_at timestamptz not null default clock_timestamp(),
        how text not null check (how in ('deactivated', 'deleted', 'role_lost', 'seat_lost')),
        source jsonb not null,
        person jsonb not null,
        doc jsonb,
        groups text[] not null default '{}',
        primary key (tenant_id, directory_id, user_id)
      );
      create index if not exists guard_departures_time on guard_departures (tenant_id, directory_id, went_at);
      create index if not exists guard_departures_old on guard_departures (went_at);`);
    await buildIndex(
      db,
      'users_in_force',
      `on users (tenant_id, directory_id) where status = 'active' and directory_id is not null`,
    );
  }

  async down(db: QueryRunner): Promise<void> {
    await removeIndex(db, 'users_in_force');
    await db.query('drop table guard_departures, guard_states');
  }
}
