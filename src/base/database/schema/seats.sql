-- Seats: the limit of a tenant, and the ledger of its seats.

-- The seat limit of a tenant, and what happens where no seat is free, by channel.
create table seat_limits (
  tenant_id text collate "C" primary key references tenants (id),
  -- Null: no limit.
  seat_limit int check (seat_limit >= 0),
  directory_policy text not null default 'wait' check (directory_policy in ('wait', 'block', 'allow')),
  api_policy text not null default 'block' check (api_policy in ('wait', 'block', 'allow')),
  sign_in_policy text not null default 'wait' check (sign_in_policy in ('wait', 'block', 'allow')),
  approaching_at numeric not null default 0.9,
  -- Whether a seat is counted: never, without a lock while many are free, or under a lock.
  mode text not null default 'unlimited' check (mode in ('unlimited', 'open', 'exact')),
  updated_at timestamptz not null default now()
);
create index seat_limits_counting on seat_limits (tenant_id) where mode = 'exact';
create trigger seat_limits_told after insert or update or delete on seat_limits
  for each row execute function tell_settings();

create sequence seat_entry_sequence;

-- A line of the seat ledger. Sealing sets the last five columns, once (see ledger.sql).
create table seat_entries (
  tenant_id text collate "C" not null,
  entry_id bigint not null default nextval('seat_entry_sequence'),
  -- `update`: a holder's new role, directory or cost centre, with a delta of 0.
  kind text not null constraint seat_entries_kind_check
    check (kind in ('claim', 'release', 'update', 'limit', 'policy', 'opening', 'repair', 'correction')),
  -- Null: the line is about the limit or the policy.
  user_id text collate "C",
  delta smallint not null check (delta between -1 and 1),
  role text,
  directory_id text collate "C",
  cost_center text,
  details jsonb,
  reason text not null,
  source jsonb not null,
  occurred_at timestamptz not null default clock_timestamp(),
  sequence bigint,
  count_after int,
  effective_at timestamptz,
  previous_hash bytea,
  hash bytea,
  primary key (tenant_id, entry_id)
) with (fillfactor = 70);
create unique index seat_entries_sealed on seat_entries (tenant_id, sequence) where sequence is not null;
create index seat_entries_unsealed on seat_entries (tenant_id, entry_id) include (delta) where sequence is null;
create index seat_entries_user on seat_entries (tenant_id, user_id, sequence);
create index seat_entries_moment on seat_entries (tenant_id, effective_at, sequence) where effective_at is not null;
-- As for audit_entries: the condition compares columns, because sealing is part of each write.
create trigger seat_entries_append_only before update on seat_entries for each row
  when (old.sequence is not null or new.sequence is null
    or (old.tenant_id, old.entry_id, old.kind, old.user_id, old.delta, old.role, old.directory_id, old.cost_center,
        old.details, old.reason, old.source, old.occurred_at)
      is distinct from
       (new.tenant_id, new.entry_id, new.kind, new.user_id, new.delta, new.role, new.directory_id, new.cost_center,
        new.details, new.reason, new.source, new.occurred_at))
  execute function refuse_rewrite();
create trigger seat_entries_never_deleted before delete on seat_entries
  for each row execute function refuse_rewrite();
create trigger seat_entries_never_truncated before truncate on seat_entries
  for each statement execute function refuse_change();
