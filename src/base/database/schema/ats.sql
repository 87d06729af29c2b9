-- Connections to ATSs, how their webhooks are let in, how they are connected in a browser, and what is written there.

-- A connection to an ATS.
create table ats_connections (
  tenant_id text collate "C" not null references tenants (id),
  id text collate "C" not null,
  provider text not null,
  name text not null,
  region text not null,
  -- Null: the address of the region.
  base_url text,
  -- What this service writes beside its texts in the ATS, to find them again.
  marker text collate "C" not null,
  state text not null,
  state_reason text,
  state_since timestamptz not null default now(),
  paused boolean not null default false,
  takes json not null,
  writes json not null,
  approved_by text,
  credential_sealed text,
  granted_scopes text[],
  -- When a grant that would end unused is renewed.
  renew_at timestamptz,
  created_by jsonb not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id)
);
create unique index ats_connections_marker on ats_connections (tenant_id, marker);
-- The next grant to keep alive is looked for over all tenants.
create index ats_connections_renew on ats_connections (renew_at) where renew_at is not null;
create trigger ats_connections_told after insert or delete or update on ats_connections
  for each row execute function tell_settings();

-- A present problem of a connection.
create table ats_problems (
  tenant_id text collate "C" not null,
  connection_id text collate "C" not null,
  problem text collate "C" not null,
  detail text not null,
  since timestamptz not null default now(),
  primary key (tenant_id, connection_id, problem),
  foreign key (tenant_id, connection_id) references ats_connections (tenant_id, id) on delete cascade
);

-- A token in the address of a webhook.
create table ats_tokens (
  tenant_id text collate "C" not null,
  connection_id text collate "C" not null,
  id text collate "C" not null,
  hint text not null,
  -- Whether this service has registered the webhook.
  made boolean not null default false,
  created_at timestamptz not null default now(),
  primary key (tenant_id, connection_id, id),
  foreign key (tenant_id, connection_id) references ats_connections (tenant_id, id) on delete cascade
);

-- The connection of a token's hash: an ATS names itself by its token alone, before its tenant is known. It stands apart from the
-- tenant's rows, without a foreign key.
create table ats_token_hashes (
  provider text collate "C" not null,
  hash bytea not null,
  tenant_id text collate "C" not null,
  connection_id text collate "C" not null,
  token_id text collate "C" not null,
  primary key (provider, hash)
);
create unique index ats_token_hashes_token on ats_token_hashes (tenant_id, connection_id, token_id);
create trigger ats_token_hashes_told after insert or update or delete on ats_token_hashes
  for each row execute function tell_settings();

-- A secret by which an ATS signs its webhooks.
create table ats_signing_secrets (
  tenant_id text collate "C" not null,
  connection_id text collate "C" not null,
  id text collate "C" not null,
  sealed text not null,
  remote_id text,
  event text,
  created_at timestamptz not null default now(),
  primary key (tenant_id, connection_id, id),
  foreign key (tenant_id, connection_id) references ats_connections (tenant_id, id) on delete cascade
);
create trigger ats_signing_secrets_told after insert or update or delete on ats_signing_secrets
  for each row execute function tell_settings();

-- The pace of calls of a connection. Written before each call and worth nothing after a crash, so it is not logged: its commits
-- wait for no disk. It stands apart from the tenant's rows, which are logged and can be replicated.
create unlogged table ats_paces (
  tenant_id text collate "C" not null,
  connection_id text collate "C" not null,
  arrival timestamptz not null,
  paused_until timestamptz,
  primary key (tenant_id, connection_id)
) with (fillfactor = 50);

-- A link by which a person without an account here connects an ATS.
create table ats_connect_links (
  tenant_id text collate "C" not null references tenants (id),
  id text collate "C" not null,
  hash bytea not null,
  provider text not null,
  created_by jsonb not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at timestamptz,
  revoked_at timestamptz,
  primary key (tenant_id, id)
);
create unique index ats_connect_links_hash on ats_connect_links (tenant_id, hash);

-- An authorization in a browser that is under way: of a user, or of the holder of a link.
create table ats_authorizations (
  tenant_id text collate "C" not null references tenants (id),
  hash bytea not null,
  provider text not null,
  browser_hash bytea not null,
  user_id text collate "C",
  link_id text collate "C",
  connection_id text collate "C",
  expires_at timestamptz not null,
  used_at timestamptz,
  primary key (tenant_id, hash)
);
-- Those that have ended are removed over all tenants.
create index ats_authorizations_expired on ats_authorizations (expires_at);

-- The lease of the process that renews a grant.
create table ats_renewals (
  tenant_id text collate "C" not null,
  connection_id text collate "C" not null,
  holder text not null,
  until timestamptz not null,
  primary key (tenant_id, connection_id),
  foreign key (tenant_id, connection_id) references ats_connections (tenant_id, id) on delete cascade
);

-- A write to an ATS. It holds ids and the marker; the text is made from the scorecard when it is sent.
create table ats_writes (
  tenant_id text collate "C" not null,
  id text collate "C" not null,
  connection_id text collate "C" not null,
  candidate_id text collate "C" not null,
  interview_id text collate "C" not null,
  kind text collate "C" not null,
  action text collate "C" not null,
  revision int not null,
  -- The order of a candidate's writes, drawn while the candidate is locked.
  sequence bigint not null default nextval('change_sequence'),
  state text collate "C" not null,
  target text,
  marker text not null,
  remote_ref text,
  attempts int not null default 0,
  attempted_at timestamptz,
  -- Keeps a second process from a call that may still take effect.
  busy_until timestamptz,
  written_at timestamptz,
  reason text,
  detail text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id)
) with (fillfactor = 80);
create unique index ats_writes_revision on ats_writes (tenant_id, connection_id, interview_id, kind, revision);
create index ats_writes_next on ats_writes (tenant_id, connection_id, candidate_id, sequence) where state = 'waiting';
-- The id follows in the indexes of lists, which are in the order of ids.
create index ats_writes_listed on ats_writes (tenant_id, connection_id, id);
create index ats_writes_state on ats_writes (tenant_id, connection_id, state, id);
create index ats_writes_candidate on ats_writes (tenant_id, candidate_id, id);
