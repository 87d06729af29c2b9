-- The console: the links by which the operator enters, and the sessions of operator, administrators and auditors. What belongs to
-- no tenant, but to the operator of the installation, has '' as tenant.

-- A link with a secret of one use. Of the secret only the hash is kept.
create table console_links (
  tenant_id text collate "C" not null,
  id text collate "C" not null,
  hash bytea not null,
  role text collate "C" not null check (role in ('operator', 'admin', 'auditor')),
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at timestamptz,
  made_by text,
  primary key (tenant_id, id),
  unique (tenant_id, hash)
);

create table console_sessions (
  tenant_id text collate "C" not null,
  id text collate "C" not null,
  hash bytea not null,
  -- Of a sign-in: the session that it began, and its user, whose role counts in each request.
  session_id text collate "C",
  user_id text collate "C",
  -- Of a link: what it opens.
  link_role text collate "C" check (link_role in ('operator', 'admin', 'auditor')),
  signed_in_at timestamptz not null default now(),
  -- When the user authenticated, as the IdP states it; of a link when it was opened.
  authenticated_at timestamptz,
  last_used_at timestamptz not null default now(),
  expires_at timestamptz not null,
  revoked_at timestamptz,
  -- The tenant that the operator reads.
  entered_tenant_id text collate "C",
  entered_until timestamptz,
  primary key (tenant_id, id),
  unique (tenant_id, hash),
  -- One for each sign-in: a new one takes the place of the former.
  unique (tenant_id, session_id),
  check ((session_id is null) <> (link_role is null) and (session_id is null) = (user_id is null))
);
create trigger console_sessions_told after delete or update of hash, revoked_at, entered_tenant_id, entered_until
  on console_sessions for each row execute function tell_settings();
