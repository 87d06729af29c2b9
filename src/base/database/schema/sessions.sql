-- Sessions of users, and which user a subject of an IdP is. Foreign keys to connections are added in auth.sql.

-- A binding: the user that a subject of a connection's IdP is. An ended binding stays, so that a user who was removed is not
-- created anew by signing in.
create table identities (
  tenant_id text collate "C" not null,
  connection_id text collate "C" not null,
  subject text collate "C" not null,
  user_id text collate "C" not null,
  -- What the user was found by at the first sign-in, and its value then.
  made_by text not null check (made_by in ('claim', 'user_name', 'email', 'created')),
  made_of text not null,
  created_at timestamptz not null default now(),
  last_sign_in_at timestamptz not null default now(),
  ended_at timestamptz,
  end_reason text check (end_reason in ('deleted', 'connection_changed', 'connection_deleted', 'pairing_changed', 'released')),
  primary key (tenant_id, connection_id, subject)
);
create unique index identities_user on identities (tenant_id, user_id, connection_id) where ended_at is null;
create index identities_newest on identities (tenant_id, connection_id, created_at);
-- A user's history and the list of leavers. A binding that has ended is part of the history.
create index identities_person on identities (tenant_id, user_id, created_at);
-- Users that are still bound to a name that another user has had since.
create index identities_name on identities (tenant_id, made_by, lower(made_of collate "C")) where ended_at is null;
-- A connection has one tenant. Without this the planner multiplies the chances of both.
create statistics identities_connection_id_of_tenant (ndistinct, dependencies) on tenant_id, connection_id from identities;

-- A session of a user.
create table sessions (
  tenant_id text collate "C" not null,
  id text collate "C" not null,
  hash bytea not null,
  user_id text collate "C" not null,
  -- `users.session_epoch` when it began: the session is over when that has moved on.
  user_epoch int not null default 0,
  -- Null: it began with a sign-in link of the operator.
  connection_id text collate "C",
  subject text collate "C" not null,
  -- `sid` of OIDC, `SessionIndex` of SAML. An assertion with several AuthnStatements has others.
  idp_session text collate "C",
  other_idp_sessions text[] collate "C",
  -- The NameID of SAML, which need not be the subject.
  name_id jsonb,
  id_token_sealed text,
  auth_context text,
  -- When the user authenticated, as the IdP states it.
  authenticated_at timestamptz,
  ip text,
  user_agent text,
  created_at timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  idle_seconds int not null,
  expires_at timestamptz not null,
  ended_at timestamptz,
  end_reason text,
  primary key (tenant_id, id),
  unique (tenant_id, hash)
) with (fillfactor = 80);
create index sessions_user on sessions (tenant_id, user_id, id);
create index sessions_subject on sessions (tenant_id, connection_id, subject);
create index sessions_idp on sessions (tenant_id, connection_id, idp_session) where ended_at is null;
-- By what the IdP calls the user: a logout of the IdP names that.
create index sessions_name on sessions (tenant_id, connection_id, coalesce(name_id ->> 'value', subject))
  where ended_at is null;
create statistics sessions_connection_id_of_tenant (ndistinct, dependencies) on tenant_id, connection_id from sessions;

-- A logout that an IdP has sent. A sign-in of an assertion from before does not begin a session.
create table idp_logouts (
  tenant_id text collate "C" not null,
  connection_id text collate "C" not null,
  -- The session or the subject that it names.
  mark text collate "C" not null,
  ended_at timestamptz not null,
  until timestamptz not null,
  primary key (tenant_id, connection_id, mark)
);

-- Whether the IdP has sent a logout since it issued an assertion. It takes the locks, and then reads: a volatile function reads
-- with a new snapshot, so that the calling statement sees a logout that it has waited for.
create function signed_out_at_idp(p_tenant text, p_connection text, p_locks text[], p_marks text[], p_exact text[],
  p_issued timestamptz) returns boolean language plpgsql volatile as $$
begin
  perform pg_advisory_xact_lock(hashtextextended(m, 0)) from unnest(p_locks) as m;
  return exists (select 1 from idp_logouts l
    where l.tenant_id = p_tenant and l.connection_id = p_connection and l.mark = any (p_marks)
      and (l.ended_at > p_issued or (l.ended_at = p_issued and l.mark = any (p_exact))));
end $$;
