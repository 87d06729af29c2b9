-- Ground: what the houses above share. The files of this folder are the whole schema as it is, and run in the order of
-- ../schema.ts on an empty database. A database that has rows already is brought here by migrations (../migrations).
--
-- In all files: ids and keys are compared byte by byte (`collate "C"`), under every locale of the server. A column
-- `…_sealed` is encrypted with a key of the installation, a column `…_hash` or `hash` is SHA-256 of a secret that is not kept.

-- Case mapping that does not depend on the operating system. Before PostgreSQL 17 there is no builtin provider.
do $$ begin
  if current_setting('server_version_num')::int >= 170000 then
    create collation scim_text (provider = builtin, locale = 'C.UTF-8');
  else
    create collation scim_text (provider = libc, locale = 'C.utf8');
  end if;
end $$;

-- A migration that has run, or that the schema contained when this database was made.
create table migrations (
  id serial not null,
  timestamp bigint not null,
  name varchar not null,
  -- The name that TypeORM gives it.
  constraint "PK_8c82d7f526340ab734260ea46be" primary key (id)
);

-- Always empty: written to and rolled back, to see whether a disk that was full has room again.
create table storage_probe (
  filler text not null
);

-- Tells every process of changed settings, with the commit: caches hold until this message. Triggers `…_told` call it.
-- Tables of users have none, since commits that notify wait for each other. Marks of use, such as `last_used_at`, tell nothing.
create function tell_settings() returns trigger language plpgsql as $$
declare
  changed jsonb := case tg_op when 'DELETE' then to_jsonb(old) else to_jsonb(new) end;
begin
  perform pg_notify('talent_bridge_settings', concat_ws(' ', tg_table_name,
    coalesce(changed ->> 'tenant_id', changed ->> 'id'), changed ->> 'id'));
  return null;
end $$;

-- Refuses what would change a table that is only added to.
create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only: % is refused', tg_table_name, lower(tg_op)
    using errcode = 'insufficient_privilege';
end $$;

-- When the oldest transaction of the service began. PostgreSQL shows `xact_start` only to roles with the rights of the login.
-- Connections that step down from the owner's login do not have them, so the owner looks.
create function oldest_work() returns timestamptz language sql volatile security definer set search_path from current as $$
  select min(xact_start) from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid() and usename = session_user $$;
revoke all on function oldest_work() from public;
