import { Injectable } from '@nestjs/common';
import { Clock } from '../../../base/clock.js';
import { DirectoryMarks } from '../../directories/directory-marks.js';
import { Logger } from '../../../base/log/logger.js';
import { TenantStore } from '../../../tenancy/tenants/tenant.store.js';
import { refusedRoles } from '../../users/console-rights.rules.js';
import type { CurrentDirectory } from '../current-directory.js';

const EVERY_MS = 10_000;
const REMEMBERED = 1_000;
const LONGEST_NAME = 200;

/**
 * Notes at a directory the last role that it sent and that its user did not get: the catalogue does not have it, or it
 * administers and the directory may not give it. The user gets the role of a rule or the default role, or is held. The
 * note is written beside the request, at most once in ten seconds for each directory.
 */
@Injectable()
export class RefusedRoles {
  private readonly written = new Map<string, number>();

  constructor(
    private readonly marks: DirectoryMarks,
    private readonly tenants: TenantStore,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /** Compares the roles of a written user with what the directory may give. Never throws. */
  look(directory: CurrentDirectory, userId: string, roles: readonly string[]): void {
    if (roles.length === 0) return;
    this.note(directory, userId, roles).catch((error: unknown) =>
      this.logger.warn('refused role not stored', { tenant_id: directory.tenantId, error }),
    );
  }

  private async note(
    { tenantId, id, writing }: CurrentDirectory,
    userId: string,
    roles: readonly string[],
  ): Promise<void> {
    const tenant = await this.tenants.get(tenantId);
    const refused = refusedRoles(tenant.roles, writing.mayGrantConsole, roles)[0];
    if (refused === undefined) return;
    const now = this.clock.monotonic();
    if (now - (this.written.get(id) ?? -EVERY_MS) < EVERY_MS) return;
    if (this.written.size >= REMEMBERED) this.written.clear();
    this.written.set(id, now);
    const at = this.clock.now().toISOString();
    const { role, reason } = refused;
    await this.marks.refusedRole(tenantId, id, { at, role: role.slice(0, LONGEST_NAME), user_id: userId, reason });
  }
}
