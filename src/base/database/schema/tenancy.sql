-- Tenants: customers, their roles, their API keys, their audit log, and the bytes that they store.

-- A tenant: one customer. Keys of all its rows lead with its id.
create table tenants (
  id text collate "C" primary key,
  name text not null,
  -- Pages on which other companies approve something show the former name too.
  former_name text,
  name_changed_at timestamptz,
  time_zone text not null default 'UTC',
  -- An address of its own, which no other tenant has (tenant_addresses); null: the address of the installation.
  base_url text collate "C",
  -- Where its users get help with sign-in.
  help_url text,
  owner_user_id text collate "C",
  -- Users that always can sign in without an IdP, and that no directory deactivates.
  break_glass text[] not null default '{}',
  api_may_write_directory_users boolean not null default false,
  -- Since when the seat ledger has lines of a holder's new role, directory or cost centre.
  holder_facts_since timestamptz not null default now(),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create trigger tenants_told after update or delete on tenants for each row execute function tell_settings();

-- The tenant of a base address: a request is recognised by its host before its tenant is known. Like each such table,
-- it is kept apart from the tenant's rows: they can live in another database.
create table tenant_addresses (
  base_url text collate "C" primary key,
  tenant_id text collate "C" not null
);
create trigger tenant_addresses_told after insert or update or delete on tenant_addresses
  for each row execute function tell_settings();

-- A role of the tenant's catalogue.
create table roles (
  tenant_id text collate "C" not null references tenants (id),
  name text not null,
  takes_seat boolean not null,
  -- Whether its holders administer: `none` or `admin`.
  console text not null default 'none',
  created_at timestamptz not null default now(),
  primary key (tenant_id, name)
);
create trigger roles_told after insert or update or delete on roles for each row execute function tell_settings();

-- A key for the API: of a service, or of a user.
create table api_keys (
  tenant_id text collate "C" not null references tenants (id),
  id text collate "C" not null,
  name text not null,
  prefix text not null,
  hash bytea not null,
  scopes text[] not null,
  owner_kind text not null check (owner_kind in ('service', 'person')),
  owner_user_id text collate "C",
  -- The key that this one succeeds.
  replaces_id text collate "C",
  created_by jsonb not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz,
  -- Networks that the key admits requests from; empty: every network.
  allow_from jsonb not null default '[]',
  -- The last request from another network.
  last_refusal jsonb,
  primary key (tenant_id, id),
  unique (tenant_id, hash)
);
create trigger api_keys_told after delete or update of name, scopes, expires_at, revoked_at, allow_from on api_keys
  for each row execute function tell_settings();

-- A stored answer: a request with the same `Idempotency-Key` gets it again.
create table idempotency_keys (
  tenant_id text collate "C" not null references tenants (id),
  credential_id text collate "C" not null,
  key text not null,
  request_hash bytea not null,
  -- Null: the first request is under way.
  status int,
  content_type text,
  response text,
  location text,
  created_at timestamptz not null default now(),
  -- Sealed: what the request committed, for its repetition after a crash.
  committed text,
  primary key (tenant_id, credential_id, key)
);
create index idempotency_keys_age on idempotency_keys (tenant_id, created_at);

-- Refuses each change of a line of a ledger except its sealing. The triggers `…_append_only` call it only for what it refuses.
create function refuse_rewrite() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and old.sequence is null and new.sequence is not null
     and (to_jsonb(new) - array['sequence','previous_hash','hash','count_after','effective_at'])
       = (to_jsonb(old) - array['sequence','previous_hash','hash','count_after','effective_at']) then
    return new;
  end if;
  raise exception '% is append-only', tg_table_name using errcode = 'insufficient_privilege';
end $$;

create sequence audit_sequence;

-- A line of a tenant's audit log. Sealing sets the last three columns, once (see ledger.sql).
create table audit_entries (
  tenant_id text collate "C" not null references tenants (id),
  entry_id bigint not null default nextval('audit_sequence'),
  at timestamptz not null default clock_timestamp(),
  actor jsonb not null,
  action text not null,
  target_type text not null,
  target_id text collate "C" not null,
  before jsonb,
  after jsonb,
  request_id text,
  sequence bigint,
  previous_hash bytea,
  hash bytea,
  primary key (tenant_id, entry_id)
);
create unique index audit_entries_sealed on audit_entries (tenant_id, sequence) where sequence is not null;
create index audit_entries_unsealed on audit_entries (tenant_id, entry_id) where sequence is null;
create index audit_entries_target on audit_entries (tenant_id, target_type, target_id, entry_id);
-- The condition compares columns: a function for each sealed line would be half of the time of a seal.
create trigger audit_entries_append_only before update on audit_entries for each row
  when (old.sequence is not null or new.sequence is null
    or (old.tenant_id, old.entry_id, old.at, old.actor, old.action, old.target_type, old.target_id, old.before, old.after,
        old.request_id)
      is distinct from
       (new.tenant_id, new.entry_id, new.at, new.actor, new.action, new.target_type, new.target_id, new.before, new.after,
        new.request_id))
  execute function refuse_rewrite();
create trigger audit_entries_never_deleted before delete on audit_entries
  for each row execute function refuse_rewrite();
-- Rights of administration that come and go: caches of sessions of the console are dropped on every process.
create trigger audit_entries_told after insert on audit_entries for each row
  when (new.action in ('administrator.added', 'administrator.removed')) execute function tell_settings();
create trigger audit_entries_never_truncated before truncate on audit_entries
  for each statement execute function refuse_change();

-- A line of the installation's audit log: an act of the operator that concerns no tenant.
create table installation_audit (
  entry_id bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  actor jsonb not null,
  action text not null,
  target_type text not null,
  target_id text not null,
  after jsonb,
  request_id text
);
create trigger installation_audit_append_only before update or delete on installation_audit
  for each row execute function refuse_change();
create trigger installation_audit_never_truncated before truncate on installation_audit
  for each statement execute function refuse_change();

-- The bytes that a tenant stores: measured from the tables, and written since then.
create table tenant_storage (
  tenant_id text collate "C" primary key references tenants,
  limit_bytes bigint,
  measured bigint not null default 0,
  written bigint not null default 0,
  -- Of the log of requests, which has a limit of its own.
  log_written bigint not null default 0,
  -- The measured bytes by class of table.
  classes jsonb not null default '{}',
  state text collate "C" not null default 'ok' check (state in ('ok', 'approaching', 'exhausted')),
  measured_at timestamptz,
  due_at timestamptz not null default now() + interval '1 day',
  rest_until timestamptz not null default '-infinity'
) with (fillfactor = 50);
-- The next tenant to measure is looked for over all tenants.
create index tenant_storage_due on tenant_storage (due_at);
create index tenant_storage_states on tenant_storage (tenant_id, state) where state <> 'ok';

-- Measures a tenant's rows of a table piece by piece, in the order of the primary key. The size of a value that is stored
-- outside of its row is read without the value. `last` is where the next piece begins; null: this was the last one.
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
end $$;
