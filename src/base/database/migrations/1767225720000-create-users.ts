import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The people of a tenant. `doc`, `user_name`, `external_id` and `active` are what was written; `email` to `seat` are
 * what is in force; `held` says why the two differ.
 */
export class CreateUsers1767225720000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table users (
        tenant_id text collate "C" not null,
        id text collate "C" not null,
        directory_id text collate "C",
        source text not null check (source in ('api', 'scim', 'sign-in')),
        doc jsonb not null,
        user_name text not null,
        user_name_key text collate "C" not null,
        external_id text collate "C",
        active boolean not null,
        gone_at timestamptz,
        version int not null default 1,
        email text,
        email_key text collate "C",
        first_name text not null,
        last_name text not null,
        role text,
        role_set text,
        person_external_id text collate "C",
        status text not null check (status in ('active', 'inactive')),
        seat text not null check (seat in ('held', 'none', 'waiting')),
        waiting_since timestamptz,
        held text check (held in ('guard', 'preview', 'no_email', 'email_taken', 'external_id_taken', 'no_role',
                                  'no_seat', 'protected', 'superseded')),
        held_since timestamptz,
        released text,
        ever_active boolean not null default false,
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        primary key (tenant_id, id),
        foreign key (tenant_id, directory_id) references directories (tenant_id, id)
      ) with (fillfactor = 85)`);
    // Not partial: a name that is free again for SCIM is put out of the way (see HELD_NAME). A predicate on this index
    // would draw every query that shares it, whichever index would serve it.
    await db.query(`create unique index users_user_name on users (tenant_id, user_name_key)`);
    await db.query(
      `create unique index users_email on users (tenant_id, email_key) where status = 'active' and email_key is not null`,
    );
    await db.query(`
      create unique index users_person_external_id on users (tenant_id, person_external_id)
      where status = 'active' and person_external_id is not null`);
    await db.query(`
      create index users_inactive_external_id on users (tenant_id, person_external_id)
      where status = 'inactive' and person_external_id is not null`);
    // Like the one above for whom a directory that takes over another one has to find before it makes them anew.
    await db.query(`
      create index users_inactive_email on users (tenant_id, email_key)
      where status = 'inactive' and email_key is not null`);
    await db.query(`create index users_external_id on users (tenant_id, external_id) where external_id is not null`);
    // Small: people whom no directory manages yet, to be found when an IdP is switched on late.
    await db.query(`create index users_unmanaged_email on users (tenant_id, email_key) where directory_id is null`);
    await db.query(
      `create index users_unmanaged_external_id on users (tenant_id, person_external_id) where directory_id is null`,
    );
    await db.query(`create index users_held on users (tenant_id, held_since, id) where held is not null`);
    await db.query(`create index users_waiting on users (tenant_id, waiting_since, id) where seat = 'waiting'`);
    await db.query(`
      create table user_emails (
        tenant_id text collate "C" not null,
        user_id text collate "C" not null,
        ordinal smallint not null,
        value_key text collate "C" not null,
        type_key text collate "C" not null,
        primary key (tenant_id, user_id, ordinal)
      )`);
    await db.query(`create index user_emails_value on user_emails (tenant_id, value_key, type_key, user_id)`);
    await db.query(`
      create table user_aliases (
        tenant_id text collate "C" not null,
        external_id text collate "C" not null,
        user_id text collate "C" not null,
        created_at timestamptz not null default now(),
        primary key (tenant_id, external_id, user_id),
        foreign key (tenant_id, user_id) references users (tenant_id, id) on delete cascade
      )`);
    await db.query(`create index user_aliases_user on user_aliases (tenant_id, user_id)`);
    await db.query(`
      create table deleted_users (
        tenant_id text collate "C" not null,
        id text collate "C" not null,
        directory_id text collate "C",
        user_name text not null,
        external_id text collate "C",
        person jsonb not null,
        deleted_at timestamptz not null default now(),
        deleted_by jsonb not null,
        primary key (tenant_id, id)
      )`);
    // How many users a directory shows, exact at any moment without counting them: a folded number and the steps
    // since. The owner '' stands for the people whom no directory manages.
    await db.query(`
      create table population (
        tenant_id text collate "C" not null,
        owner text collate "C" not null,
        n bigint not null,
        primary key (tenant_id, owner)
      )`);
    await db.query(`
      create table population_steps (
        tenant_id text collate "C" not null,
        owner text collate "C" not null,
        step int not null
      )`);
    await db.query(`create index population_steps_owner on population_steps (tenant_id, owner)`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`drop table population_steps, population, deleted_users, user_aliases, user_emails, users`);
  }
}
