import type { MigrationInterface, QueryRunner } from 'typeorm';

const MEASURE = 'measure_rows(text, text, text[], integer)';

/**
 * The bytes that each tenant stores: measured from the tables, and what was written since then. A table is measured in
 * pieces, in the order of its primary key, which begins with the tenant.
 */
export class TenantStorage1767227750000 implements MigrationInterface {
  name = 'TenantStorage1767227750000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table tenant_storage (
        tenant_id text collate "C" primary key references tenants,
        limit_bytes bigint,
        measured bigint not null default 0,
        written bigint not null default 0,
        classes jsonb not null default '{}',
        state text collate "C" not null default 'ok' check (state in ('ok', 'approaching', 'exhausted')),
        measured_at timestamptz,
        due_at timestamptz not null default now() + interval '1 day',
        rest_until timestamptz not null default '-infinity'
      ) with (fillfactor = 50)`);
    await db.query(`create index tenant_storage_due on tenant_storage (due_at)`);
    await db.query(`create index tenant_storage_states on tenant_storage (tenant_id, state) where state <> 'ok'`);
    // The tenants that exist are measured within the first day, spread over it.
    await db.query(
      `insert into tenant_storage (tenant_id, due_at) select id, now() + random() * interval '1 day' from tenants`,
    );
    // The size of a value that is stored outside of its row is read without the value.
    await db.query(`
      create function measure_rows(p_tenant text, p_table text, p_after text[], p_rows integer)
        returns table (bytes bigint, last text[]) language plpgsql stable as $$
      declare
        of_table oid := (select c.oid from pg_class c
          where c.relname = p_table and c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p'));
        keys text;
        beyond text;
        texts text;
        backwards text;
        size text;
      begin
        select string_agg(format('%I', a.attname), ', ' order by k.place),
          format('(%s) > (%s)', string_agg(format('%I', a.attname), ', ' order by k.place),
            string_agg(format('$2[%s]::%s', k.place - 1, format_type(a.atttypid, a.atttypmod)), ', ' order by k.place)),
          string_agg(format('%I::text', a.attname), ', ' order by k.place),
          string_agg(format('%I desc', a.attname), ', ' order by k.place)
        into keys, beyond, texts, backwards
        from pg_index x
        cross join lateral unnest(x.indkey::int2[]) with ordinality k(n, place)
        join pg_attribute a on a.attrelid = x.indrelid and a.attnum = k.n
        where x.indrelid = of_table and x.indisprimary and k.place between 2 and x.indnkeyatts;
        select string_agg(format('coalesce(pg_column_size(%I), 0)', a.attname), ' + ') into size
        from pg_attribute a where a.attrelid = of_table and a.attnum > 0 and not a.attisdropped;
        return query execute format(
          'with piece as (select %s, 28 + %s as size from %I where tenant_id = $1 %s order by %s limit $3)
           select coalesce(sum(size), 0)::bigint,
             case when count(*) = $3 then (select array[%s] from piece order by %s limit 1) end from piece',
          keys, size, p_table, case when p_after is null then '' else 'and ' || beyond end, keys, texts, backwards)
        using p_tenant, p_after, p_rows;
      end $$`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`drop function ${MEASURE}`);
    await db.query(`drop table tenant_storage`);
  }
}
