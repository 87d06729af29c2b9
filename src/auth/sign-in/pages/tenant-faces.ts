import { Injectable } from '@nestjs/common';
import { TenantStore } from '../../../tenancy/tenants/tenant.store.js';

/** What pages show of a tenant. */
export interface TenantFace {
  name: string;
  /** An https or mailto address; null: none. */
  helpUrl: string | null;
}

/** Reads the names and help links of tenants, for pages. */
@Injectable()
export class TenantFaces {
  constructor(private readonly tenants: TenantStore) {}

  /**
   * Returns what pages show of a tenant.
   *
   * @param tenantId null: the page belongs to no tenant
   */
  async of(tenantId: string | null | undefined): Promise<TenantFace | null> {
    if (tenantId === null || tenantId === undefined) return null;
    // A page without the name is better than an error.
    const tenant = await this.tenants.get(tenantId).catch(() => null);
    return tenant === null ? null : { name: tenant.name, helpUrl: tenant.helpUrl };
  }
}
