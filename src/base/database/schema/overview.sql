-- What is read across the other houses: the log of requests.

-- A short number for a directory or a SCIM token in the log: each row has both, and their ids would be a fifth of its bytes. The
-- numbers stay after the directory and the token.
create table request_sources (
  tenant_id text collate "C" not null,
  source text collate "C" not null,
  number int generated always as identity,
  primary key (tenant_id, source)
);
create unique index request_sources_number on request_sources (tenant_id, number);

-- A SCIM request, in months (see operations.sql). `at` is the time in the id, so an id leads to its row. Ids of users and groups
-- refer to no row: a request stays after its user. Numbers come first: after texts they would be padded.
create table requests (
  at timestamptz not null,
  directory int not null,
  credential int not null,
  duration_ms real not null,
  body_bytes int,
  status smallint not null,
  tenant_id text collate "C" not null,
  -- Of an operation of a Bulk request the id of the request, a dot and the place.
  id text collate "C" not null,
  method text collate "C" not null,
  -- Without the query; of a value of the caller its name, such as `:id`. `{id}` is `user_id` or `group_id`.
  path text collate "C" not null,
  -- The IdP that the request shows.
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
  -- Of a refused request that names no user of ours: the user of its body.
  user_name text,
  primary key (tenant_id, at, id)
) partition by range (at);
create table requests_default partition of requests default;
-- An id of a user and a number of a directory belong to one tenant alone. The tenant would be a third of the bytes of an entry.
create index requests_user on requests (user_id, at) where user_id is not null;
create index requests_directory on requests (directory, at);
create index requests_user_name on requests (tenant_id, lower(user_name), at) where user_name is not null;

-- The body of a request, without secrets. It has a table of its own because it is kept for a shorter time.
create table request_bodies (
  tenant_id text collate "C" not null,
  at timestamptz not null,
  id text collate "C" not null,
  body text not null,
  primary key (tenant_id, at, id)
) partition by range (at);
create table request_bodies_default partition of request_bodies default;
