import { memberLine, WANTED } from './group-members.sql.js';
import { FEW_MEMBERS, GROUP_COLUMNS } from './group.row.js';

// `$1` is the tenant, `$2` the group, `$3` the directory, `$4` and `$5` the ids and names of the members, `$6` the directories
// whose users are seen. Users are locked before groups: the one order of locks. Each is looked up and locked in one step, since
// the group has no members yet.
/** A new group with its members. It is answered with them where they are few, so it is not read back. */
export const INSERT_GROUP = `with ${WANTED},
  people as materialized (select w.v, w.d, 'User' as kind from wanted w cross join lateral (
      select 1 from users u where u.tenant_id = $1 and u.id = w.v
        and u.gone_at is null and coalesce(u.directory_id, '') = any($6) for key share) u
    where not starts_with(w.v, 'grp_')),
  groups_within as materialized (select w.v, w.d, 'Group' as kind from wanted w cross join lateral (
      select 1 from groups c where c.tenant_id = $1 and c.id = w.v and c.directory_id = $3 for no key update) c
    where starts_with(w.v, 'grp_') and (select count(*) from people) >= 0),
  members as materialized (select * from people union all select * from groups_within),
  said as materialized (select count(*) as n, sum(160 + coalesce(octet_length(m.d), 0))::float8 as bytes,
    string_agg(${memberLine({ kind: 'm.kind', id: 'm.v', display: 'm.d' })}, chr(10) order by m.v) as lines from members m),
  made as (insert into groups as g (tenant_id, id, directory_id, doc, display_name, display_name_key, external_id,
      created_at, updated_at, doc_bytes)
    select $1, $2, $3, $7::jsonb, $8, $9, $10, $11, $11, $12 from said
    on conflict do nothing returning ${GROUP_COLUMNS}),
  added as (insert into group_members (tenant_id, group_id, member_id, kind, display)
    select $1, $2, m.v, m.kind, m.d from made cross join members m),
  pended as (insert into pending_members (tenant_id, group_id, member_id, display)
    select $1, $2, w.v, w.d from made cross join wanted w where w.v not in (select v from members))
  select made.*, case when said.n <= ${FEW_MEMBERS} then said.lines end as members,
    case when said.n > ${FEW_MEMBERS} then said.bytes end as members_bytes
  from made cross join said`;
