import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../../base/clock.js';
import { AtsFailure } from '../api/ats-api.js';
import type { Connector } from '../connectors/connector.js';
import { connectorOf } from '../providers/providers.js';
import { OAuthClients } from '../oauth/oauth-clients.js';
import { isDue, keepAliveAt } from '../oauth/token-answer.mapping.js';
import { TokenClient } from '../oauth/token-client.js';
import { AtsConnectionStore } from './ats-connections.store.js';
import type { AtsConnection } from './connection.js';
import type { Credential } from '../api/credential.js';
import { isPassing } from './passing-failure.js';
import { RenewalsRepository } from './renewals.repository.js';

type Renewable = Exclude<Credential, { kind: 'api_key' }>;

/** How often, and how long, a renewal of another process is waited for. */
const LOOK_MS = 100;
const LOOKS = 300;

/** A renewed grant is the only one from then on: it is stored as soon as the database is back, within the lease. */
const STORE_TRIES = 20;
const STORE_MS = 1_000;

/**
 * Gives calls the credential of their connection, and renews it. Of all calls of all processes that meet an access token
 * at its end, one renews it: it holds a lease, looks again after it got it, and stores the new pair before a call uses it.
 */
@Injectable()
export class AtsCredentials {
  /** Renewals of this process that are under way, by connection. */
  private readonly running = new Map<string, Promise<Credential>>();

  constructor(
    private readonly store: AtsConnectionStore,
    private readonly renewals: RenewalsRepository,
    private readonly tokens: TokenClient,
    private readonly clients: OAuthClients,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns the credential that a call is made with. One that ends soon is renewed first.
   *
   * @throws {AtsFailure} `refused` where there is none or the renewal is refused; `away` where the token host is away
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

  /**
   * After a 401: returns another credential than the refused one; null: this kind cannot be renewed.
   *
   * @throws {AtsFailure} as for `current`
   */
  async renewed(connection: AtsConnection, refused: Credential): Promise<Credential | null> {
    if (refused.kind === 'api_key') return null;
    return this.renew(connection, (kept) => kept.kind !== 'api_key' && kept.accessToken === refused.accessToken);
  }

  /**
   * Returns a credential that is not stored yet as calls can use it: of a client, with an access token.
   *
   * @throws {AtsFailure} `refused` where the token address refuses it; `away` where the token host is away
   */
  async forCalls(connection: AtsConnection, credential: Credential): Promise<Credential> {
    return credential.kind === 'client_credentials' ? this.ask(connection, credential) : credential;
  }

  /** Renews a grant that nothing has used for long. */
  async keepAlive(connection: AtsConnection): Promise<void> {
    const { credential } = connection;
    if (credential?.kind !== 'oauth') return;
    await this.renew(connection, (kept) => kept.kind === 'oauth' && kept.accessToken === credential.accessToken);
  }

  /** Returns what is stored for a new grant beside it. */
  keepAliveAt(connector: Connector, credential: Credential): Date | null {
    return keepAliveAt(credential, connector.oauth?.refreshIdleMs ?? null);
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
      const kept = await this.renewals.credential(tenantId, id);
      if (kept === null) throw new AtsFailure('refused', 'no_credential', 'The connection has no credential.');
      if (kept.kind === 'api_key' || !isOld(kept)) return kept;
      const holder = await this.renewals.take(tenantId, id);
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
      // The former holder may have stored another pair between the look and the lease.
      const kept = await this.renewals.credential(tenantId, id);
      if (kept === null) throw new AtsFailure('refused', 'no_credential', 'The connection has no credential.');
      if (kept.kind === 'api_key' || !isOld(kept)) return kept;
      const fresh = await this.ask(connection, kept);
      const at = this.keepAliveAt(connectorOfConnection(connection), fresh);
      if (!(await this.stored(() => this.renewals.store(tenantId, id, holder, fresh, at)))) {
        throw new AtsFailure(
          'away',
          'renewal_lost',
          'The grant was renewed, and the connection has another one by now.',
        );
      }
      await this.store.forget(tenantId);
      return fresh;
    } finally {
      await this.renewals.release(tenantId, id, holder);
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
    const region = this.clients.region(connector, connection.region);
    if (region === undefined)
      throw new AtsFailure('away', 'unknown_region', 'The region of the connection is not known.');
    const { tenantId } = connection;
    if (kept.kind === 'client_credentials') {
      const { credential } = await this.tokens.ofClient({ tenantId, connector, region }, kept);
      return { ...kept, accessToken: credential.accessToken, expiresAt: credential.expiresAt };
    }
    const client = this.clients.of(connector.provider);
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
}

const SOON_MS = 60_000;
const SAFETY_MS = 5_000;

function connectorOfConnection({ provider }: AtsConnection): Connector {
  const connector = connectorOf(provider);
  if (connector === undefined)
    throw new AtsFailure('rejected', 'unknown_provider', 'There is no connector of this name.');
  return connector;
}
