-- Directories: one source of users over SCIM each.

-- A directory. It is never removed: a deleted one keeps its row.
create table directories (
  tenant_id text collate "C" not null references tenants (id),
  id text collate "C" not null,
  name text not null,
  profile text not null check (profile in ('tolerant', 'entra', 'okta', 'strict', 'ipsie')),
  state text not null default 'live' check (state in ('live', 'preview')),
  default_role text,
  -- Whether its `roles` attribute may give a role that administers.
  may_grant_console boolean not null default false,
  -- Whether writes of it are kept in `preview_writes` while it is live: it reads through them then.
  keeps_writes boolean not null default false,
  attribute_map jsonb not null default '{}',
  on_match text not null default 'link' check (on_match in ('link', 'refuse')),
  -- The directory whose users this one takes over.
  takes_over text collate "C",
  replace_creates_missing boolean not null default false,
  guard jsonb not null default '{}',
  -- Networks from which requests come; empty: from everywhere.
  allow_from jsonb not null default '[]',
  -- Attributes of users that the customer declared; a removed one stays, as `removed`.
  custom_attributes jsonb not null default '[]',
  -- When its first day began: a directory that is made again has no second one.
  first_day_from timestamptz not null default now(),
  last_request_at timestamptz,
  last_refusal jsonb,
  -- The last role that it sent and that the tenant's catalogue lacks.
  last_unknown_role jsonb,
  -- Its usual pause between requests, and the last request for which its silence was reported.
  usual_pause_seconds int,
  pauses int not null default 0,
  told_quiet_since timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,
  primary key (tenant_id, id)
);
create index directories_deleted on directories (tenant_id, deleted_at) where deleted_at is not null;
create trigger directories_told after insert or delete or update of name, profile, state, default_role, attribute_map,
  on_match, takes_over, replace_creates_missing, guard, allow_from, custom_attributes, deleted_at, may_grant_console,
  keeps_writes on directories
  for each row execute function tell_settings();

-- The last refused token of a tenant that no directory has: its beginning is that of no token.
create table refused_tokens (
  tenant_id text collate "C" primary key references tenants (id),
  refusal jsonb not null
);

-- A token that names a directory.
create table scim_tokens (
  tenant_id text collate "C" not null,
  id text collate "C" not null,
  directory_id text collate "C" not null,
  name text not null,
  prefix text not null,
  hash bytea not null,
  created_by jsonb not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz,
  primary key (tenant_id, id),
  unique (tenant_id, hash),
  foreign key (tenant_id, directory_id) references directories (tenant_id, id)
);
create index scim_tokens_directory on scim_tokens (tenant_id, directory_id);
create statistics scim_tokens_directory_id_of_tenant (ndistinct, dependencies) on tenant_id, directory_id from scim_tokens;
create trigger scim_tokens_told after delete or update of name, directory_id, expires_at, revoked_at on scim_tokens
  for each row execute function tell_settings();

-- An OAuth client of a directory (RFC 6749 §2). It gets access tokens for a secret, or for an assertion that one of its keys or
-- another issuer has signed (RFC 7523).
create table directory_clients (
  tenant_id text collate "C" not null,
  id text collate "C" not null,
  directory_id text collate "C" not null,
  name text not null,
  kind text not null check (kind in ('secret', 'private_key_jwt', 'federated')),
  -- Of the assertions of a federated client.
  issuer text,
  subject text,
  audience text,
  -- The keys of the assertions, by value or by address.
  jwks jsonb,
  jwks_url text,
  access_token_seconds int not null,
  created_by jsonb not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  revoked_at timestamptz,
  primary key (tenant_id, id),
  foreign key (tenant_id, directory_id) references directories (tenant_id, id),
  check ((kind = 'secret') = (jwks is null and jwks_url is null)),
  check ((kind = 'federated') = (issuer is not null and subject is not null and audience is not null))
);
create index directory_clients_directory on directory_clients (tenant_id, directory_id);
create trigger directory_clients_told after delete or update of name, directory_id, revoked_at on directory_clients
  for each row execute function tell_settings();

-- A secret of a client. Two of a client are valid at the same time, so that a rotation needs no outage.
create table client_secrets (
  tenant_id text collate "C" not null,
  id text collate "C" not null,
  client_id text collate "C" not null,
  prefix text not null,
  hash bytea not null,
  created_by jsonb not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  last_used_at timestamptz,
  revoked_at timestamptz,
  primary key (tenant_id, id),
  unique (tenant_id, hash),
  foreign key (tenant_id, client_id) references directory_clients (tenant_id, id)
);
create index client_secrets_client on client_secrets (tenant_id, client_id);
create trigger client_secrets_told after delete or update of expires_at, revoked_at on client_secrets
  for each row execute function tell_settings();

-- An access token of a client. It ends with the client and with its secret, whose rows are read with it.
create table access_tokens (
  tenant_id text collate "C" not null,
  id text collate "C" not null,
  client_id text collate "C" not null,
  directory_id text collate "C" not null,
  -- The secret that it was given for; null: an assertion.
  secret_id text collate "C",
  hash bytea not null,
  expires_at timestamptz not null,
  primary key (tenant_id, id),
  unique (tenant_id, hash),
  foreign key (tenant_id, client_id) references directory_clients (tenant_id, id)
);
create index access_tokens_client on access_tokens (tenant_id, client_id, id);
create index access_tokens_age on access_tokens (tenant_id, expires_at);
-- The removal of a token that has expired changes nothing.
create trigger access_tokens_told after delete on access_tokens
  for each row when (old.expires_at > now()) execute function tell_settings();

-- The requests of a SCIM token or a client in an hour, for a week.
create table credential_hours (
  tenant_id text collate "C" not null,
  credential_id text collate "C" not null,
  hour timestamptz not null,
  requests int not null,
  -- The IdP that a request of the hour shows.
  dialect text collate "C",
  primary key (tenant_id, credential_id, hour)
);
create index credential_hours_age on credential_hours (tenant_id, hour);
