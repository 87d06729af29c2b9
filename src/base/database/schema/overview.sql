-- What is read across the other houses: the log of requests.

-- A SCIM request, in months (see operations.sql). `at` is the time in the id, so an id leads to its row. Ids of users and groups
-- refer to no row: a request stays after its user.
create table requests (
  tenant_id text collate "C" not null,
  at timestamptz not null,
  id text collate "C" not null,
  directory_id text collate "C" not null,
  credential_id text collate "C" not null,
  method text collate "C" not null,
  -- Without the query; of a value of the caller its name, such as `:id`.
  path text collate "C" not null,
  status smallint not null,
  duration_ms real not null,
  -- The profile by which the body was read; null: the request was refused before.
  dialect text collate "C",
  user_id text collate "C",
  group_id text collate "C",
  -- Of a write that was accepted.
  outcome text collate "C",
  held text collate "C",
  linked_by text collate "C",
  -- Of a refusal.
  code text collate "C",
  scim_type text collate "C",
  -- Why it was refused; of a Bulk request its operations.
  detail text,
  body_bytes int,
  primary key (tenant_id, at, id)
) partition by range (at);
create table requests_default partition of requests default;
create index requests_user on requests (tenant_id, user_id, at, id) where user_id is not null;
create index requests_directory on requests (tenant_id, directory_id, at);

-- The body of a request, without secrets. It has a table of its own because it is kept for a shorter time.
create table request_bodies (
  tenant_id text collate "C" not null,
  at timestamptz not null,
  id text collate "C" not null,
  body text not null,
  primary key (tenant_id, at, id)
) partition by range (at);
create table request_bodies_default partition of request_bodies default;
