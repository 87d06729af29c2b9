import { Injectable } from '@nestjs/common';
import { TenantStore } from '../../tenants/tenant.store.js';

/** What a page of the sign-in shows of a tenant. */
export interface TenantFace {
  name: string;
  /** An https or mailto address; null: none is set. */
  helpUrl: string | null;
}

/** The names and help links of tenants, for pages. */
@Injectable()
export class TenantFaces {
  constructor(private readonly tenants: TenantStore) {}

  /** @param tenantId null where the page belongs to no tenant */
  async of(tenantId: string | null | undefined): Promise<TenantFace | null> {
    if (tenantId === null || tenantId === undefined) return null;
    // A page without the name is better than none.
    const tenant = await this.tenants.get(tenantId).catch(() => null);
    return tenant === null ? null : { name: tenant.name, helpUrl: tenant.helpUrl };
  }
}
