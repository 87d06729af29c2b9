import { Injectable } from '@nestjs/common';
import { Config } from '../../base/config/config.js';
import { DomainEvents } from '../../base/domain-events.js';
import { Logger } from '../../base/log/logger.js';
import { DestinationsRepository } from '../../engine/delivery/destinations/destinations.repository.js';
import { TenantsRepository } from '../../tenancy/tenants/tenants.repository.js';
import { TenantReady } from '../../tenancy/tenants/tenants.events.js';
import { platformOf } from '../platform-destination.js';
import { PlatformService } from './platform.service.js';

/**
 * The platform connection of the first tenant, from `PLATFORM_API_BASE_URL` and `PLATFORM_API_KEY`: made at the start, or
 * when that tenant is created, if it has none.
 */
@Injectable()
export class FirstPlatform {
  constructor(
    private readonly config: Config,
    private readonly tenants: TenantsRepository,
    private readonly platform: PlatformService,
    private readonly destinations: DestinationsRepository,
    private readonly logger: Logger,
    events: DomainEvents,
  ) {
    events.on(TenantReady, async () => {
      // The tenant exists; the next start tries again.
      await this.apply().catch((error: unknown) => this.logger.error('platform connection not made', { error }));
    });
  }

  /**
   * Fills the connection, if there is a first tenant without one.
   *
   * @returns why the settings are not used, in words; null: they are used, or not set
   */
  async apply(): Promise<string | null> {
    const { baseUrl, apiKey } = this.config.platform;
    if (baseUrl === undefined) {
      return apiKey === undefined ? null : 'PLATFORM_API_KEY is not used: PLATFORM_API_BASE_URL is not set.';
    }
    const tenantId = await this.tenants.first();
    if (tenantId === null) return null; // used when the tenant is created
    if (await this.platform.ensure(tenantId, baseUrl, apiKey ?? null)) {
      this.logger.info('platform connection made from PLATFORM_API_BASE_URL', { tenant_id: tenantId });
      return null;
    }
    const known = await this.destinations.read(platformOf(tenantId));
    if (known === null) return null;
    const instead = 'Change it with `platform set`, or take the setting away.';
    if (known.baseUrl !== baseUrl) {
      return `PLATFORM_API_BASE_URL is not used: the first tenant (${tenantId}) has a platform connection to ${known.baseUrl} already. ${instead}`;
    }
    if (apiKey !== undefined && !known.keyUnreadable && known.key !== apiKey) {
      return `PLATFORM_API_KEY is not used: the platform connection of the first tenant (${tenantId}) has another key. ${instead}`;
    }
    return null;
  }
}
