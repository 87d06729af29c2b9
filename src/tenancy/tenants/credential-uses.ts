import type { OnApplicationShutdown, OnModuleInit } from '@nestjs/common';
import type { Database } from '../../base/database/database.js';
import type { Logger } from '../../base/log/logger.js';

/** A credential of a tenant. */
export interface UsedCredential {
  tenantId: string;
  id: string;
}

const FLUSH_EVERY = 5_000;

/**
 * When each credential was last used. Noted in memory and written in batches, at most once a minute for a credential:
 * no request waits for it, and a busy token does not become a busy row.
 */
export abstract class CredentialUses<Used extends UsedCredential = UsedCredential>
  implements OnModuleInit, OnApplicationShutdown
{
  private uses = new Map<string, Used & { at: Date }>();
  private timer: NodeJS.Timeout | null = null;

  constructor(private readonly logger: Logger) {}

  /** Writes the uses of one flush. */
  protected abstract write(uses: readonly (Used & { at: Date })[]): Promise<void>;

  onModuleInit(): void {
    this.timer = setInterval(() => void this.flush(), FLUSH_EVERY).unref();
  }

  async onApplicationShutdown(): Promise<void> {
    if (this.timer !== null) clearInterval(this.timer);
    await this.flush();
  }

  /** Notes that a credential is used now; of its uses until the next flush the last one counts. */
  note(used: Used): void {
    const known = this.uses.get(used.id);
    if (known === undefined) this.uses.set(used.id, { ...used, at: new Date() });
    else Object.assign(known, used, { at: new Date() });
  }

  /** Writes what was noted. A use that cannot be written is forgotten: it is a hint for people, not evidence. */
  async flush(): Promise<void> {
    if (this.uses.size === 0) return;
    const uses = [...this.uses.values()];
    this.uses = new Map();
    try {
      await this.write(uses);
    } catch (error) {
      this.logger.warn('last uses of credentials not written', { error });
    }
  }
}

/** Stores the last uses in a table of credentials. */
export async function storeLastUses(
  db: Database,
  table: string,
  uses: readonly (UsedCredential & { at: Date })[],
): Promise<void> {
  await db.query(
    `update ${table} c set last_used_at = u.at
     from unnest($1::text[], $2::text[], $3::timestamptz[]) u (tenant_id, id, at)
     where c.tenant_id = u.tenant_id and c.id = u.id
       and (c.last_used_at is null or c.last_used_at < u.at - interval '60 seconds')`,
    [uses.map((use) => use.tenantId), uses.map((use) => use.id), uses.map((use) => use.at)],
  );
}
