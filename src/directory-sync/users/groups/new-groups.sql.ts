import { memberLine } from './group-members.sql.js';
import { FEW_MEMBERS, GROUP_COLUMNS } from './group.row.js';

// `$1` is the tenant, `$2` the directory, `$3` the directories whose users are seen, `$4` to `$10` the columns of the groups, `$11`
// to `$13` the number of the group, the id and the name of each member, `$14` how long a lock is waited for.
//
// Users are locked before groups, each by its id: the one order of locks. Each is looked up and locked in one step, since the
// groups have no members yet. Names are inserted in their order: of two statements with the same names one waits. A group
// that was given its name later is looked for: the unique index (`name_twin`) admits it beside another one.
/** New groups with their members. A group is answered with them where they are few, so it is not read back. */
export const INSERT_GROUPS = `with
  patience as materialized (select set_config('lock_timeout', $14, true) as value),
  asked as materialized (select a.* from unnest($4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::timestamptz[],
      $10::int[]) with ordinality as a(id, doc, name, name_key, external_id, at, doc_bytes, n)),
  wanted as materialized (select distinct on (v, n) v, n, d from (
      select w.v collate "C" as v, w.n, w.d from patience cross join unnest($11::int[], $12::text[], $13::text[]) as w(n, v, d)
      where patience.value is not null) w
    order by v, n),
  people as materialized (select w.v, w.n, w.d, 'User' as kind from wanted w cross join lateral (
      select 1 from users u where u.tenant_id = $1 and u.id = w.v
        and u.gone_at is null and coalesce(u.directory_id, '') = any($3) for key share) u
    where not starts_with(w.v, 'grp_')),
  groups_within as materialized (select w.v, w.n, w.d, 'Group' as kind from wanted w cross join lateral (
      select 1 from groups c where c.tenant_id = $1 and c.id = w.v and c.directory_id = $2 for no key update) c
    where starts_with(w.v, 'grp_') and (select count(*) from people) >= 0),
  members as materialized (select * from people union all select * from groups_within),
  said as materialized (select m.n, count(*) as many, sum(160 + coalesce(octet_length(m.d), 0))::float8 as bytes,
      string_agg(${memberLine({ kind: 'm.kind', id: 'm.v', display: 'm.d' })}, chr(10) order by m.v) as lines
    from members m group by m.n),
  made as (insert into groups as g (tenant_id, id, directory_id, doc, display_name, display_name_key, external_id,
      created_at, updated_at, doc_bytes)
    select $1, a.id, $2, a.doc::jsonb, a.name, a.name_key, a.external_id, a.at, a.at, a.doc_bytes from asked a
    where (select count(*) from said) >= 0 and not exists (select 1 from groups o
      where o.tenant_id = $1 and o.directory_id = $2 and o.display_name_key = a.name_key offset 0)
    order by a.name_key collate "C"
    on conflict do nothing returning ${GROUP_COLUMNS}),
  there as materialized (select a.n, a.id from made join asked a on a.id = made.id),
  added as (insert into group_members (tenant_id, group_id, member_id, kind, display)
    select $1, t.id, m.v, m.kind, m.d from there t join members m on m.n = t.n),
  pended as (insert into pending_members (tenant_id, group_id, member_id, display)
    select $1, t.id, w.v, w.d from there t join wanted w on w.n = t.n where (w.n, w.v) not in (select n, v from members))
  select made.*, case when said.many <= ${FEW_MEMBERS} then said.lines end as members,
    case when said.many > ${FEW_MEMBERS} then said.bytes end as members_bytes
  from made join there t on t.id = made.id left join said on said.n = t.n`;
