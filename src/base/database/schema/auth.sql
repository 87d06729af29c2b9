-- Sign-in: connections to IdPs, verified domains, sign-ins under way, tokens, and the log.

-- A connection to an IdP. A deleted one keeps its row.
create table connections (
  tenant_id text collate "C" not null references tenants (id),
  id text collate "C" not null,
  slug text collate "C" not null,
  name text not null,
  type text not null check (type in ('oidc', 'saml')),
  enabled boolean not null,
  version int not null default 1,
  -- The directory whose users sign in through it.
  directory_id text collate "C",
  settings jsonb not null,
  client_secret_sealed text,
  private_key_sealed text,
  -- The last time at which a sign-in succeeded with the present settings.
  tested_at timestamptz,
  metadata_checked_at timestamptz,
  metadata_problem text,
  -- The last wait for metadata because of a signature of an unknown key: when it began, when it ended (null: it is under way,
  -- or there was none), and when the three before it began.
  doubted_at timestamptz,
  doubt_ended_at timestamptz,
  earlier_doubts timestamptz[],
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,
  primary key (tenant_id, id),
  foreign key (tenant_id, directory_id) references directories (tenant_id, id)
);
create index connections_directory on connections (tenant_id, directory_id);
-- The next metadata that are read are looked for over all tenants.
create index connections_metadata_due on connections ((coalesce(metadata_checked_at, '-infinity'::timestamptz)))
  where type = 'saml' and enabled and deleted_at is null;
-- An IdP that begins a sign-in names its issuer, and nothing else that is ours (OIDC Core §4).
create index connections_issuer on connections using hash ((settings ->> 'issuer'))
  where type = 'oidc' and enabled and deleted_at is null;
create trigger connections_told after insert or delete or update of slug, name, type, enabled, version, directory_id,
  settings, client_secret_sealed, private_key_sealed, tested_at, deleted_at on connections
  for each row execute function tell_settings();

alter table identities add foreign key (tenant_id, connection_id) references connections (tenant_id, id);
alter table sessions add foreign key (tenant_id, connection_id) references connections (tenant_id, id);

-- The tenant of a slug: a browser that comes back from an IdP names only the slug. A slug belongs to the tenant that used it
-- first for ever, because an IdP still trusts it after the connection was deleted.
create table connection_slugs (
  slug text collate "C" primary key,
  tenant_id text collate "C" not null,
  -- Null: the connection is deleted, and the slug is reserved for its tenant.
  connection_id text collate "C"
);
create trigger connection_slugs_told after insert or update or delete on connection_slugs
  for each row execute function tell_settings();

-- The tenant of an entity id of a SAML service provider. As for slugs, it belongs to the first tenant for ever.
create table saml_entity_ids (
  entity_id text collate "C" primary key,
  tenant_id text collate "C" not null
);

-- An e-mail domain of a tenant, with its proof.
create table domains (
  tenant_id text collate "C" not null references tenants (id),
  domain text collate "C" not null,
  connection_id text collate "C",
  challenge text not null,
  verified_by text check (verified_by in ('dns', 'operator')),
  verified_at timestamptz,
  checked_at timestamptz,
  problem text,
  lost_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (tenant_id, domain),
  foreign key (tenant_id, connection_id) references connections (tenant_id, id)
);
create index domains_connection on domains (tenant_id, connection_id);
-- The next domain that is checked is looked for over all tenants.
create index domains_due on domains ((coalesce(checked_at, '-infinity'::timestamptz))) where verified_by = 'dns';
create trigger domains_told after insert or delete or update of connection_id, verified_by, lost_at on domains
  for each row execute function tell_settings();

-- The tenant of a verified domain. Sign-in asks for it before the tenant is known.
create table verified_domains (
  domain text collate "C" primary key,
  tenant_id text collate "C" not null
);
create trigger verified_domains_told after insert or update or delete on verified_domains
  for each row execute function tell_settings();

-- A key of the installation, by which tokens and SAML messages are signed.
create table service_keys (
  purpose text not null check (purpose in ('jwt', 'saml')),
  id text collate "C" not null,
  private_key_sealed text not null,
  public_key text not null,
  created_at timestamptz not null default now(),
  active_from timestamptz not null,
  retired_at timestamptz,
  primary key (purpose, id)
);
create trigger service_keys_told after insert or update or delete on service_keys
  for each row execute function tell_settings();

-- One sign-in of one tab. Nonce and PKCE verifier are made from the secret in the browser's cookie, so a row is of no use to its
-- reader.
create table sign_in_requests (
  tenant_id text collate "C" not null,
  id text collate "C" not null,
  connection_id text collate "C" not null,
  kind text not null check (kind in ('sign-in', 'test')),
  browser_hash bytea,
  return_to text,
  code_challenge text,
  -- The IdP was asked to authenticate the user anew.
  asked_anew boolean not null default false,
  actor jsonb,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at timestamptz,
  -- The result of a test, for a while.
  result jsonb,
  result_until timestamptz,
  primary key (tenant_id, id),
  foreign key (tenant_id, connection_id) references connections (tenant_id, id)
);
create index sign_in_requests_age on sign_in_requests (tenant_id, expires_at);
create index sign_in_requests_connection on sign_in_requests (tenant_id, connection_id);

-- A message of an IdP, or an assertion of a client of a directory, that was taken: it is not taken twice. The id of the client
-- takes the place of the connection.
create table used_messages (
  tenant_id text collate "C" not null,
  connection_id text collate "C" not null,
  message_id text collate "C" not null,
  until timestamptz not null,
  primary key (tenant_id, connection_id, message_id)
);
create index used_messages_age on used_messages (tenant_id, until);

-- A code or a refresh token of a session.
create table session_tokens (
  tenant_id text collate "C" not null,
  hash bytea not null,
  session_id text collate "C" not null,
  kind text not null check (kind in ('code', 'refresh')),
  audience text not null,
  code_challenge text,
  expires_at timestamptz not null,
  used_at timestamptz,
  reused_at timestamptz,
  primary key (tenant_id, hash),
  foreign key (tenant_id, session_id) references sessions (tenant_id, id) on delete cascade
);
create index session_tokens_session on session_tokens (tenant_id, session_id);

-- A sign-in link that the operator made for a user, and that needs no IdP. A new link ends the earlier one.
create table owner_sign_in_links (
  tenant_id text collate "C" not null references tenants (id),
  user_id text collate "C" not null,
  hash bytea not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at timestamptz,
  primary key (tenant_id, user_id),
  unique (tenant_id, hash)
);

-- A line of the log of sign-ins, in months (see operations.sql).
create table sign_ins (
  tenant_id text collate "C" not null,
  id text collate "C" not null,
  at timestamptz not null default clock_timestamp(),
  kind text not null check (kind in ('sign-in', 'test', 'logout')),
  connection_id text collate "C",
  outcome text not null check (outcome in ('success', 'refused')),
  reason text,
  detail text,
  account text,
  subject text,
  user_id text collate "C",
  linked_by text,
  session_id text collate "C",
  ip text,
  user_agent text,
  request_id text not null,
  primary key (tenant_id, id, at)
) partition by range (at);
create table sign_ins_default partition of sign_ins default;
create index sign_ins_user on sign_ins (tenant_id, user_id, at);
create index sign_ins_reason on sign_ins (tenant_id, reason, id) where outcome = 'refused';

-- How often something has been tried from an address or with an account. An address belongs to no tenant. Not worth a line in
-- the write-ahead log.
create unlogged table tries (
  bucket bytea primary key,
  tokens float8 not null,
  at timestamptz not null,
  taken boolean not null
) with (fillfactor = 50);
