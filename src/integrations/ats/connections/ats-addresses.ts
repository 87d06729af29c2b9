import { Injectable } from '@nestjs/common';
import { Config } from '../../../base/config/config.js';
import { DestinationNetworks, PRIVATE_HINT, refusalOfUrl } from '../../../base/http/destination-networks.js';
import { Outbound } from '../../../base/http/outbound.js';
import { parsedUrl } from '../../../base/url.js';
import type { Connector } from '../connectors/connector.js';

/** The one rule for addresses of ATSs that tenants name, and our own addresses that ATSs know. */
@Injectable()
export class AtsAddresses {
  constructor(
    private readonly config: Config,
    private readonly outbound: Outbound,
  ) {}

  /** Returns why an address of an API cannot be used; null: it can. `Outbound` checks each connection again. */
  async problemOf(text: string, tenantId: string, connector: Connector): Promise<string | null> {
    const anyPrivate = this.config.allowPrivateDestinations;
    const admission = { anyPrivate, networks: new DestinationNetworks(this.config.destinationNetworks) };
    const refusal = refusalOfUrl(text, 'platform', admission);
    // Where private addresses are admitted, ports are not limited; what is no address of the web is none anywhere.
    if (refusal !== null && !(anyPrivate && isWeb(text))) return refusal;
    const url = new URL(text);
    if (url.search !== '' || url.hash !== '') return 'must have neither a query nor a fragment';
    const wrong = connector.addressProblem?.(url) ?? null;
    if (wrong !== null) return wrong;
    const found = await this.outbound.refusalOf(url, tenantId, anyPrivate);
    if (found === null) return null;
    return found === 'unknown_name'
      ? 'cannot be reached: its name cannot be looked up'
      : `must lead to public addresses alone (${PRIVATE_HINT})`;
  }

  /** The address that an ATS sends its webhooks to; with the token, as the ATS has it. */
  inbound(provider: string, token?: string): string {
    const address = `${this.config.baseUrl}/api/webhooks/${provider}`;
    return token === undefined ? address : `${address}?api_token=${encodeURIComponent(token)}`;
  }

  /** Returns the token of an address that leads to {@link inbound}; null: it leads elsewhere, or has none. */
  tokenIn(address: string, provider: string): string | null {
    const url = parsedUrl(address);
    if (url === null) return null;
    const token = url.searchParams.get('api_token') ?? '';
    return url.origin + url.pathname === new URL(this.inbound(provider)).href && token !== '' ? token : null;
  }

  /** The redirect URI of a provider's OAuth. */
  callback(provider: string): string {
    return `${this.config.appUrl}/api/integrations/${provider}/callback`;
  }

  /** Where a person begins; an ATS opens it from its settings page. */
  start(provider: string): string {
    return `${this.config.appUrl}/api/integrations/${provider}/start`;
  }

  /** The page of a connect link; with the secret, the link itself. */
  connectLink(provider: string, secret?: string): string {
    const page = `${this.config.appUrl}/api/integrations/${provider}/connect`;
    return secret === undefined ? page : `${page}#${secret}`;
  }

  /** Where the page of a new connection sends the user as whom is written. */
  writer(provider: string): string {
    return `${this.config.appUrl}/api/integrations/${provider}/writer`;
  }

  /** Scheme, host and port of the application. */
  get origin(): string {
    return new URL(this.config.appUrl).origin;
  }
}

function isWeb(text: string): boolean {
  const url = parsedUrl(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '';
}
