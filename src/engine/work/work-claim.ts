import type { WorkKind } from '../../base/work/work.js';

/** A lease ends this long after the last heartbeat: after a kill another process continues. */
export const LEASE_MS = 15_000;

/**
 * Returns the statement that finds what is due of all kinds, and leases it in turns: of a tenant and of a server one piece a
 * round, those first that have waited longest since they became due or had their last turn.
 *
 * Parameters: the kinds that are looked for; the time of {@link NOW}; the kinds that call servers; those that are alone; the
 * tenants and servers with no place for calls; the tenants with no place for other work; the free places for calls, and for
 * other work; the id of this claim.
 */
export function claimStatement(kinds: Iterable<WorkKind>): string {
  const parts = [...kinds].flatMap((of) => {
    const { kind } = of;
    const due = of.due();
    return due === null
      ? []
      : [
          `select '${kind}' collate "C", d.tenant_id, d.id, d.since, d.server from (${due}) d where '${kind}' = any($1)`,
        ];
  });
  return `
  with due (kind, tenant_id, id, since, server) as (
    select kind, tenant_id, id, due_at, null::text from work_entries
    where tenant_id = '' and due_at <= now() and kind = any($1) and $2::timestamptz is not null
    ${parts.map((part) => `union all ${part}`).join('\n')}
  ), ready as (
    select d.*, d.kind = any($3) as calls, d.kind = any($4) as alone, greatest(d.since, e.free_at) as at,
      case when d.kind = any($4) then d.kind else d.tenant_id end as turn_of
    from due d left join work_entries e on e.tenant_id = d.tenant_id and e.kind = d.kind and e.id = d.id
    where e.free_at is null or e.free_at <= now()
  ), turns as (
    select r.*, row_number() over (partition by calls, alone, turn_of order by at) as of_tenant,
      row_number() over (partition by calls, alone, coalesce(server, turn_of) order by at) as of_server
    from ready r
    where alone or case when calls then tenant_id <> all($5) and coalesce(server, '') <> all($6) else tenant_id <> all($7) end
  ), picked as (
    select t.*, row_number() over (partition by calls, alone order by at) as place from turns t
    where of_tenant = 1 and of_server = 1
  )
  insert into work_entries as e (tenant_id, kind, id, server, holder, free_at)
  select tenant_id, kind, id, server, $10, clock_timestamp() + interval '${LEASE_MS} milliseconds' from picked
  where alone or place <= case when calls then $8::int else $9::int end
  -- In one order: two processes that claim at the same time wait for each other once.
  order by tenant_id, kind, id
  on conflict (tenant_id, kind, id) do update set holder = excluded.holder, free_at = excluded.free_at,
    server = excluded.server, held_since = now()
    where e.free_at <= clock_timestamp() and (e.due_at is null or e.due_at <= clock_timestamp())
  returning kind, tenant_id as "tenantId", id, server, failures`;
}
