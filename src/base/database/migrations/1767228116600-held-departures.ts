import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a held departure took of a user, and since when a user counts for the guard. */
export class HeldDepartures1767228116600 implements MigrationInterface {
  name = 'HeldDepartures1767228116600';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`alter table users add column in_force_since timestamptz`);
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
    await db.query(`alter table guard_departures drop constraint guard_departures_how_check`);
    await db.query(`
      alter table guard_departures add constraint guard_departures_how_check
        check (how in ('deactivated', 'deleted', 'role_lost', 'seat_lost', 'identity_changed', 'role_changed'))`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`delete from guard_departures where how in ('identity_changed', 'role_changed')`);
    await db.query(`alter table guard_departures drop constraint guard_departures_how_check`);
    await db.query(`
      alter table guard_departures add constraint guard_departures_how_check
        check (how in ('deactivated', 'deleted', 'role_lost', 'seat_lost'))`);
    await db.query(`drop table held_memberships`);
    await db.query(`alter table users drop column in_force_since`);
  }
}
