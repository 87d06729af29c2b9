import { Injectable } from '@nestjs/common';
import type { PinnedCertificate } from '../../auth/connections/connection.js';
import { certificateFacts } from '../../auth/connections/saml.rules.js';
import { Clock } from '../../base/clock.js';
import { Database } from '../../base/database/database.js';
import { FreshCache } from '../../base/fresh-cache.js';
import { SeatHolders } from '../../seats/ledger/seat-holders.js';
import { SeatsRepository } from '../../seats/seats.repository.js';
import { StatusService } from '../status/status.service.js';
import type { AttentionFacts } from './attention.js';
import { attentionOf, nearest } from './attention.rules.js';
import type { OverviewBody } from './overview.dto.js';

/** Held users above this number are not counted. */
const MOST_HELD = 10_000;
/** Any client that knows the tenant's id can cause a refusal without a directory, so it is shown only for this time. */
const REFUSED_HOURS = 24;

const list = (columns: string, rest: string, order: string): string =>
  `(select coalesce(jsonb_agg(x order by x.${order}), '[]') from (select ${columns} ${rest}) x)`;

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

const MOST_AGE_MS = 2_000;
const SOON_DAYS = 30;
const MOST_EXPIRIES = 20;
const DAY_MS = 86_400_000;

/** The list of administrators is cached: no index has the role, so a search reads all users of the tenant. */
const ADMINISTRATORS_AGE_MS = 60_000;

type Facts = Pick<OverviewBody, 'directories' | 'expiries'> &
  Omit<OverviewBody['first_steps'], 'forwarded' | 'administrator'>;

@Injectable()
export class OverviewService {
  private readonly answers: FreshCache<OverviewBody>;
  private readonly administrators: FreshCache<boolean>;

  constructor(
    private readonly db: Database,
    private readonly status: StatusService,
    private readonly seats: SeatsRepository,
    private readonly holders: SeatHolders,
    private readonly clock: Clock,
  ) {
    this.answers = new FreshCache(clock, MOST_AGE_MS);
    this.administrators = new FreshCache(clock, ADMINISTRATORS_AGE_MS);
  }

  of(tenantId: string): Promise<OverviewBody> {
    return this.answers.get(tenantId, () => this.read(tenantId));
  }

  private async read(tenantId: string): Promise<OverviewBody> {
    const [status, { limit }, used, waiting, facts, certificates, states, administrator] = await Promise.all([
      this.status.of(tenantId),
      this.seats.limitOf(tenantId),
      this.seats.used(tenantId),
      this.holders.waiting(tenantId),
      this.facts(tenantId),
      this.certificates(tenantId),
      this.attentionOf(tenantId),
      this.administrators.get(tenantId, () => this.hasAdministrator(tenantId)),
    ]);
    const { directories, expiries, ...steps } = facts;
    const now = {
      ...status,
      seats: { used, limit, waiting },
      expiries: nearest([...expiries, ...certificates], MOST_EXPIRIES),
    };
    return {
      ...now,
      attention: attentionOf(states, now, this.clock.now()),
      directories,
      first_steps: { ...steps, administrator, forwarded: status.destination.last_success_at !== null },
    };
  }

  private async facts(tenantId: string): Promise<Facts> {
    const { rows } = await this.db.query<Facts>(
      `select
         (select coalesce(jsonb_agg(jsonb_build_object('id', d.id, 'name', d.name, 'state', d.state,
             'last_request_at', d.last_request_at, 'last_refusal',
             case when not coalesce(d.last_refusal ? 'unassigned', false) and
               (d.last_request_at is null or (d.last_refusal ->> 'at')::timestamptz > d.last_request_at)
               then jsonb_build_object('at', d.last_refusal -> 'at', 'reason', d.last_refusal -> 'reason') end)
             order by d.name, d.id), '[]')
          from directories d where d.tenant_id = $1 and d.deleted_at is null) as directories,
         (select coalesce(jsonb_agg(e order by e.expires_at), '[]') from (
            select kind, id, name, expires_at from (
              select 'api_key' as kind, k.id, k.name, k.expires_at from api_keys k
              where k.tenant_id = $1 and k.revoked_at is null
              union all
              select 'scim_token', s.id, s.name, s.expires_at from scim_tokens s
              where s.tenant_id = $1 and s.revoked_at is null
              union all
              select 'client_secret', s.id, c.name, s.expires_at
              from client_secrets s join directory_clients c on c.tenant_id = s.tenant_id and c.id = s.client_id
              where s.tenant_id = $1 and s.revoked_at is null and c.revoked_at is null) c
            where expires_at between now() and now() + $2 * interval '1 day'
            order by expires_at limit ${MOST_EXPIRIES}) e) as expiries,
         exists (select 1 from directories d where d.tenant_id = $1 and d.deleted_at is null) as directory,
         exists (select 1 from directories d where d.tenant_id = $1 and d.last_request_at is not null) as request,
         exists (select 1 from users u where u.tenant_id = $1 and u.status = 'active') as "user",
         exists (select 1 from connections c where c.tenant_id = $1) as connection`,
      [tenantId, SOON_DAYS],
    );
    const [found] = rows;
    const { directories } = found!;
    // JSON of the database has times as text, with an offset.
    return {
      ...found!,
      directories: directories.map(({ last_request_at: at, last_refusal: refusal, ...one }) => ({
        ...one,
        last_request_at: at === null ? null : new Date(at),
        // A directory without any refusal has an object of nulls.
        last_refusal: refusal?.at ? refusal : null,
      })),
    };
  }

  private async certificates(tenantId: string): Promise<OverviewBody['expiries']> {
    const { rows } = await this.db.query<{ id: string; name: string; certificates: PinnedCertificate[] }>(
      `select id, name, settings -> 'certificates' as certificates from connections
       where tenant_id = $1 and type = 'saml' and enabled and deleted_at is null`,
      [tenantId],
    );
    const now = this.clock.now().getTime();
    return rows.flatMap(({ id, name, certificates }) =>
      endsToSay(
        certificates.map((one) => certificateFacts(one).not_after.getTime()),
        now,
      )
        .map((end) => new Date(end))
        .map((expires_at) => ({ kind: 'certificate', id, name, expires_at })),
    );
  }

  private async hasAdministrator(tenantId: string): Promise<boolean> {
    const { rows } = await this.db.query<{ found: boolean }>(
      `select exists (select 1 from tenants t join users u on u.tenant_id = t.id and u.id = t.owner_user_id
                      where t.id = $1 and u.status = 'active')
         or exists (select 1 from roles r join users u on u.tenant_id = r.tenant_id and u.role = r.name
                    where r.tenant_id = $1 and r.console <> 'none' and u.status = 'active') as found`,
      [tenantId],
    );
    return rows[0]!.found;
  }

  private async attentionOf(tenantId: string): Promise<AttentionFacts> {
    const { rows } = await this.db.query<AttentionFacts>(STATES, [tenantId]);
    return rows[0]!;
  }
}

function endsToSay(ends: readonly number[], now: number): readonly number[] {
  const ahead = ends.filter((end) => end > now);
  if (ahead.length === 0 && ends.length > 0) return [Math.max(...ends)];
  return ahead.filter((end) => end <= now + SOON_DAYS * DAY_MS);
}
