import { Injectable } from '@nestjs/common';
import { NotFound } from '../../../base/errors/domain-error.js';
import { Logger } from '../../../base/log/logger.js';
import { AtsFailure } from '../api/ats-api.js';
import { AtsAddresses } from '../connections/ats-addresses.js';
import type { Connector, Region } from '../connectors/connector.js';
import { OAuthClients, type OAuthClient } from '../oauth/oauth-clients.js';
import type { Grant } from '../oauth/token-answer.mapping.js';
import { TokenClient } from '../oauth/token-client.js';
import { connectorOf } from '../providers/providers.js';
import { atsCodeOf, ConnectRefused } from './marketplace.errors.js';

/** OAuth 2.0 at the vendors: where a browser is sent, from where it comes back, and what its code is worth. */
@Injectable()
export class VendorOAuth {
  constructor(
    private readonly clients: OAuthClients,
    private readonly tokens: TokenClient,
    private readonly addresses: AtsAddresses,
    private readonly logger: Logger,
  ) {}

  /**
   * Returns the connector of a provider.
   *
   * @throws {NotFound} where the provider is unknown, has no OAuth, or the operator has set no client for it
   */
  partner(provider: string): Connector {
    const connector = connectorOf(provider);
    if (connector?.oauth == null || this.clients.of(provider) === null) throw new NotFound('integration');
    return connector;
  }

  /** Returns the address to which a browser is sent; `challenge` is that of PKCE (RFC 7636). */
  authorizeUrl(connector: Connector, state: string, challenge: string): string {
    const { client, region } = this.clientOf(connector);
    const url = new URL(region.authorize!);
    const query = {
      response_type: 'code',
      client_id: client.id,
      redirect_uri: this.addresses.callback(connector.provider),
      scope: connector.oauth!.scopes.join(' '),
      state,
      code_challenge: challenge,
      code_challenge_method: 'S256',
      ...connector.oauth!.authorizeParameters(region),
    };
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    return url.href;
  }

  /** Returns the region that an answer names; null: the answer is of another provider. */
  answeredRegion(
    connector: Connector,
    { issuer, tokenOrigin }: { issuer: string | null; tokenOrigin: string | null },
  ): string | null {
    return this.isIssuer(connector, issuer) ? this.clients.answeredRegion(connector, tokenOrigin) : null;
  }

  /**
   * Exchanges a code for a grant.
   *
   * @throws {ConnectRefused} when the vendor refuses the code or gives no answer
   */
  async exchange(
    { tenantId, connector, region: name }: { tenantId: string; connector: Connector; region: string },
    code: string,
    verifier: string,
  ): Promise<Grant> {
    const { client, region } = this.clientOf(connector, name);
    try {
      return await this.tokens.exchange({ tenantId, connector, region, client }, code, {
        redirectUri: this.addresses.callback(connector.provider),
        verifier,
      });
    } catch (error) {
      if (!(error instanceof AtsFailure)) throw error;
      this.logger.warn('ats.code_refused', { tenant_id: tenantId, provider: connector.provider, reason: error.reason });
      throw error.kind === 'refused'
        ? new ConnectRefused('code_refused', atsCodeOf(error.reason))
        : new ConnectRefused('ats_away');
    }
  }

  /** An answer that names another issuer was mixed up by an attacker (RFC 9207 §2.4). */
  private isIssuer(connector: Connector, issuer: string | null): boolean {
    const own = new URL(this.clientOf(connector).region.authorize!).origin;
    return issuer === null || issuer === own || issuer === `${own}/`;
  }

  /** The client of this installation at the vendor; the caller has checked that there is one. */
  private clientOf(
    connector: Connector,
    name = this.clients.usualRegion(connector),
  ): { client: OAuthClient; region: Region } {
    const client = this.clients.of(connector.provider);
    const region = this.clients.region(connector, name);
    if (client === null || region === undefined) throw new Error(`there is no OAuth client for ${connector.provider}`);
    return { client, region };
  }
}
