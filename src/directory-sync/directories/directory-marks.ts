import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Database, type SqlRunner } from '../../base/database/database.js';
import { DomainError } from '../../base/errors/domain-error.js';
import { ApiFilter } from '../../base/http/api-answers.js';
import { queryChoice, queryOptions, type Query } from '../../base/http/query.js';
import { Logger } from '../../base/log/logger.js';
import { IntervalWork } from '../../base/work/work.js';
import { EventsRepository, type NewEvent } from '../../engine/events/events.service.js';

/** A refused credential; `prefix` holds no part of the secret. */
export interface TokenRefusal {
  at: string;
  /**
   * Of a token: `unknown`, `expired`, `revoked`, `access_token_expired`. `incomplete`: the length or checksum of a
   * token is wrong. `doubled_bearer`: the header has `Bearer` twice. `no_bearer`: the header lacks it.
   * `not_a_scim_token`: a credential of another kind. `outside_allow_from`: a valid credential from an address that the
   * directory does not admit. Of a client: a `ClientRefusalReason`.
   */
  reason: string;
  prefix: string;
  /** The address of a request that `allow_from` refused, or whose token no directory has. */
  address?: string | null;
  /** The tenant has a single directory, which has no token with this beginning. */
  unassigned?: true;
  client_id?: string;
  kind?: string;
}

/** Why a user does not get a role of SCIM `roles`. */
export type RoleRefusal = 'unknown_role' | 'role_needs_admin';

/** A role that a directory wrote and its user did not get. `at` is ISO 8601. */
interface RefusedRoleMark {
  at: string;
  role: string;
  user_id: string;
  reason: RoleRefusal;
}

/**
 * Whether a request comes after a pause. The usual pause of a directory is its longest one. Each shorter pause makes
 * the usual one a tenth shorter, since an IdP that writes on events has pauses of all lengths.
 */
const PAUSE = `u.at - d.last_request_at >= interval '1 minute'`;

const FLUSH_EVERY = 5_000;

interface Counted {
  tenantId: string;
  credentialId: string;
  requests: number;
  dialect: string | null;
}

export interface CredentialRequests {
  requests_last_day: number;
  dialect: string | null;
}

export const NO_REQUESTS: CredentialRequests = { requests_last_day: 0, dialect: null };

/**
 * Stores the last events of a directory: last request, refused token and refused role.
 *
 * Counts the requests of each credential by the hour: an old one without requests can be revoked. Written in batches; a
 * killed process loses the counts of five seconds.
 */
@Injectable()
export class DirectoryMarks implements OnModuleInit, OnApplicationShutdown {
  private counts = new Map<string, Counted>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly db: Database,
    private readonly records: EventsRepository,
    private readonly logger: Logger,
  ) {}

  async refusedRole(tenantId: string, directoryId: string, found: RefusedRoleMark): Promise<void> {
    await this.db.query(`update directories set last_unknown_role = $3 where tenant_id = $1 and id = $2`, [
      tenantId,
      directoryId,
      found,
    ]);
  }

  /**
   * Stores a refused token at its directory, and records the event. The directory of an unknown token has a token with
   * the same beginning. Without such a directory, the tenant stores the refusal with its address.
   *
   * @param directoryId null when the token is unknown
   */
  async refusedToken(
    tenantId: string,
    directoryId: string | null,
    refusal: TokenRefusal,
    unknown: { begins: string; address: string | null } | null = null,
  ): Promise<void> {
    await this.db.transaction(tenantId, async (tx) => {
      const own = directoryId ?? (await this.directoryOf(tx, tenantId, unknown?.begins ?? refusal.prefix));
      const id = own === null ? await this.unassigned(tx, tenantId, refusal, unknown?.address ?? null) : own;
      // A wrong token can name a tenant that does not exist.
      if (id === undefined) return;
      if (own !== null) await this.mark(tx, tenantId, own, refusal);
      const { at, reason, prefix } = refusal;
      // A client whose access token has expired gets the next one.
      if (reason === 'access_token_expired') return;
      const event: NewEvent = {
        event: 'directory.refused',
        data: { directory_id: id, reason, token_prefix: prefix },
        // Any client that knows the tenant's id can cause a refusal: one event a day for each directory and reason.
        threshold: `${id ?? 'none'} ${reason} ${at.slice(0, 10)}`,
      };
      await this.records.record(tenantId, [event], tx);
    });
  }

  private async directoryOf(tx: SqlRunner, tenantId: string, begins: string): Promise<string | null> {
    const { rows } = await tx.query<{ id: string }>(
      `select t.directory_id as id from scim_tokens t join directories d on d.tenant_id = t.tenant_id and d.id = t.directory_id
       where t.tenant_id = $1 and t.prefix = $2 and d.deleted_at is null limit 1`,
      [tenantId, begins],
    );
    return rows[0]?.id ?? null;
  }

  /**
   * Stores a refusal of a token that no directory has. A single directory is marked too: its IdP may be just being
   * connected.
   *
   * @returns that directory; null when there are none or several; undefined when the tenant does not exist
   */
  private async unassigned(
    tx: SqlRunner,
    tenantId: string,
    refusal: TokenRefusal,
    address: string | null,
  ): Promise<string | null | undefined> {
    const { rows: tenants } = await tx.query(
      `insert into refused_tokens as r (tenant_id, refusal) select id, $2 from tenants where id = $1
       on conflict (tenant_id) do update set refusal = excluded.refusal returning 1`,
      [tenantId, { ...refusal, address }],
    );
    if (tenants.length === 0) return undefined;
    const { rows } = await tx.query<{ id: string }>(
      `select id from directories where tenant_id = $1 and deleted_at is null limit 2`,
      [tenantId],
    );
    if (rows.length !== 1) return null;
    await this.mark(tx, tenantId, rows[0]!.id, { ...refusal, unassigned: true });
    return rows[0]!.id;
  }

  private async mark(tx: SqlRunner, tenantId: string, id: string, refusal: TokenRefusal): Promise<void> {
    await tx.query(`update directories set last_refusal = $3 where tenant_id = $1 and id = $2 and deleted_at is null`, [
      tenantId,
      id,
      refusal,
    ]);
  }

  async seen(uses: readonly { tenantId: string; directoryId: string; at: Date }[]): Promise<void> {
    await this.db.query(
      `update directories d set last_request_at = u.at,
         pauses = case when ${PAUSE} then d.pauses + 1 else d.pauses end,
         usual_pause_seconds = case
           when ${PAUSE} then greatest(extract(epoch from u.at - d.last_request_at)::int, d.usual_pause_seconds * 9 / 10)
           else d.usual_pause_seconds end
       from (select tenant_id, id, max(at) as at
             from unnest($1::text[], $2::text[], $3::timestamptz[]) n (tenant_id, id, at) group by 1, 2) u
       where d.tenant_id = u.tenant_id and d.id = u.id and (d.last_request_at is null or d.last_request_at < u.at)`,
      [uses.map((use) => use.tenantId), uses.map((use) => use.directoryId), uses.map((use) => use.at)],
    );
  }

  onModuleInit(): void {
    this.timer = setInterval(() => void this.flush(), FLUSH_EVERY).unref();
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.flush();
  }

  /** `dialect` is null where the request does not show its IdP. */
  note({ tenantId, credentialId, dialect }: Omit<Counted, 'requests'>): void {
    const known = this.counts.get(credentialId);
    if (known === undefined) {
      this.counts.set(credentialId, { tenantId, credentialId, dialect, requests: 1 });
      return;
    }
    known.requests += 1;
    known.dialect = dialect ?? known.dialect;
  }

  /** Adds the requests of the last 24 hours, whole hours, to credentials. */
  async shownWith<T extends { id: string }>(
    tenantId: string,
    credentials: readonly T[],
  ): Promise<(T & CredentialRequests)[]> {
    const { rows } = await this.db.query<CredentialRequests & { credential_id: string }>(
      `select credential_id,
         coalesce(sum(requests) filter (where hour > now() - interval '24 hours'), 0)::int as requests_last_day,
         (array_agg(dialect order by hour desc) filter (where dialect is not null))[1] as dialect
       from credential_hours where tenant_id = $1 and credential_id = any($2) group by credential_id`,
      [tenantId, credentials.map(({ id }) => id)],
    );
    const byId = new Map(rows.map(({ credential_id, ...counts }) => [credential_id, counts]));
    return credentials.map((one) => ({ ...one, ...(byId.get(one.id) ?? NO_REQUESTS) }));
  }

  /** Writes the counts. A count that cannot be written is dropped: it is a hint, not evidence. */
  async flush(): Promise<void> {
    if (this.counts.size === 0) return;
    const counts = [...this.counts.values()];
    this.counts = new Map();
    try {
      await this.db.query(
        `insert into credential_hours as h (tenant_id, credential_id, hour, requests, dialect)
         select n.tenant_id, n.credential_id, date_trunc('hour', now()), n.requests, n.dialect
         from unnest($1::text[], $2::text[], $3::int[], $4::text[]) n (tenant_id, credential_id, requests, dialect)
         on conflict (tenant_id, credential_id, hour) do update
           set requests = h.requests + excluded.requests, dialect = coalesce(excluded.dialect, h.dialect)`,
        [
          counts.map(({ tenantId }) => tenantId),
          counts.map(({ credentialId }) => credentialId),
          counts.map(({ requests }) => requests),
          counts.map(({ dialect }) => dialect),
        ],
      );
    } catch (error) {
      this.logger.warn('requests of credentials not counted', { error });
    }
  }
}

/** A day of requests is shown, and the last dialect for a week. */
export const CREDENTIAL_HOUR_LEFTOVERS = [
  `delete from credential_hours where hour < now() - interval '7 days'`,
] as const;

const DAY_MS = 86_400_000;

/** A credential that was used in the last 24 hours does not end without `force`: its IdP would get 401. */
class CredentialInUse extends DomainError {
  readonly kind = 'conflict';
  readonly code = 'credential_in_use';
  constructor(lastUsedAt: Date) {
    super(
      `The credential was last used at ${lastUsedAt.toISOString()}, within the last 24 hours. Give the IdP another credential first, or repeat the request with force=true.`,
      { members: { last_used_at: lastUsedAt.toISOString() } },
    );
  }
}

/** @throws {CredentialInUse} when the credential was used in the last 24 hours, unless `force` is set */
export function demandUnused(lastUsedAt: Date | null, now: Date, force: boolean): void {
  if (force || lastUsedAt === null || now.getTime() - lastUsedAt.getTime() >= DAY_MS) return;
  throw new CredentialInUse(lastUsedAt);
}

export const FORCE_OPTION = ApiFilter('force', '`true`: also a credential that was used in the last 24 hours.', {
  enum: ['true', 'false'],
});

/** Reads the option `force`. */
export function isForced(query: Query): boolean {
  return queryChoice('force', queryOptions(query, ['force']).force, ['true', 'false']) === 'true';
}

const LEAST_PAUSES = 5;
/** An IdP that writes each minute may have nothing to write for an hour. */
const LEAST_SECONDS = 3_600;
/** A directory that is silent for more days is out of use. */
const MOST_DAYS = 30;

interface Quiet {
  tenant_id: string;
  id: string;
  last_request_at: Date;
  usual_pause_seconds: number;
}

/** Records directories whose IdP has sent nothing for three times its usual pause, once for each silence. */
@Injectable()
export class QuietDirectories extends IntervalWork {
  override readonly kind = 'directories.quiet';
  override readonly everyMs = 10 * 60_000;

  constructor(
    private readonly db: Database,
    private readonly events: EventsRepository,
    private readonly logger: Logger,
  ) {
    super();
  }

  override async run(): Promise<void> {
    const { rows } = await this.db.query<Quiet>(
      `select tenant_id, id, last_request_at, usual_pause_seconds from directories
       where deleted_at is null and pauses >= $1 and told_quiet_since is distinct from last_request_at
         and last_request_at < now() - greatest(3 * usual_pause_seconds, $2) * interval '1 second'
         and last_request_at > now() - $3 * interval '1 day'`,
      [LEAST_PAUSES, LEAST_SECONDS, MOST_DAYS],
    );
    for (const row of rows) await this.record(row);
  }

  private async record({ tenant_id: tenantId, id, ...row }: Quiet): Promise<void> {
    const data = {
      directory_id: id,
      last_request_at: row.last_request_at.toISOString(),
      usual_interval_seconds: row.usual_pause_seconds,
    };
    await this.db.transaction(tenantId, async (tx) => {
      // Another process may look at the same time; a request may have arrived since the query.
      const { rowCount } = await tx.query(
        `update directories set told_quiet_since = last_request_at
         where tenant_id = $1 and id = $2 and told_quiet_since is distinct from last_request_at
           and date_trunc('milliseconds', last_request_at) = $3`,
        [tenantId, id, row.last_request_at],
      );
      if (rowCount === 0) return;
      this.logger.warn('directory.quiet', { tenant_id: tenantId, ...data });
      await this.events.record(tenantId, [{ event: 'directory.quiet', data }], tx);
    });
  }
}
