import { Injectable } from '@nestjs/common';
import { DomainsStore } from '../../../auth/connections/domains/domains.store.js';
import { sendPage, TenantFaces } from '../../../auth/sign-in/pages/layout.js';
import type { BridgeResponse } from '../../../base/http/request.js';
import { TenantStore } from '../../../tenancy/tenants/tenant.store.js';
import { AtsAddresses } from '../connections/ats-addresses.js';
import { AtsConnectionStore } from '../connections/ats-connections.store.js';
import type { Connector } from '../connectors/connector.js';
import { startPage, type Choosable } from './marketplace-pages.js';
import type { Starter } from './marketplace.service.js';

/** The page on which a person sees for which tenant an ATS is connected. */
@Injectable()
export class StartPages {
  constructor(
    private readonly addresses: AtsAddresses,
    private readonly faces: TenantFaces,
    private readonly domains: DomainsStore,
    private readonly tenants: TenantStore,
    private readonly store: AtsConnectionStore,
  ) {}

  /** Sends the page; `code` is the secret of a connect link, null without one. */
  async show(res: BridgeResponse, connector: Connector, starter: Starter, code: string | null): Promise<void> {
    const face = await this.faces.of(starter.tenantId);
    const { provider, title } = connector;
    const { session } = starter;
    const page = startPage({
      title,
      tenant: face?.name ?? '',
      domains: await this.domains.verifiedOf(starter.tenantId),
      former: await this.tenants.formerName(starter.tenantId),
      link: starter.link,
      person: session === null ? null : `${session.first_name} ${session.last_name}`.trim() || (session.email ?? ''),
      action: code === null ? this.addresses.start(provider) : this.addresses.connectLink(provider),
      code,
      connections: await this.choosable(starter.tenantId, provider),
    });
    sendPage(res, page, face);
  }

  /** The connections that a new grant can be given to: those made by OAuth, and those that are disconnected. */
  async choosable(tenantId: string, provider: string): Promise<Choosable[]> {
    const all = await this.store.of(tenantId);
    return all
      .filter((one) => one.provider === provider && (one.credential?.kind === 'oauth' || one.state === 'disconnected'))
      .map(({ id, name }) => ({ id, name }));
  }
}
