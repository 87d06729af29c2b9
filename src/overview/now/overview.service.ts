import { Injectable } from '@nestjs/common';
import { Clock } from '../../base/clock.js';
import { Database } from '../../base/database/database.js';
import { FreshCache } from '../../base/fresh-cache.js';
import { SeatHolders } from '../../seats/ledger/seat-holders.js';
import { SeatsRepository } from '../../seats/seats.repository.js';
import { StatusService } from '../status/status.service.js';
import { certificateFacts } from '../../auth/connections/saml.rules.js';
import type { PinnedCertificate } from '../../auth/connections/connection.js';
import { AttentionRepository } from './attention.repository.js';
import { attentionOf } from './attention.rules.js';
import { nearest } from './expiries.rules.js';
import type { OverviewBody } from './overview.dto.js';

/** How old an answer can be, in milliseconds. */
const MOST_AGE_MS = 2_000;
/** How soon a credential has to end to be shown. */
const SOON_DAYS = 30;
const MOST_EXPIRIES = 20;
const DAY_MS = 86_400_000;

/** For how long the answer to who administers holds: no index has the role, so a search reads all users of the tenant. */
const ADMINISTRATORS_AGE_MS = 60_000;

type Facts = Pick<OverviewBody, 'directories' | 'expiries'> &
  Omit<OverviewBody['first_steps'], 'forwarded' | 'administrator'>;

/** Reads what needs attention in a tenant. All who ask within two seconds get one answer. */
@Injectable()
export class OverviewService {
  private readonly answers: FreshCache<OverviewBody>;
  private readonly administrators: FreshCache<boolean>;

  constructor(
    private readonly db: Database,
    private readonly status: StatusService,
    private readonly seats: SeatsRepository,
    private readonly holders: SeatHolders,
    private readonly attention: AttentionRepository,
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
      this.attention.of(tenantId),
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

  /** The certificates of SAML IdPs that end soon. Their end is in the certificate itself. */
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
}

/** Returns the ends within 30 days. Of certificates that have all expired, the last end is said. */
function endsToSay(ends: readonly number[], now: number): readonly number[] {
  const ahead = ends.filter((end) => end > now);
  if (ahead.length === 0 && ends.length > 0) return [Math.max(...ends)];
  return ahead.filter((end) => end <= now + SOON_DAYS * DAY_MS);
}
