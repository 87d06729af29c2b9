-- The engine: durable sending to any destination, events, and background tasks.

-- The order of changes, events and writes to ATSs.
create sequence change_sequence;

-- Where something is sent: the platform of a tenant, a webhook endpoint, an ATS. An endpoint's address is in its own table.
create table destinations (
  tenant_id text collate "C" not null references tenants (id),
  channel text collate "C" not null default 'platform',
  id text collate "C" not null default 'main',
  base_url text not null,
  -- The private origin that the operator chose for the tenant.
  operator_origin text,
  key_sealed text,
  key_hint text,
  settings jsonb not null default '{}',
  -- Moves with every change of settings or state by hand: a worker that knows an older one claims nothing.
  version int not null default 1,
  -- Moves with the address: bindings belong to an epoch.
  epoch int not null default 1,
  state text not null default 'ok' check (state in ('ok', 'open', 'paused')),
  state_reason text,
  state_detail text,
  state_since timestamptz not null default now(),
  probes int not null default 0,
  next_probe_at timestamptz,
  refusals jsonb not null default '[]',
  last_success_at timestamptz,
  -- Since when each attempt fails, and which event has reported it.
  failing_since timestamptz,
  failing_stage smallint not null default 0,
  updated_at timestamptz not null default now(),
  primary key (tenant_id, channel, id)
);

-- A lane: what is to be sent to a destination about one subject, in order. It has what the destination should come to know
-- (target), and what the destination is known to have (confirmed). While `calling`, something is being said and must be
-- repeated word for word until its outcome is known: it is frozen in `call`.
create table lanes (
  tenant_id text collate "C" not null,
  channel text collate "C" not null default 'platform',
  destination text collate "C" not null default 'main',
  subject text collate "C" not null,
  state text not null,
  target_state text not null check (target_state in ('active', 'inactive', 'deleted')),
  target_body text not null,
  -- The order of claims: leavers 0, live changes 1, what is sent again in the background 2.
  rank smallint not null,
  first_pending bigint,
  last_pending bigint not null,
  pending_since timestamptz,
  -- Since when the target is newer than the call that is out.
  newer_since timestamptz,
  -- Tells a request to send again from the call that was already out.
  round int not null default 0,
  -- The address that the binding belongs to.
  epoch int not null default 0,
  call json,
  call_count int not null default 0,
  lease_token uuid,
  next_at timestamptz not null default '-infinity',
  -- The account at the destination: its id where it is bound, and what to ask for where it is not known.
  account text not null default 'none',
  platform_id text collate "C",
  lookup jsonb,
  confirmed_state text,
  confirmed_digest text,
  confirmed_through bigint not null default 0,
  confirmed_at timestamptz,
  failure_count int not null default 0,
  -- Those that were not the destination's fault.
  own_failure_count int not null default 0,
  failed_at timestamptz,
  parked_reason text,
  parked_detail text,
  primary key (tenant_id, channel, destination, subject),
  -- Each state says which columns have a value.
  constraint lane_state check (case state
    when 'idle' then first_pending is null and pending_since is null and newer_since is null and call is null
      and lease_token is null and parked_reason is null and next_at = '-infinity'
    when 'due' then first_pending is not null and lease_token is null and parked_reason is null and next_at = '-infinity'
    when 'calling' then first_pending is not null and lease_token is not null and call is not null
      and parked_reason is null and next_at > '-infinity'
    when 'backing_off' then first_pending is not null and lease_token is null and parked_reason is null
      and next_at > '-infinity'
    when 'parked' then first_pending is not null and lease_token is null and parked_reason is not null
      and next_at = '-infinity'
    else false end),
  constraint lane_account check ((account = 'bound') = (platform_id is not null)
    and account in ('bound', 'none', 'unnamed', 'lost', 'sought'))
) with (fillfactor = 45, autovacuum_vacuum_scale_factor = 0.05);
-- A claim changes no column of these indexes and conditions, so it writes no index.
create index lanes_due on lanes (tenant_id, channel, destination, rank, first_pending)
  where first_pending is not null and parked_reason is null;
create index lanes_parked on lanes (tenant_id, channel, destination, failed_at) where parked_reason is not null;
create index lanes_platform_id on lanes (tenant_id, channel, destination, platform_id) where platform_id is not null;
create index lanes_outdated on lanes (tenant_id, channel, destination) where newer_since is not null;
-- The planner plans for the average, and a thousand small tenants hide a large one. So a set statistic gives each value a tenth
-- of the table; for a small tenant the other plan costs as little. The same is set for other large tables.
alter table lanes alter column tenant_id set (n_distinct = 10);

-- How many calls a destination took in each of its last minutes.
create table delivered_minutes (
  tenant_id text collate "C" not null,
  channel text collate "C" not null,
  destination text collate "C" not null,
  minute timestamptz not null,
  delivered int not null,
  primary key (tenant_id, channel, destination, minute)
) with (fillfactor = 50);

-- What happened between the bridge and a destination, by hour. `lags` counts confirmed calls by class of their lag.
create table delivery_hours (
  tenant_id text collate "C" not null,
  channel text collate "C" not null,
  destination text collate "C" not null,
  hour timestamptz not null,
  accepted int not null,
  confirmed int not null,
  failed int not null,
  parked int not null,
  lags int[] not null,
  primary key (tenant_id, channel, destination, hour)
) with (fillfactor = 50);

-- An attempt: one request to a destination. In months, which are dropped when their retention is over (see operations.sql).
create table attempts (
  tenant_id text collate "C" not null,
  channel text collate "C" not null default 'platform',
  destination text collate "C" not null default 'main',
  subject text collate "C" not null,
  first_sequence bigint not null,
  last_sequence bigint not null,
  at timestamptz not null default now(),
  n smallint not null,
  delivery_id text not null,
  method text not null,
  path text not null,
  -- The address that was dialled.
  address text,
  status int,
  outcome text not null,
  fault text,
  detail text,
  answer text,
  duration_ms int not null,
  sent_at timestamptz not null,
  primary key (tenant_id, subject, last_sequence, at, n)
) partition by range (at);
create table attempts_default partition of attempts default;
-- Lists of the requests to one endpoint. Those to the platform are many, and found by their subject.
create index attempts_endpoints on attempts (tenant_id, channel, destination, at desc) where channel <> 'platform';

-- An event of a tenant, in months. `json` keeps data unchanged: `jsonb` sorts keys and rewrites numbers. It has no
-- foreign key to its tenant: the look at it took an eighth of the database's time of a new candidate.
create table events (
  tenant_id text collate "C" not null,
  -- A transaction has its xid before it draws a sequence: when all older xids are over, no lower sequence is still to come.
  -- `case` keeps that order.
  sequence bigint not null default case when pg_current_xact_id() is not null then nextval('change_sequence') end,
  at timestamptz not null default now(),
  event text not null,
  -- The record that it is about.
  record text collate "C",
  data json not null,
  primary key (tenant_id, sequence, at)
) partition by range (at);
create table events_default partition of events default;
create index events_record on events (tenant_id, record, sequence) where record is not null;

-- A threshold that was passed: its event is recorded once, over all months.
create table event_thresholds (
  tenant_id text collate "C" not null references tenants (id),
  threshold text collate "C" not null,
  passed_at timestamptz not null default now(),
  primary key (tenant_id, threshold)
);

-- The highest sequence of a tenant whose event was dropped with its month.
create table event_floors (
  tenant_id text collate "C" primary key references tenants (id),
  sequence bigint not null
);

-- The horizon of the feed: the last sequence that was drawn, then a transaction id, then which transactions are open. A
-- volatile function has a new snapshot for each step.
create function event_mark(p_known bigint, out last bigint, out own bigint, out oldest bigint, out started text)
  language plpgsql volatile as $$
begin
  last := coalesce(pg_sequence_last_value('change_sequence'), 0);
  if last <> p_known then own := pg_current_xact_id()::text::bigint; end if;
  oldest := pg_snapshot_xmin(pg_current_snapshot())::text::bigint;
  started := pg_postmaster_start_time()::text;
end $$;

-- A task: work in the background that a caller can follow.
create table tasks (
  tenant_id text collate "C" not null references tenants (id),
  id text collate "C" not null,
  kind text not null,
  state text not null default 'waiting' constraint tasks_state
    check (state in ('waiting', 'running', 'done', 'failed', 'cancelled')),
  directory_id text collate "C",
  payload jsonb not null,
  done int not null default 0,
  total int,
  result jsonb,
  error text,
  -- In a row.
  failures int not null default 0,
  lease_until timestamptz,
  created_by jsonb not null,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  finished_at timestamptz,
  primary key (tenant_id, id)
);
create index tasks_open on tasks (tenant_id, created_at) where state in ('waiting', 'running');
create index tasks_of_directory on tasks (tenant_id, directory_id, id) where directory_id is not null;

-- An item that a task has left out, with the reason.
create table task_left_out (
  tenant_id text collate "C" not null,
  task_id text collate "C" not null,
  item_id text collate "C" not null,
  item jsonb not null,
  reason text not null,
  detail text not null,
  at timestamptz not null default now(),
  primary key (tenant_id, task_id, item_id),
  foreign key (tenant_id, task_id) references tasks (tenant_id, id) on delete cascade
);

-- Background work: which process has a piece, until when it rests, and when work with an interval is due. What else is due is in
-- the tables of the rooms. Work of the installation has no tenant and no id.
create table work_entries (
  tenant_id text collate "C" not null,
  kind text collate "C" not null,
  id text collate "C" not null,
  -- The end of the lease, or of the rest.
  free_at timestamptz not null,
  due_at timestamptz,
  holder text,
  held_since timestamptz not null default now(),
  server text,
  -- In a row.
  failures int not null default 0,
  reason text,
  primary key (tenant_id, kind, id)
) with (fillfactor = 50);
