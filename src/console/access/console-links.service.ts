import { Injectable } from '@nestjs/common';
import { Config } from '../../base/config/config.js';
import { mintToken } from '../../base/crypto/tokens.js';
import { type SqlRunner, Database } from '../../base/database/database.js';
import { newId } from '../../base/ids.js';
import type { Actor } from '../../tenancy/identity/person.js';
import { AuditService, InstallationAudit } from '../../tenancy/tenants/audit/audit.service.js';
import type { ConsoleRole } from '../../tenancy/tenants/console-credentials.js';
import { TenantAddresses } from '../../tenancy/tenants/tenant-addresses.js';
import { TenantStore } from '../../tenancy/tenants/tenant.store.js';
import { LINK_SECONDS } from './console-access.dto.js';

interface UsedConsoleLink {
  id: string;
  role: ConsoleRole;
  /** The person who has made it; null: the request did not say. */
  made_by: string | null;
}

interface LinkRequest {
  role: ConsoleRole;
  /** '' for the role `operator`. */
  tenantId: string;
  reason: string;
  /** The person who makes it; null: the request does not say. */
  madeBy: string | null;
}

/** A new link. It is shown once. */
export interface ConsoleLink {
  url: string;
  role: ConsoleRole;
  tenant_id: string | null;
  expires_at: Date;
}

interface LinkAct {
  action: 'console_link.created' | 'console_link.used';
  tenantId: string;
  linkId: string;
  after: object;
}

type By = { actor: Actor; requestId: string | null };

/**
 * Links of one use by which the operator enters the console. The audit log concerned has each link and its use.
 */
@Injectable()
export class ConsoleLinksService {
  constructor(
    private readonly db: Database,
    private readonly tenants: TenantStore,
    private readonly addresses: TenantAddresses,
    private readonly audit: AuditService,
    private readonly installation: InstallationAudit,
    private readonly config: Config,
  ) {}

  /** @throws {NotFound} when there is no such tenant */
  async make({ role, tenantId, reason, madeBy }: LinkRequest, by: By): Promise<ConsoleLink> {
    if (tenantId !== '') await this.tenants.get(tenantId);
    const { token, hash } = mintToken('tbe', tenantId);
    const id = newId('clk');
    const expiresAt = await this.db.transaction(tenantId === '' ? null : tenantId, async (tx) => {
      const until = await this.insertLink(tx, tenantId, { id, hash, role, madeBy }, LINK_SECONDS);
      const after = { role, reason, made_by: madeBy, expires_at: until };
      await this.note(tx, { action: 'console_link.created', tenantId, linkId: id, after }, by);
      return until;
    });
    const base = tenantId === '' ? this.config.baseUrl : await this.addresses.of(tenantId);
    return { url: `${base}/console#link=${token}`, role, tenant_id: tenantId || null, expires_at: expiresAt };
  }

  /** Uses up a link in a transaction; null when it is unknown, used or expired. */
  async use(
    tx: SqlRunner,
    { tenantId, hash }: { tenantId: string; hash: Buffer },
    sessionId: string,
    by: By,
  ): Promise<UsedConsoleLink | null> {
    const link = await this.useRow(tx, tenantId, hash);
    if (link === null) return null;
    const after = { role: link.role, made_by: link.made_by, session_id: sessionId };
    await this.note(tx, { action: 'console_link.used', tenantId, linkId: link.id, after }, by);
    return link;
  }

  private note(tx: SqlRunner, { action, tenantId, linkId, after }: LinkAct, by: By): Promise<void> {
    const line = { ...by, action, targetType: 'console_link', targetId: linkId, after };
    return tenantId === '' ? this.installation.record(line, tx) : this.audit.record(tx, { ...line, tenantId });
  }
  /** Stores a link; returns when it expires. */
  async insertLink(
    tx: SqlRunner,
    tenantId: string,
    { id, hash, role, madeBy }: { id: string; hash: Buffer; role: ConsoleRole; madeBy: string | null },
    seconds: number,
  ): Promise<Date> {
    const { rows } = await tx.query<{ expires_at: Date }>(
      `insert into console_links (tenant_id, id, hash, role, expires_at, made_by)
       values ($1, $2, $3, $4, now() + make_interval(secs => $5), $6) returning expires_at`,
      [tenantId, id, hash, role, seconds, madeBy],
    );
    return rows[0]!.expires_at;
  }

  /** Uses up a link. Of concurrent uses one succeeds. @returns null when the link is unknown, used or expired */
  async useRow(tx: SqlRunner, tenantId: string, hash: Buffer): Promise<UsedConsoleLink | null> {
    const { rows } = await tx.query<UsedConsoleLink>(
      `update console_links set used_at = now()
       where tenant_id = $1 and hash = $2 and used_at is null and expires_at > now() returning id, role, made_by`,
      [tenantId, hash],
    );
    return rows[0] ?? null;
  }
}
