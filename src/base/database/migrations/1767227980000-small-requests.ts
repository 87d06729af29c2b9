import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Rows of the log of requests become smaller: numbers in place of repeated ids, and indexes without the tenant. The log gets a
 * limit of its own.
 */
export class SmallRequests1767227980000 implements MigrationInterface {
  name = 'SmallRequests1767227980000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`alter table tenant_storage add column log_written bigint not null default 0`);
    await db.query(`
      create table request_sources (
        tenant_id text collate "C" not null,
        source text collate "C" not null,
        number int generated always as identity,
        primary key (tenant_id, source)
      )`);
    await db.query(`create unique index request_sources_number on request_sources (tenant_id, number)`);
    await db.query(`
      insert into request_sources (tenant_id, source)
      select tenant_id, directory_id from requests union select tenant_id, credential_id from requests`);
    await db.query(`drop index requests_user`);
    await db.query(`drop index requests_directory`);
    // An expression of ALTER TABLE may call a function, and has no subquery.
    await db.query(`
      create function number_of_source(p_tenant text, p_source text) returns int language sql stable as
      $$ select number from request_sources where tenant_id = p_tenant and source = p_source $$`);
    await db.query(`
      alter table requests
        alter column directory_id type int using number_of_source(tenant_id, directory_id),
        alter column credential_id type int using number_of_source(tenant_id, credential_id),
        alter column path type text collate "C" using coalesce(replace(path, coalesce(user_id, group_id), '{id}'), path)`);
    await db.query(`drop function number_of_source(text, text)`);
    await db.query(`alter table requests rename column directory_id to directory`);
    await db.query(`alter table requests rename column credential_id to credential`);
    await db.query(`create index requests_user on requests (user_id, at) where user_id is not null`);
    await db.query(`create index requests_directory on requests (directory, at)`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`drop index requests_user`);
    await db.query(`drop index requests_directory`);
    await db.query(`alter table requests rename column directory to directory_id`);
    await db.query(`alter table requests rename column credential to credential_id`);
    await db.query(`
      create function source_of_number(p_tenant text, p_number int) returns text language sql stable as
      $$ select source from request_sources where tenant_id = p_tenant and number = p_number $$`);
    await db.query(`
      alter table requests
        alter column directory_id type text collate "C" using source_of_number(tenant_id, directory_id),
        alter column credential_id type text collate "C" using source_of_number(tenant_id, credential_id),
        alter column path type text collate "C" using coalesce(replace(path, '{id}', coalesce(user_id, group_id)), path)`);
    await db.query(`drop function source_of_number(text, int)`);
    await db.query(`create index requests_user on requests (tenant_id, user_id, at, id) where user_id is not null`);
    await db.query(`create index requests_directory on requests (tenant_id, directory_id, at)`);
    await db.query(`drop table request_sources`);
    await db.query(`alter table tenant_storage drop column log_written`);
  }
}
