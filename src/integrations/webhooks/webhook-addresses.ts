import { isIP } from 'node:net';
import { Injectable } from '@nestjs/common';
import { Config } from '../../base/config/config.js';
import {
  DestinationNetworks,
  bare,
  isPublicAddress,
  PRIVATE_HINT,
  refusalOfUrl,
  type Admission,
} from '../../base/http/destination-networks.js';
import { Outbound } from '../../base/http/outbound.js';
import { TenantAddresses } from '../../tenancy/tenants/tenant-addresses.js';

const UNREACHABLE = 'cannot be reached: its name cannot be looked up';

/** The one rule for addresses of endpoints: at save, at change, at test and at delivery. */
@Injectable()
export class WebhookAddresses {
  private readonly admission: Admission;
  private readonly own: readonly URL[];

  constructor(
    config: Config,
    private readonly tenants: TenantAddresses,
    private readonly outbound: Outbound,
  ) {
    this.admission = {
      anyPrivate: config.allowPrivateDestinations,
      networks: new DestinationNetworks(config.destinationNetworks),
    };
    this.own = [config.baseUrl, config.apiBaseUrl, config.appUrl].map((text) => new URL(text));
  }

  /** Whether addresses of tenants may be private. */
  get anyPrivate(): boolean {
    return this.admission.anyPrivate;
  }

  /** Returns why no event is sent to an address, by its text; null: it may be. `Outbound` checks what it connects to. */
  async problemOf(text: string): Promise<string | null> {
    const refusal = refusalOfUrl(text, 'webhook', this.admission);
    if (refusal !== null) return refusal;
    const url = new URL(text);
    if (url.hash !== '') return 'must not have a fragment';
    if (url.hostname.endsWith('.')) return 'must not end its host name with a dot';
    return (await this.isOurs(url)) ? 'must not be an address of this service' : null;
  }

  /** The same with a look at every IP address that the name has now. */
  async problemOfName(text: string, tenantId: string): Promise<string | null> {
    const problem = await this.problemOf(text);
    if (problem !== null) return problem;
    const refusal = await this.outbound.refusalOf(new URL(text), tenantId, this.anyPrivate);
    if (refusal === null) return null;
    return refusal === 'unknown_name' ? UNREACHABLE : `must lead to public addresses alone (${PRIVATE_HINT})`;
  }

  private async isOurs(url: URL): Promise<boolean> {
    const ours = this.own.some(
      (own) => own.hostname === url.hostname && (isPublicHost(own.hostname) || portOf(own) === portOf(url)),
    );
    return ours || (await this.tenants.has(url.host));
  }
}

/** Many services share a private host or `localhost`: there the port tells them apart. */
function isPublicHost(hostname: string): boolean {
  const host = bare(hostname);
  return isIP(host) === 0 ? host.includes('.') && !host.endsWith('.localhost') : isPublicAddress(host);
}

function portOf({ port, protocol }: URL): string {
  if (port !== '') return port;
  return protocol === 'https:' ? '443' : '80';
}
