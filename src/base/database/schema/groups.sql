-- Groups of directories, their members, and the rules that make a role of a membership.

-- A group of a directory.
create table groups (
  tenant_id text collate "C" not null,
  id text collate "C" not null,
  directory_id text collate "C" not null,
  doc jsonb not null,
  -- Null: measured when it is needed.
  doc_bytes int,
  display_name text not null,
  display_name_key text collate "C" not null,
  -- '' while the group has the name of its creation, else its own id. So names can swap, and two groups are not created under
  -- one name at the same time.
  name_twin text collate "C" not null default '',
  external_id text collate "C",
  version int not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, directory_id) references directories (tenant_id, id)
) with (fillfactor = 50);
create unique index groups_name on groups (tenant_id, directory_id, display_name_key, name_twin);
create index groups_page on groups (tenant_id, directory_id, id);
-- Of those with an external id alone, so that no other search can choose it.
create index groups_with_external_id on groups (tenant_id, directory_id, external_id) where external_id is not null;
create statistics groups_directory_id_of_tenant (ndistinct, dependencies) on tenant_id, directory_id from groups;
alter table groups
  alter column tenant_id set (n_distinct = 10),
  alter column directory_id set (n_distinct = 10);

-- A member of a group: a user or another group.
create table group_members (
  tenant_id text collate "C" not null,
  group_id text collate "C" not null,
  member_id text collate "C" not null,
  kind text not null check (kind in ('User', 'Group')),
  display text,
  added_at timestamptz not null default now(),
  primary key (tenant_id, group_id, member_id),
  foreign key (tenant_id, group_id) references groups (tenant_id, id) on delete cascade
);
create index group_members_member on group_members (tenant_id, member_id, group_id);
-- A membership that a user lost whose departure is held: a discard gives it back.
create table held_memberships (
  tenant_id text collate "C" not null,
  user_id text collate "C" not null,
  group_id text collate "C" not null,
  primary key (tenant_id, user_id, group_id),
  foreign key (tenant_id, user_id) references users (tenant_id, id) on delete cascade,
  foreign key (tenant_id, group_id) references groups (tenant_id, id) on delete cascade
);
create index held_memberships_group on held_memberships (tenant_id, group_id);
create statistics group_members_group_id_of_tenant (ndistinct, dependencies) on tenant_id, group_id from group_members;
alter table group_members
  alter column tenant_id set (n_distinct = 10),
  alter column group_id set (n_distinct = 10);

-- A member that the directory has named before it created the user. It ends after 90 days.
create table pending_members (
  tenant_id text collate "C" not null,
  group_id text collate "C" not null,
  member_id text collate "C" not null,
  display text,
  since timestamptz not null default now(),
  primary key (tenant_id, group_id, member_id),
  foreign key (tenant_id, group_id) references groups (tenant_id, id) on delete cascade
);
create index pending_members_member on pending_members (tenant_id, member_id);
create index pending_members_since on pending_members (tenant_id, since);
alter table pending_members
  alter column tenant_id set (n_distinct = 10),
  alter column group_id set (n_distinct = 10);

-- A rule of a directory: members of the group have the role. The first rule that fits counts.
create table group_rules (
  tenant_id text collate "C" not null,
  directory_id text collate "C" not null,
  position int not null,
  group_id text collate "C" not null,
  role text not null,
  primary key (tenant_id, directory_id, position),
  foreign key (tenant_id, group_id) references groups (tenant_id, id) on delete cascade,
  foreign key (tenant_id, role) references roles (tenant_id, name)
);
create index group_rules_group on group_rules (tenant_id, group_id);
create index group_rules_role on group_rules (tenant_id, role);
create trigger group_rules_told after insert or update or delete on group_rules
  for each row execute function tell_settings();
