-- Users of tenants: one record each, whichever channel wrote it.

-- A user. `doc`, `user_name`, `external_id` and `active` are what was written; `email` to `seat` are in force; `held` says why
-- the two differ. Values have no checks, and the directory has no foreign key: they took a tenth of the time of a create, and
-- the look at the directory shared one row lock between all creates of a sync.
create table users (
  tenant_id text collate "C" not null,
  id text collate "C" not null,
  directory_id text collate "C",
  source text not null,

  -- The resource.
  doc jsonb not null,
  -- Its size, so that a page is cut before documents are read; null: measured when it is needed.
  doc_bytes int,
  user_name text not null,
  user_name_key text collate "C" not null,
  -- Whether a directory has written the name; null: follows from the source.
  name_written boolean,
  external_id text collate "C",
  active boolean not null,
  manager_id text collate "C"
    generated always as (left(doc #>> '{urn:ietf:params:scim:schemas:extension:enterprise:2.0:User,manager,value}', 512)) stored,
  -- The directory has removed the user, who stays in force.
  gone_at timestamptz,
  -- Moves with each write. `quiet_writes` of them left the resource unchanged: SCIM shows the difference as version.
  version int not null default 1,
  quiet_writes int not null default 0,
  -- The last change of the resource, where that is not `updated_at`.
  resource_at timestamptz,

  -- What is in force.
  email text,
  email_key text collate "C",
  first_name text not null,
  last_name text not null,
  role text,
  -- The role that the API or an admin has set.
  role_set text,
  -- The role of rules or default that an admin has discarded; '': none. It stays out of force until they give another one.
  discarded_role text,
  cost_center text,
  person_external_id text collate "C",
  status text not null,
  -- Since when the user is in force in its present directory without a break; null: since before the column was there.
  in_force_since timestamptz,
  -- The user has left the users in force of the directory, and was brought back.
  returned boolean not null default false,
  seat text not null,
  waiting_since timestamptz,
  ever_active boolean not null default false,

  -- Why the two differ, and the reason that an admin has let pass.
  held text,
  held_since timestamptz,
  -- The guard holds another identity or role of the user, and no departure.
  held_change boolean not null default false,
  -- The identity and role of the last time in force, where the written names are held or the user is out of force: sign-ins find
  -- the user by it. Null: as written.
  known_as jsonb,
  released text,
  -- The directory whose write about the user waits for an admin, in `preview_writes`.
  kept_for text collate "C",
  -- The e-mail that a held user is to have and does not have yet: sign-in identifies no user by it.
  requested_email_key text collate "C",

  -- Moves when all sessions of the user end.
  session_epoch int not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- The key holds what decides whether a directory sees a user: a list that skips rows reads the index alone.
  primary key (tenant_id, id) include (directory_id, gone_at)
) with (fillfactor = 85);
-- Not partial: a name that is free again for SCIM is put out of the way (see HELD_NAME). A predicate on this index would draw
-- every query that shares it, whichever index would serve it.
create unique index users_user_name on users (tenant_id, user_name_key);
create unique index users_email on users (tenant_id, email_key) where status = 'active' and email_key is not null;
create unique index users_person_external_id on users (tenant_id, person_external_id)
  where status = 'active' and person_external_id is not null;
create index users_inactive_external_id on users (tenant_id, person_external_id)
  where status = 'inactive' and person_external_id is not null;
-- A directory that takes over another one finds its users by this before it creates them anew.
create index users_inactive_email on users (tenant_id, email_key) where status = 'inactive' and email_key is not null;
create index users_external_id on users (tenant_id, external_id) where external_id is not null;
-- Small: users that no directory manages yet, to be found when an IdP is switched on late.
create index users_unmanaged_email on users (tenant_id, email_key) where directory_id is null;
create index users_unmanaged_external_id on users (tenant_id, person_external_id) where directory_id is null;
create index users_manager on users (tenant_id, manager_id) where manager_id is not null;
create index users_requested_email on users (tenant_id, requested_email_key) where requested_email_key is not null;
create index users_known_name on users (tenant_id, (known_as ->> 'user_name_key')) where known_as is not null;
create index users_known_external_id on users (tenant_id, (known_as ->> 'external_id')) where known_as is not null;
create index users_held on users (tenant_id, held_since, id) where held is not null;
create index users_kept on users (tenant_id, kept_for, id) where kept_for is not null;
create index users_protected on users (tenant_id, id) where held = 'protected';
-- The base of the guard: the users in force of a directory; and what a replaced one still manages, by id.
create index users_active on users (tenant_id, directory_id, id) where status = 'active' and directory_id is not null;
-- Users whom a directory in preview has written to, in the order of its plan.
create index users_previewed on users (tenant_id, directory_id, id) where held = 'preview';
-- Who administers, and the users of a role, newest first.
create index users_role on users (tenant_id, role, id) where role is not null;
create index users_waiting on users (tenant_id, waiting_since, id) where seat = 'waiting';
create index users_reconsidered on users (tenant_id)
  where seat = 'waiting' or held in ('email_taken', 'external_id_taken', 'superseded');
-- The orders of lists. An entry of an index has at most 2 704 bytes, so of long texts the first 256 characters are in it; the
-- last character of Unicode marks a missing value.
create index users_created on users (tenant_id, created_at, id);
create index users_updated on users (tenant_id, updated_at, id);
create index users_modified on users (tenant_id, (coalesce(resource_at, updated_at)), id);
create index users_external_id_order on users
  (tenant_id, (coalesce(left(external_id, 256), chr(1114111)) collate "C"), id);
create index users_display_name on users
  (tenant_id, (coalesce(left(lower((doc #>> '{displayName}') collate scim_text), 256), chr(1114111)) collate "C"), id);
-- The beginnings of a search, beside e-mail and user name. The name begins with the first name. Each ends with
-- the id: while the table is tiny, the planner would look an id up in an index that has the tenant alone, and keep that plan.
create index users_search_name on users
  (tenant_id, (left(lower((first_name || ' ' || last_name) collate scim_text), 256) collate "C"), id);
create index users_search_last_name on users (tenant_id, (left(lower(last_name collate scim_text), 256) collate "C"), id);
create index users_search_external_id on users
  (tenant_id, (left(lower(person_external_id collate scim_text), 256) collate "C"), id);
-- Small: users whose two external ids differ, and what was written of held users.
create index users_search_written_id on users (tenant_id, (left(lower(external_id collate scim_text), 256) collate "C"), id)
  where external_id is distinct from person_external_id;
create index users_search_given_name on users
  (tenant_id, (left(lower((doc #>> '{name,givenName}') collate scim_text), 256) collate "C"), id) where held is not null;
create index users_search_family_name on users
  (tenant_id, (left(lower((doc #>> '{name,familyName}') collate scim_text), 256) collate "C"), id) where held is not null;
create index users_search_formatted on users
  (tenant_id, (left(lower((doc #>> '{name,formatted}') collate scim_text), 256) collate "C"), id) where held is not null;
alter table users
  alter column tenant_id set (n_distinct = 10),
  alter column directory_id set (n_distinct = 10);

-- An e-mail of a user's resource, by which filters find the user.
create table user_emails (
  tenant_id text collate "C" not null,
  user_id text collate "C" not null,
  ordinal smallint not null,
  value_key text collate "C" not null,
  type_key text collate "C" not null,
  primary key (tenant_id, user_id, ordinal)
);
create index user_emails_value on user_emails (tenant_id, value_key, type_key, user_id);
alter table user_emails alter column tenant_id set (n_distinct = 10);

-- An earlier external id of a user.
create table user_aliases (
  tenant_id text collate "C" not null,
  external_id text collate "C" not null,
  user_id text collate "C" not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, external_id, user_id),
  foreign key (tenant_id, user_id) references users (tenant_id, id) on delete cascade
);
create index user_aliases_user on user_aliases (tenant_id, user_id);

create sequence user_note_sequence;

-- An event of a user that no other table has: a link, and what an admin did with a held user.
create table user_notes (
  tenant_id text collate "C" not null,
  note_id bigint not null default nextval('user_note_sequence'),
  user_id text collate "C" not null,
  at timestamptz not null default clock_timestamp(),
  kind text not null check (kind in ('linked', 'held')),
  detail jsonb not null,
  source jsonb not null,
  primary key (tenant_id, note_id)
);
create index user_notes_of_user on user_notes (tenant_id, user_id, at, note_id);

-- The guard of a directory against mass departures: its windows, and whether a departure counts under a lock.
create table guard_states (
  tenant_id text collate "C" not null,
  directory_id text collate "C" not null,
  -- `open`: the limits are far, and a departure takes no lock of its own. `exact`: each one counts under the lock of this row.
  mode text not null default 'exact' check (mode in ('open', 'exact')),
  -- When each window was measured, and the users in force when it began.
  window_from timestamptz,
  window_base int not null default 0,
  day_from timestamptz,
  day_base int not null default 0,
  -- When the event about held departures was recorded last.
  told_at timestamptz,
  primary key (tenant_id, directory_id)
);

-- A user who left by a write of the directory, for a day. The row goes when the user is back.
create table guard_departures (
  tenant_id text collate "C" not null,
  directory_id text collate "C" not null,
  user_id text collate "C" not null,
  went_at timestamptz not null default clock_timestamp(),
  how text not null check (how in ('deactivated', 'deleted', 'role_lost', 'seat_lost')),
  source jsonb not null,
  -- What was in force, and of a deleted user the resource.
  person jsonb not null,
  doc jsonb,
  user_created_at timestamptz,
  -- The groups of the user at that time, and the one whose change made the user leave, for an undo.
  groups text[] not null default '{}',
  primary key (tenant_id, directory_id, user_id)
);
create index guard_departures_time on guard_departures (tenant_id, directory_id, went_at);
create index guard_departures_old on guard_departures (went_at);

-- A user whose identity or role a directory has changed, for a day: the second figure of its guard.
create table guard_changes (
  tenant_id text collate "C" not null,
  directory_id text collate "C" not null,
  user_id text collate "C" not null,
  changed_at timestamptz not null default clock_timestamp(),
  primary key (tenant_id, directory_id, user_id)
);
create index guard_changes_time on guard_changes (tenant_id, directory_id, changed_at);
create index guard_changes_old on guard_changes (changed_at);

-- What is left of a user that was deleted. A sign-in that would bring the user back is found by the former names.
create table deleted_users (
  tenant_id text collate "C" not null,
  id text collate "C" not null,
  directory_id text collate "C",
  user_name text not null,
  external_id text collate "C",
  person jsonb not null,
  deleted_at timestamptz not null default now(),
  deleted_by jsonb not null,
  primary key (tenant_id, id)
);
create index deleted_users_key on deleted_users (tenant_id, directory_id, external_id);
create index deleted_users_name on deleted_users (tenant_id, directory_id, lower(user_name collate "C"));
create index deleted_users_email on deleted_users (tenant_id, lower((person ->> 'email') collate "C"));

-- How many users a directory shows, exact at any moment without counting them: a folded number, and the steps since. The owner
-- '' is for the users that no directory manages.
create table population (
  tenant_id text collate "C" not null,
  owner text collate "C" not null,
  n bigint not null,
  primary key (tenant_id, owner)
);

-- A step of a number of users that is not folded yet.
create table population_steps (
  tenant_id text collate "C" not null,
  owner text collate "C" not null,
  step_id bigint generated always as identity,
  step int not null,
  primary key (tenant_id, owner, step_id)
);

-- What a directory in preview wrote to a user that it does not manage, and what a directory wrote of a user whose rights it may not
-- give. The user is unchanged; the directory alone reads this resource back, and going live, or an admin, writes it.
create table preview_writes (
  tenant_id text collate "C" not null,
  directory_id text collate "C" not null,
  user_id text collate "C" not null,
  -- Null: the directory has removed the user.
  doc jsonb,
  doc_bytes int not null default 0,
  user_name text,
  user_name_key text collate "C",
  external_id text collate "C",
  active boolean,
  linked_by text not null,
  source jsonb not null,
  version int not null default 1,
  updated_at timestamptz not null default date_trunc('milliseconds', now()),
  primary key (tenant_id, directory_id, user_id),
  foreign key (tenant_id, user_id) references users (tenant_id, id) on delete cascade
);
create unique index preview_writes_user_name on preview_writes (tenant_id, directory_id, user_name_key);
create index preview_writes_user on preview_writes (tenant_id, user_id);
-- Tells whether a plan is stale.
create index preview_writes_updated on preview_writes (tenant_id, directory_id, updated_at);

-- What going live of a directory in preview would change: the newest plan. `made_at` names the plan: it is when the
-- work began.
create table preview_plans (
  tenant_id text collate "C" not null,
  directory_id text collate "C" not null,
  made_at timestamptz not null,
  -- The settings of the directory then: with others the plan is stale.
  settings text not null,
  totals jsonb not null,
  primary key (tenant_id, directory_id)
);

-- A user whom a plan would change. Those of a plan that is being made are there before it is. A user who is deleted meanwhile
-- keeps a row without personal data until the next plan.
create table preview_plan_users (
  tenant_id text collate "C" not null,
  directory_id text collate "C" not null,
  made_at timestamptz not null,
  user_id text collate "C" not null,
  owner_kind text check (owner_kind in ('create', 'link', 'take_over')),
  change_kind text check (change_kind in ('update', 'deactivate', 'delete')),
  -- The fields that would change.
  fields text[] not null,
  take_seat boolean not null,
  -- Why the user would be held; null: not.
  held text,
  -- Role, status, seat and right of administration, each now and then; null: a process of an older version made the plan.
  steps jsonb,
  loses_console boolean not null default false,
  primary key (tenant_id, directory_id, made_at, user_id)
);
create index preview_plan_users_owner on preview_plan_users (tenant_id, directory_id, made_at, owner_kind, user_id)
  where owner_kind is not null;
create index preview_plan_users_change on preview_plan_users (tenant_id, directory_id, made_at, change_kind, user_id)
  where change_kind is not null;
create index preview_plan_users_console on preview_plan_users (tenant_id, directory_id, made_at, user_id) where loses_console;
