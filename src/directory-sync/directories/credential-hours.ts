import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Database } from '../../base/database/database.js';
import { Logger } from '../../base/log/logger.js';

const FLUSH_EVERY = 5_000;

/** The requests of a SCIM token or a client that are not written yet. */
interface Counted {
  tenantId: string;
  credentialId: string;
  requests: number;
  dialect: string | null;
}

/** The requests of a credential, as the API shows them. */
export interface CredentialRequests {
  requests_last_day: number;
  dialect: string | null;
}

/** Those of a new credential. */
export const NO_REQUESTS: CredentialRequests = { requests_last_day: 0, dialect: null };

/**
 * Counts the requests of each SCIM token and each client by the hour, with the IdP that they show: an old credential can be
 * revoked without fear once it has none. Written in batches; a killed process loses those of five seconds.
 */
@Injectable()
export class CredentialHours implements OnModuleInit, OnApplicationShutdown {
  private counts = new Map<string, Counted>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly db: Database,
    private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    this.timer = setInterval(() => void this.flush(), FLUSH_EVERY).unref();
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.flush();
  }

  /** Counts a request; `dialect` is null where the request does not show its IdP. */
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

  /** Writes what was counted. A count that cannot be written is forgotten: it is a hint for people, not evidence. */
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

/** Rows of credentials that end automatically: a day is shown, and the last dialect for a week. */
export const CREDENTIAL_HOUR_LEFTOVERS = [
  `delete from credential_hours where hour < now() - interval '7 days'`,
] as const;
