import { Injectable } from '@nestjs/common';
import { scimBaseOf, TenantAddresses } from '../../tenancy/tenants/tenant-addresses.js';
import type { DirectoryBody } from './directories.dto.js';
import type { DirectoryRow } from './directories.repository.js';
import { DirectoryContent, type DirectoryCounts } from './directory-content.js';
import { declaredOf, guardOf } from './directory.js';

/** Directories as the API shows them. */
@Injectable()
export class DirectoryView {
  constructor(
    private readonly addresses: TenantAddresses,
    private readonly content: DirectoryContent,
  ) {}

  /** Returns a directory as lists show it. */
  async of(tenantId: string, row: DirectoryRow): Promise<DirectoryBody> {
    const scimBaseUrl = scimBaseOf(await this.addresses.of(tenantId));
    const { guard, custom_attributes: custom } = row;
    return { ...row, guard: guardOf(guard), custom_attributes: declaredOf(custom), scim_base_url: scimBaseUrl };
  }

  /** Returns a directory with the numbers of its page. */
  async withCounts(tenantId: string, row: DirectoryRow): Promise<DirectoryBody & DirectoryCounts> {
    return { ...(await this.of(tenantId, row)), ...(await this.content.counts(tenantId, row.id)) };
  }
}
