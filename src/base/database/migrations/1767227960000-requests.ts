import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The functions that list the tables with months. */
const LISTING = ['make_month', 'drop_month'];

/** The log of SCIM requests, in months: a row for each request, and its body for a shorter time. */
export class Requests1767227960000 implements MigrationInterface {
  name = 'Requests1767227960000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table requests (
        tenant_id text collate "C" not null,
        at timestamptz not null,
        id text collate "C" not null,
        directory_id text collate "C" not null,
        credential_id text collate "C" not null,
        method text collate "C" not null,
        path text collate "C" not null,
        status smallint not null,
        duration_ms real not null,
        dialect text collate "C",
        user_id text collate "C",
        group_id text collate "C",
        outcome text collate "C",
        held text collate "C",
        linked_by text collate "C",
        code text collate "C",
        scim_type text collate "C",
        detail text,
        body_bytes int,
        primary key (tenant_id, at, id)
      ) partition by range (at)`);
    await db.query(`create table requests_default partition of requests default`);
    await db.query(`create index requests_user on requests (tenant_id, user_id, at, id) where user_id is not null`);
    await db.query(`create index requests_directory on requests (tenant_id, directory_id, at)`);
    await db.query(`
      create table request_bodies (
        tenant_id text collate "C" not null,
        at timestamptz not null,
        id text collate "C" not null,
        body text not null,
        primary key (tenant_id, at, id)
      ) partition by range (at)`);
    await db.query(`create table request_bodies_default partition of request_bodies default`);
    const functions = (await db.query(
      `select pg_get_functiondef(p.oid) as text from pg_proc p
       where p.pronamespace = quote_ident(current_schema())::regnamespace and p.proname = any($1)`,
      [LISTING],
    )) as { text: string }[];
    for (const { text } of functions) {
      await db.query(
        text
          .replace(`'ats_event_keys')`, `'ats_event_keys', 'requests', 'request_bodies')`)
          .replace(`'request_bodies') and p_name`, `'request_bodies')\n    and p_name`),
      );
    }
    await db.query(`
      select make_month(of_table, (moment at time zone 'UTC')::date)
      from unnest(array['requests', 'request_bodies']) of_table, unnest(array[now(), now() + interval '1 month']) moment`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`drop table request_bodies`);
    await db.query(`drop table requests`);
  }
}
