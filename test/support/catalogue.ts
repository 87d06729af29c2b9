/**
 * What a database consists of, one line for each object: tables, columns, constraints, indexes, triggers, functions, sequences,
 * statistics and rights. Independent of the order of columns, of blanks in the text of a function, and of what a name follows
 * from: those of `not null`, and those of indexes and constraints of a partition.
 */
export const CATALOGUE = `
with ours as (
  select c.*, c.relname::text as name from pg_class c where c.relnamespace = 'public'::regnamespace
), tables as (
  select * from ours where relkind in ('r', 'p', 'v')
), functions as (
  select p.oid, p.proacl, p.proowner, p.oid::regprocedure::text as name from pg_proc p where p.pronamespace = 'public'::regnamespace
)
select line from (
  select concat_ws(' ', 'table', name, relkind, relpersistence, reloptions, pg_get_partkeydef(oid),
    pg_get_expr(relpartbound, oid)) from tables
  union all
  select concat_ws(' ', 'column', t.name || '.' || a.attname, format_type(a.atttypid, a.atttypmod), a.attcollation::regcollation,
      case when a.attnotnull then 'not null' end, pg_get_expr(d.adbin, d.adrelid), a.attidentity, a.attgenerated, a.attoptions,
      a.attstorage, a.attcompression, to_jsonb(a) ->> 'attstattarget')
    from tables t join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
    left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
  union all
  select concat_ws(' ', 'constraint', t.name, case when not t.relispartition then c.conname end, pg_get_constraintdef(c.oid),
      c.convalidated)
    from tables t join pg_constraint c on c.conrelid = t.oid where c.contype <> 'n'
  union all
  select concat_ws(' ', 'index', t.name, case when t.relispartition then regexp_replace(pg_get_indexdef(i.oid), 'INDEX \\S+ ', '')
      else pg_get_indexdef(i.oid) end, i.reloptions, x.indisvalid)
    from tables t join pg_index x on x.indrelid = t.oid join pg_class i on i.oid = x.indexrelid
  union all
  select concat_ws(' ', 'trigger', t.name, pg_get_triggerdef(g.oid), g.tgenabled)
    from tables t join pg_trigger g on g.tgrelid = t.oid where not g.tgisinternal
  union all
  select concat_ws(' ', 'function', regexp_replace(pg_get_functiondef(oid), '\\s+', ' ', 'g')) from functions
  union all
  select concat_ws(' ', 'view', name, pg_get_viewdef(oid)) from tables where relkind = 'v'
  union all
  select concat_ws(' ', 'sequence', o.name, s.seqtypid::regtype, s.seqstart, s.seqincrement, s.seqcache, s.seqcycle,
      d.refobjid::regclass, d.refobjsubid is not null)
    from ours o join pg_sequence s on s.seqrelid = o.oid
    left join pg_depend d on d.objid = o.oid and d.deptype in ('a', 'i') and d.refobjsubid > 0
  union all
  select concat_ws(' ', 'statistics', pg_get_statisticsobjdef(oid)) from pg_statistic_ext
    where stxnamespace = 'public'::regnamespace
  union all
  select concat_ws(' ', 'collation', collname, collprovider) from pg_collation where collnamespace = 'public'::regnamespace
  union all
  select concat_ws(' ', 'extension', extname) from pg_extension
  union all
  select concat_ws(' ', 'right', o.name, r.grantee::regrole, r.privilege_type)
    from ours o cross join lateral aclexplode(o.relacl) r where o.relkind in ('r', 'p', 'S', 'v')
  union all
  select concat_ws(' ', 'right', f.name, case r.grantee when 0 then 'public' else r.grantee::regrole::text end, r.privilege_type)
    from functions f cross join lateral aclexplode(coalesce(f.proacl, acldefault('f', f.proowner))) r
  union all
  select concat_ws(' ', 'rows', 'installation', count(*)) from installation
) lines (line)
order by line collate "C"`;
