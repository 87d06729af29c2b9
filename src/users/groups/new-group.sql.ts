import { FOUND, memberLine } from './group-members.sql.js';
import { FEW_MEMBERS, GROUP_COLUMNS } from './group.row.js';

// `$1` is the tenant, `$2` the group, `$3` the directory, `$4` and `$5` the ids and names of the members, `$6` the directories
// whose users are seen. Users are locked before groups: the one order of locks.
/** A new group with its members. It is answered with them where they are few, so it is not read back. */
export const INSERT_GROUP = `with ${FOUND('$6')},
  people as materialized (select f.* from found f cross join lateral (
      select 1 from users u where u.tenant_id = $1 and u.id = f.v for key share) u where f.kind = 'User'),
  groups_within as materialized (select f.* from found f cross join lateral (
      select 1 from groups c where c.tenant_id = $1 and c.id = f.v for no key update) c
    where f.kind = 'Group' and (select count(*) from people) >= 0),
  members as materialized (select * from people union all select * from groups_within),
  made as (insert into groups as g (tenant_id, id, directory_id, doc, display_name, display_name_key, external_id,
      created_at, updated_at, doc_bytes)
    select $1, $2, $3, $7::jsonb, $8, $9, $10, $11, $11, $12 where (select count(*) from members) >= 0
    on conflict do nothing returning ${GROUP_COLUMNS}),
  added as (insert into group_members (tenant_id, group_id, member_id, kind, display)
    select $1, $2, m.v, m.kind, m.d from made cross join members m),
  pended as (insert into pending_members (tenant_id, group_id, member_id, display)
    select $1, $2, w.v, w.d from made cross join wanted w where w.v not in (select v from members))
  select made.*, case when n.n <= ${FEW_MEMBERS} then (
      select string_agg(${memberLine({ kind: 'm.kind', id: 'm.v', display: 'm.d' })}, chr(10) order by m.v) from members m) end as members,
    case when n.n > ${FEW_MEMBERS} then (select sum(160 + coalesce(octet_length(m.d), 0))::float8 from members m) end as members_bytes
  from made cross join (select count(*) from members) n(n)`;
