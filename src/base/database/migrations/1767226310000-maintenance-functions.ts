import type { MigrationInterface, QueryRunner } from 'typeorm';

const FUNCTIONS = ['analyze_table(text, text[])', 'make_month(text, date)', 'drop_month(text, text)'];

/**
 * Upkeep that PostgreSQL allows to the owner of a table alone, as functions of the owner for the service's role:
 * statistics, and monthly partitions.
 */
export class MaintenanceFunctions1767226310000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    const [{ schema }] = (await db.query(`select quote_ident(current_schema()) as schema`)) as [{ schema: string }];
    const asOwner = `language plpgsql security definer set search_path = ${schema}, pg_temp`;
    // `analyze` reads and changes no row that anybody sees; names are quoted, and only tables of this schema qualify.
    await db.query(`
      create function analyze_table(p_table text, p_columns text[]) returns void ${asOwner} as $$
      begin
        perform 1 from pg_class where relnamespace = '${schema}'::regnamespace and relname = p_table
          and relkind in ('r', 'p');
        if not found then raise exception 'no table %', p_table using errcode = 'undefined_table'; end if;
        execute format('analyze %I (%s)', p_table,
          (select string_agg(format('%I', name), ', ') from unnest(p_columns) as name));
      end $$`);
    // Rows that came while there was no partition wait in the default one; they move into the one made for them.
    await db.query(`
      create function make_month(p_table text, p_month date) returns void ${asOwner} as $$
      declare
        part text := p_table || to_char(p_month, '_YYYY_MM');
        first timestamptz := date_trunc('month', p_month::timestamp) at time zone 'UTC';
        next timestamptz := (date_trunc('month', p_month::timestamp) + interval '1 month') at time zone 'UTC';
      begin
        if p_table not in ('attempts', 'sign_ins') then
          raise exception '% has no months', p_table using errcode = 'insufficient_privilege';
        end if;
        perform pg_advisory_xact_lock(7234502818);
        if to_regclass(format('${schema.replaceAll("'", "''")}.%I', part)) is not null then return; end if;
        execute format('create table %I (like %I including defaults including constraints)', part, p_table);
        execute format('with moved as (delete from %I where at >= %L and at < %L returning *)
          insert into %I select * from moved', p_table || '_default', first, next, part);
        execute format('alter table %I attach partition %I for values from (%L) to (%L)', p_table, part, first, next);
      end $$`);
    await db.query(`
      create function drop_month(p_table text, p_name text) returns void ${asOwner} as $$
      begin
        perform 1 from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
        where p.relnamespace = '${schema}'::regnamespace and p.relname = p_table and c.relname = p_name
          and p_table in ('attempts', 'sign_ins') and p_name ~ '_\\d{4}_\\d\\d$';
        if not found then
          raise exception '% is no month of %', p_name, p_table using errcode = 'insufficient_privilege';
        end if;
        execute format('drop table %I', p_name);
      end $$`);
    for (const name of FUNCTIONS) await db.query(`revoke all on function ${name} from public`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`drop function ${FUNCTIONS.join(', ')}`);
  }
}
