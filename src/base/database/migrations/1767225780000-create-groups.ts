import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Groups of a directory, their members one by one, and the rules that make a role out of a membership. */
export class CreateGroups1767225780000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table groups (
        tenant_id text collate "C" not null,
        id text collate "C" not null,
        directory_id text collate "C" not null,
        doc jsonb not null,
        display_name text not null,
        display_name_key text collate "C" not null,
        external_id text collate "C",
        version int not null default 1,
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        primary key (tenant_id, id),
        foreign key (tenant_id, directory_id) references directories (tenant_id, id)
      ) with (fillfactor = 50)`);
    await db.query(`create unique index groups_display_name on groups (tenant_id, directory_id, display_name_key)`);
    await db.query(`create index groups_external_id on groups (tenant_id, directory_id, external_id)`);
    await db.query(`create index groups_page on groups (tenant_id, directory_id, id)`);
    await db.query(`
      create table group_members (
        tenant_id text collate "C" not null,
        group_id text collate "C" not null,
        member_id text collate "C" not null,
        kind text not null check (kind in ('User', 'Group')),
        display text,
        added_at timestamptz not null default now(),
        primary key (tenant_id, group_id, member_id),
        foreign key (tenant_id, group_id) references groups (tenant_id, id) on delete cascade
      )`);
    await db.query(`create index group_members_member on group_members (tenant_id, member_id, group_id)`);
    await db.query(`
      create table pending_members (
        tenant_id text collate "C" not null,
        group_id text collate "C" not null,
        member_id text collate "C" not null,
        display text,
        since timestamptz not null default now(),
        primary key (tenant_id, group_id, member_id),
        foreign key (tenant_id, group_id) references groups (tenant_id, id) on delete cascade
      )`);
    await db.query(`create index pending_members_member on pending_members (tenant_id, member_id)`);
    await db.query(`
      create table group_rules (
        tenant_id text collate "C" not null,
        directory_id text collate "C" not null,
        position int not null,
        group_id text collate "C" not null,
        role text not null,
        primary key (tenant_id, directory_id, position),
        foreign key (tenant_id, group_id) references groups (tenant_id, id) on delete cascade,
        foreign key (tenant_id, role) references roles (tenant_id, name)
      )`);
    await db.query(`create index group_rules_group on group_rules (tenant_id, group_id)`);
    await db.query(`create index group_rules_role on group_rules (tenant_id, role)`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`drop table group_rules, pending_members, group_members, groups`);
  }
}
