import { Injectable } from '@nestjs/common';
import { Database } from '../../base/database/database.js';
import type { AttentionFacts } from './attention.js';

/** Held users that are counted at the most. */
const MOST_HELD = 10_000;
/** For how long the refusal of a token that no directory has is shown: any client that knows the tenant's id can cause one. */
const REFUSED_HOURS = 24;

const list = (columns: string, rest: string, order: string): string =>
  `(select coalesce(jsonb_agg(x order by x.${order}), '[]') from (select ${columns} ${rest}) x)`;

/** Reads the states of a tenant that may need an act, in one statement. */
@Injectable()
export class AttentionRepository {
  constructor(private readonly db: Database) {}

  async of(tenantId: string): Promise<AttentionFacts> {
    const { rows } = await this.db.query<AttentionFacts>(STATES, [tenantId]);
    return rows[0]!;
  }
}

const STATES = `select
  ${list(
    `d.channel, d.id, e.url as name, d.state, d.state_reason as reason, d.state_since as since, d.next_probe_at as next,
     d.failing_since`,
    `from destinations d
     left join webhook_endpoints e on d.channel = 'webhook' and e.tenant_id = d.tenant_id and e.id = d.id
     where d.tenant_id = $1 and d.state_reason is distinct from 'removed'
       and (d.state <> 'ok' or (d.channel = 'webhook' and d.failing_since is not null and d.failing_stage > 0))
       and (d.channel <> 'webhook' or e.id is not null)`,
    'since',
  )} as destinations,
  ${list(
    `c.id, c.name, c.state, c.state_reason as reason, c.state_since as since, case when not c.paused then s.next_at end as next`,
    `from ats_connections c
     left join ats_syncs s on s.tenant_id = c.tenant_id and s.connection_id = c.id and isfinite(s.next_at)
     where c.tenant_id = $1 and c.state in ('degraded', 'reconnect_needed')`,
    'since',
  )} as ats,
  ${list(
    `h.held as reason, h.directory_id, min(d.name) as directory, count(*)::int as n, min(h.held_since) as since`,
    `from (select u.held, u.directory_id, u.held_since from users u where u.tenant_id = $1 and u.held is not null
           order by u.held_since, u.id limit ${MOST_HELD}) h
     left join directories d on d.tenant_id = $1 and d.id = h.directory_id
     group by h.held, h.directory_id`,
    'since',
  )} as held,
  ${list(
    `d.id, d.name, d.last_refusal ->> 'at' as at, d.last_refusal ->> 'reason' as reason`,
    `from directories d where d.tenant_id = $1 and d.deleted_at is null and d.last_refusal is not null
       and not d.last_refusal ? 'unassigned'
       and (d.last_request_at is null or (d.last_refusal ->> 'at')::timestamptz > d.last_request_at)`,
    'at',
  )} as refused,
  (select r.refusal from refused_tokens r
   where r.tenant_id = $1 and (r.refusal ->> 'at')::timestamptz > now() - interval '${REFUSED_HOURS} hours') as refused_token,
  ${list(
    `k.id, k.name, k.last_refusal ->> 'at' as at, k.last_refusal ->> 'address' as address`,
    `from api_keys k where k.tenant_id = $1 and k.revoked_at is null
       and (k.last_refusal ->> 'at')::timestamptz > greatest(k.last_used_at, now() - interval '${REFUSED_HOURS} hours')`,
    'at',
  )} as refused_keys,
  ${list(
    `d.id, d.name, d.last_request_at as since`,
    `from directories d where d.tenant_id = $1 and d.deleted_at is null and d.told_quiet_since = d.last_request_at`,
    'since',
  )} as quiet,
  ${list(
    `c.id, c.name, c.metadata_problem as problem, c.metadata_checked_at as since`,
    `from connections c
     where c.tenant_id = $1 and c.enabled and c.deleted_at is null and c.metadata_problem is not null`,
    'since',
  )} as metadata,
  ${list(`d.domain, d.problem, d.lost_at as since`, `from domains d where d.tenant_id = $1 and d.lost_at is not null`, 'since')} as domains,
  (select jsonb_build_object('state', s.state) from tenant_storage s where s.tenant_id = $1 and s.state <> 'ok') as storage,
  (select jsonb_build_object('id', t.id, 'at', t.finished_at, 'differences', t.differences)
   from (select id, finished_at, coalesce((result ->> 'missing')::int, 0) + coalesce((result ->> 'different')::int, 0)
           + coalesce((result ->> 'extra')::int, 0) as differences
         from tasks where tenant_id = $1 and kind = 'platform.drift' and state = 'done' order by id desc limit 1) t
   where t.differences > 0) as drift`;
