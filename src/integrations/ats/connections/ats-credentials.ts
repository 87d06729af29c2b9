import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../../base/clock.js';
import { Database } from '../../../base/database/database.js';
import { type Credential, AtsFailure } from '../api/ats-api.js';
import type { Connector } from '../connectors/connector.js';
import { TokenClient, isDue, keepAliveAt } from '../oauth/token-client.js';
import { connectorOf } from '../providers/providers.js';
import { AtsConnectionStore } from './ats-connections.store.js';
import { SERVER, type AtsConnection, isPassing } from './connection.js';

/** Longer than a renewal can take. */
const LEASE_SECONDS = 30;

/** SQL: the connections whose grants have been unused for long. */
export const DUE_RENEWALS = `select c.tenant_id, c.id, c.renew_at as since, ${SERVER} as server
  from ats_connections c where c.renew_at <= now()`;

type Renewable = Exclude<Credential, { kind: 'api_key' }>;

/** The interval of the look-ups while another process renews, in milliseconds. */
const LOOK_MS = 100;
const LOOKS = 300;

/** A renewed grant replaces the former one at once: it is stored as soon as the database is back, within the lease. */
const STORE_TRIES = 20;
const STORE_MS = 1_000;

const SOON_MS = 60_000;
const SAFETY_MS = 5_000;

/**
 * Gives calls the credential of their connection, and renews it. Of all calls of all processes that meet an expiring
 * access token, one renews it: it holds a lease, reads the credential again, and stores the new pair before a call
 * uses it.
 */
@Injectable()
export class AtsCredentials {
  private readonly running = new Map<string, Promise<Credential>>();

  constructor(
    private readonly store: AtsConnectionStore,
    private readonly tokens: TokenClient,
    private readonly clock: Clock,
    private readonly db: Database,
  ) {}

  /**
   * Renews a credential that ends soon first.
   *
   * @throws {AtsFailure} `refused` without a credential or renewal; `away` when the token host is away
   */
  async current(connection: AtsConnection): Promise<Credential> {
    const { credential } = connection;
    if (credential === null) throw new AtsFailure('refused', 'no_credential', 'The connection has no credential.');
    if (!this.endsSoon(credential)) return credential;
    try {
      return await this.renew(connection, (kept) => this.endsSoon(kept));
    } catch (error) {
      // The token host is away, and the token has a fifth of its life left.
      if (error instanceof AtsFailure && error.kind === 'away' && this.isLive(credential)) return credential;
      throw error;
    }
  }

  /** Returns another credential than the one refused with 401, or null. @throws {AtsFailure} as for `current` */
  async renewed(connection: AtsConnection, refused: Credential): Promise<Credential | null> {
    if (refused.kind === 'api_key') return null;
    return this.renew(connection, (kept) => kept.kind !== 'api_key' && kept.accessToken === refused.accessToken);
  }

  /** An unstored credential of a client gets an access token. @throws {AtsFailure} as for `current` */
  async forCalls(connection: AtsConnection, credential: Credential): Promise<Credential> {
    return credential.kind === 'client_credentials' ? this.ask(connection, credential) : credential;
  }

  async keepAlive(connection: AtsConnection): Promise<void> {
    const { credential } = connection;
    if (credential?.kind !== 'oauth') return;
    await this.renew(connection, (kept) => kept.kind === 'oauth' && kept.accessToken === credential.accessToken);
  }

  private renew(connection: AtsConnection, isOld: (kept: Credential) => boolean): Promise<Credential> {
    const key = `${connection.tenantId} ${connection.id}`;
    const running = this.running.get(key);
    if (running !== undefined) return running;
    const renewal = this.leased(connection, isOld).finally(() => this.running.delete(key));
    this.running.set(key, renewal);
    return renewal;
  }

  private async leased(connection: AtsConnection, isOld: (kept: Credential) => boolean): Promise<Credential> {
    const { tenantId, id } = connection;
    for (let look = 0; look < LOOKS; look++) {
      const kept = await this.credential(tenantId, id);
      if (kept === null) throw new AtsFailure('refused', 'no_credential', 'The connection has no credential.');
      if (kept.kind === 'api_key' || !isOld(kept)) return kept;
      const holder = await this.take(tenantId, id);
      if (holder !== null) return this.held(connection, holder, isOld);
      await sleep(LOOK_MS);
    }
    throw new AtsFailure('away', 'renewal_busy', 'Another process renews the grant and does not end.');
  }

  private async held(
    connection: AtsConnection,
    holder: string,
    isOld: (kept: Credential) => boolean,
  ): Promise<Credential> {
    const { tenantId, id } = connection;
    try {
      // The former holder may have stored another pair between the first read and the lease.
      const kept = await this.credential(tenantId, id);
      if (kept === null) throw new AtsFailure('refused', 'no_credential', 'The connection has no credential.');
      if (kept.kind === 'api_key' || !isOld(kept)) return kept;
      const fresh = await this.ask(connection, kept);
      const at = keepAliveAt(fresh, connectorOfConnection(connection).oauth?.refreshIdleMs ?? null);
      if (!(await this.stored(() => this.storeRenewal(tenantId, id, holder, fresh, at)))) {
        throw new AtsFailure(
          'away',
          'renewal_lost',
          'The grant was renewed, and the connection has another one by now.',
        );
      }
      await this.store.forget(tenantId);
      return fresh;
    } finally {
      await this.release(tenantId, id, holder);
    }
  }

  private async stored(store: () => Promise<boolean>): Promise<boolean> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await store();
      } catch (error) {
        if (attempt === STORE_TRIES || !isPassing(error)) throw error;
        await sleep(STORE_MS);
      }
    }
  }

  private async ask(connection: AtsConnection, kept: Renewable): Promise<Credential> {
    const connector = connectorOfConnection(connection);
    const region = this.tokens.region(connector, connection.region);
    if (region === undefined)
      throw new AtsFailure('away', 'unknown_region', 'The region of the connection is not known.');
    const { tenantId } = connection;
    if (kept.kind === 'client_credentials') {
      const { credential } = await this.tokens.ofClient({ tenantId, connector, region }, kept);
      return { ...kept, accessToken: credential.accessToken, expiresAt: credential.expiresAt };
    }
    const client = this.tokens.clientOf(connector.provider);
    if (client === null) {
      throw new AtsFailure('away', 'no_client', `The operator has set no OAuth client for ${connector.title}.`);
    }
    if (kept.refreshToken === null) throw new AtsFailure('refused', 'no_refresh_token', 'The grant cannot be renewed.');
    return (await this.tokens.refresh({ tenantId, connector, region, client }, kept.refreshToken)).credential;
  }

  private endsSoon(credential: Credential): boolean {
    const now = this.clock.now();
    if (credential.kind === 'api_key') return false;
    if (credential.kind === 'oauth') return isDue(credential, now);
    const { accessToken, expiresAt } = credential;
    return accessToken === null || expiresAt === null || Date.parse(expiresAt) - now.getTime() < SOON_MS;
  }

  private isLive(credential: Credential): boolean {
    if (credential.kind === 'api_key' || credential.expiresAt === null) return false;
    return Date.parse(credential.expiresAt) > this.clock.now().getTime() + SAFETY_MS;
  }

  /** Takes the lease. @returns its holder, or null while another process has it */
  private async take(tenantId: string, id: string): Promise<string | null> {
    const holder = randomUUID();
    const { rowCount } = await this.db.query(
      `insert into ats_renewals as r (tenant_id, connection_id, holder, until)
       select $1, $2, $3, now() + make_interval(secs => ${LEASE_SECONDS})
       where exists (select 1 from ats_connections where tenant_id = $1 and id = $2)
       on conflict (tenant_id, connection_id) do update set holder = excluded.holder, until = excluded.until
       where r.until <= now()`,
      [tenantId, id, holder],
    );
    return rowCount === 1 ? holder : null;
  }

  private async credential(tenantId: string, id: string): Promise<Credential | null> {
    const { rows } = await this.db.query<{ credential_sealed: string | null }>(
      `select credential_sealed from ats_connections where tenant_id = $1 and id = $2`,
      [tenantId, id],
    );
    return this.store.openCredential(tenantId, id, rows[0]?.credential_sealed ?? null);
  }

  /**
   * Stores a renewed credential, and returns the lease.
   *
   * @returns false when the lease was lost, or the connection has another credential by now
   */
  private async storeRenewal(
    tenantId: string,
    id: string,
    holder: string,
    credential: Credential,
    renewAt: Date | null,
  ): Promise<boolean> {
    const { rowCount } = await this.db.query(
      `with held as (delete from ats_renewals where tenant_id = $1 and connection_id = $2 and holder = $3 returning 1)
       update ats_connections set credential_sealed = $4, renew_at = $5, updated_at = now()
       where tenant_id = $1 and id = $2 and credential_sealed is not null and exists (select 1 from held)`,
      [tenantId, id, holder, this.store.sealCredential(tenantId, id, credential), renewAt],
    );
    return rowCount === 1;
  }

  private async release(tenantId: string, id: string, holder: string): Promise<void> {
    await this.db.query(`delete from ats_renewals where tenant_id = $1 and connection_id = $2 and holder = $3`, [
      tenantId,
      id,
      holder,
    ]);
  }

  async putOff(tenantId: string, id: string): Promise<void> {
    await this.db.query(
      `update ats_connections set renew_at = now() + interval '1 hour'
       where tenant_id = $1 and id = $2 and renew_at <= now()`,
      [tenantId, id],
    );
  }
}

function connectorOfConnection({ provider }: AtsConnection): Connector {
  const connector = connectorOf(provider);
  if (connector === undefined)
    throw new AtsFailure('rejected', 'unknown_provider', 'There is no connector of this name.');
  return connector;
}
