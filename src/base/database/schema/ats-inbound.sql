-- What comes in from ATSs by webhooks and polls, and the records here that it became.

-- An inbound event as it came, in months (see operations.sql). Half of each page is left, so that a verdict changes the row
-- within its page.
create table ats_events (
  tenant_id text collate "C" not null,
  connection_id text collate "C" not null,
  id text collate "C" not null,
  at timestamptz not null,
  name text,
  occurred_at timestamptz,
  kind text collate "C",
  remote_id text collate "C",
  -- Whether its signature was checked; an unsigned event makes the ATS be asked.
  signed boolean not null default false,
  content_type text,
  headers json,
  body bytea,
  state text collate "C" not null,
  reason text,
  detail text,
  tries int not null default 0,
  decided_at timestamptz,
  primary key (tenant_id, connection_id, id, at)
) partition by range (at);
create table ats_events_default partition of ats_events default with (fillfactor = 50);
-- The id follows: events of a record are listed in its order.
create index ats_events_record on ats_events (tenant_id, connection_id, remote_id, id) where remote_id is not null;

-- The key of an inbound event: the same event is not taken twice. `at` is the first moment of a month: the key is unique in it,
-- and the month before is looked at as well.
create table ats_event_keys (
  tenant_id text collate "C" not null,
  connection_id text collate "C" not null,
  key bytea not null,
  at timestamptz not null,
  primary key (tenant_id, connection_id, key, at)
) partition by range (at);
create table ats_event_keys_default partition of ats_event_keys default;

-- An inbound event that waits or has failed. An index on the state of `ats_events` would make each verdict a copy of the whole
-- row: the verdict of 10 000 events wrote 27 MB of log, and writes 1.6 MB.
create table ats_open_events (
  tenant_id text collate "C" not null,
  connection_id text collate "C" not null,
  failed boolean not null,
  id text collate "C" not null,
  at timestamptz not null,
  bytes int not null,
  primary key (tenant_id, connection_id, failed, id)
);

-- A record of an ATS, and the record here that it became.
create table ats_records (
  tenant_id text collate "C" not null,
  connection_id text collate "C" not null,
  kind text collate "C" not null,
  remote_id text collate "C" not null,
  record_id text collate "C",
  state text collate "C" not null,
  -- The record of the ATS that it was merged into.
  survivor_id text collate "C",
  changed_at timestamptz not null,
  -- The clock of the person's own data.
  person_at timestamptz,
  brought_by text not null,
  -- The last full pass that met it.
  seen_in text collate "C",
  primary key (tenant_id, connection_id, kind, remote_id)
) with (fillfactor = 85);
create index ats_records_record on ats_records (tenant_id, record_id) where record_id is not null;
create index ats_records_polled on ats_records (tenant_id, connection_id, changed_at) where brought_by = 'poll';
create index ats_records_survivor on ats_records (tenant_id, connection_id, survivor_id) where survivor_id is not null;

-- When a connection is polled next, and the pass that is under way.
create table ats_syncs (
  tenant_id text collate "C" not null,
  connection_id text collate "C" not null,
  next_at timestamptz not null,
  full_at timestamptz not null,
  reason text not null,
  pass json,
  missing_told_at timestamptz,
  primary key (tenant_id, connection_id)
) with (fillfactor = 50);
-- The next sync that is due is looked for over all tenants, and claimed within one.
create index ats_syncs_next on ats_syncs (next_at);

-- How far the polls of one kind of record have come.
create table ats_polls (
  tenant_id text collate "C" not null,
  connection_id text collate "C" not null,
  kind text collate "C" not null,
  since timestamptz,
  sync_token text,
  full_at timestamptz,
  primary key (tenant_id, connection_id, kind)
);

-- A pass of polls, with what it took and left out.
create table ats_runs (
  tenant_id text collate "C" not null,
  connection_id text collate "C" not null,
  id text collate "C" not null,
  reason text not null,
  is_full boolean not null,
  state text not null,
  phase text,
  counts json not null,
  left_out json not null,
  error text,
  started_at timestamptz not null,
  finished_at timestamptz,
  primary key (tenant_id, connection_id, id)
) with (fillfactor = 70);
