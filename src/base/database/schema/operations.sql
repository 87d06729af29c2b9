-- The installation, and upkeep that PostgreSQL allows to the owner of a table alone: functions with the owner's rights.

-- The installation itself, in one row. `generation` moves after changes of users, and is written down outside the database too:
-- a database that was put back to an earlier state is behind it.
create table installation (
  one boolean primary key default true check (one),
  id uuid not null default gen_random_uuid(),
  generation bigint not null default 0,
  last_sequence bigint not null default 0,
  restored_at timestamptz
);
insert into installation default values;

-- The processes of the last day. Each shows itself every 30 seconds.
create table processes (
  id uuid primary key,
  name text not null,
  role text not null,
  version text not null,
  started_at timestamptz not null default now(),
  seen_at timestamptz not null default now()
);

-- Updates the planner's statistics of a grown table. Plans need the order of magnitude alone, and a sample of 6 000 rows in
-- place of 30 000 tells it. Names are quoted, and only tables of this schema qualify.
create function analyze_table(p_table text, p_columns text[]) returns void
language plpgsql security definer set search_path from current set default_statistics_target = 20 as $$
begin
  perform 1 from pg_class where relnamespace = current_schema()::regnamespace and relname = p_table
    and relkind in ('r', 'p');
  if not found then raise exception 'no table %', p_table using errcode = 'undefined_table'; end if;
  execute format('analyze %I (%s)', p_table,
    (select string_agg(format('%I', name), ', ') from unnest(p_columns) as name));
end $$;
revoke all on function analyze_table(text, text[]) from public;

-- Makes a month of a table. Rows that came while there was no such month wait in the default partition, and move. The lock keeps
-- rows out between the move and the attachment, which one of the two would fail by.
create function make_month(p_table text, p_month date) returns void
language plpgsql security definer set search_path from current as $$
declare
  part text := p_table || to_char(p_month, '_YYYY_MM');
  first timestamptz := date_trunc('month', p_month::timestamp) at time zone 'UTC';
  next timestamptz := (date_trunc('month', p_month::timestamp) + interval '1 month') at time zone 'UTC';
begin
  if p_table not in ('attempts', 'sign_ins', 'events', 'ats_events', 'ats_event_keys', 'requests', 'request_bodies') then
    raise exception '% has no months', p_table using errcode = 'insufficient_privilege';
  end if;
  perform pg_advisory_xact_lock(7234502818);
  if to_regclass(format('%I.%I', current_schema(), part)) is not null then return; end if;
  execute format('lock table %I in access exclusive mode', p_table || '_default');
  execute format('create table %I (like %I including defaults including constraints)', part, p_table);
  if p_table = 'ats_events' then execute format('alter table %I set (fillfactor = 50)', part); end if;
  execute format('with moved as (delete from %I where at >= %L and at < %L returning *)
    insert into %I select * from moved', p_table || '_default', first, next, part);
  execute format('alter table %I attach partition %I for values from (%L) to (%L)', p_table, part, first, next);
end $$;
revoke all on function make_month(text, date) from public;

-- Drops a month of a table that ended at least a day ago, which is the shortest retention: with the rights of the service nothing
-- of the present month can be removed.
create function drop_month(p_table text, p_name text) returns void
language plpgsql security definer set search_path from current as $$
begin
  perform 1 from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
  where p.relnamespace = current_schema()::regnamespace and p.relname = p_table and c.relname = p_name
    and p_table in ('attempts', 'sign_ins', 'events', 'ats_events', 'ats_event_keys', 'requests', 'request_bodies')
    and p_name ~ '_\d{4}_\d\d$';
  if not found then
    raise exception '% is no month of %', p_name, p_table using errcode = 'insufficient_privilege';
  end if;
  if to_date(right(p_name, 7), 'YYYY_MM') + interval '1 month' > now() at time zone 'UTC' - interval '1 day' then
    raise exception '% is too young to be dropped', p_name using errcode = 'insufficient_privilege';
  end if;
  execute format('drop table %I', p_name);
end $$;
revoke all on function drop_month(text, text) from public;

-- The first months. The background work makes the others ahead of time.
select make_month(of_table, (moment at time zone 'UTC')::date)
from unnest(array['attempts', 'sign_ins', 'events', 'ats_events', 'ats_event_keys', 'requests', 'request_bodies']) of_table,
  unnest(array[now(), now() + interval '1 month']) moment;
