-- Changes of users, which the platform and the feed of events receive.

-- A change of a user. `kind` and the like have no check: one statement writes them, from a closed type, and PostgreSQL reads a
-- check from its text at every execution.
create table changes (
  tenant_id text collate "C" not null,
  -- As for events (engine.sql): the xid before the sequence.
  sequence bigint not null default case when pg_current_xact_id() is not null then nextval('change_sequence') end,
  user_id text collate "C" not null,
  kind text not null,
  -- Whether it was a link with a directory.
  linked boolean not null default false,
  forwarded boolean not null,
  changed text[] not null,
  person jsonb not null,
  -- The status of the user then, which events show.
  status text,
  source jsonb not null,
  -- What led to it, and where a new role comes from.
  cause jsonb,
  received_at timestamptz not null,
  occurred_at timestamptz not null default clock_timestamp(),
  sessions_ended_at timestamptz,
  -- An admin has given up its delivery.
  dismissed jsonb,
  primary key (tenant_id, sequence)
);
create index changes_user on changes (tenant_id, user_id, sequence);
create index changes_departures on changes (tenant_id, sequence) where kind in ('deactivated', 'deleted');
alter table changes alter column tenant_id set (n_distinct = 10);

-- Up to which change the changes of a tenant are in the totals of their hours (engine.sql).
create table counted_changes (
  tenant_id text collate "C" primary key references tenants (id),
  sequence bigint not null default 0
);

-- A user that a comparison with the platform has met in the platform's list so far. Emptied when the comparison ends.
create table task_seen (
  tenant_id text collate "C" not null,
  task_id text collate "C" not null,
  user_id text collate "C" not null,
  primary key (tenant_id, task_id, user_id),
  foreign key (tenant_id, task_id) references tasks (tenant_id, id) on delete cascade
);
