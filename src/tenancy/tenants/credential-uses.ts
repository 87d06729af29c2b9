import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Database } from '../../base/database/database.js';
import { DomainEvents } from '../../base/domain-events.js';
import { Logger } from '../../base/log/logger.js';
import { DirectoriesSeen } from './tenants.events.js';

interface Use {
  table: 'api_keys' | 'scim_tokens';
  tenantId: string;
  id: string;
  directoryId: string | null;
  at: Date;
}

const FLUSH_EVERY = 5_000;

/**
 * When each credential was last used. Noted in memory and written in batches, at most once a minute for a credential:
 * no request waits for it, and a busy token does not become a busy row.
 */
@Injectable()
export class CredentialUses implements OnModuleInit, OnApplicationShutdown {
  private uses = new Map<string, Use>();
  private timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly db: Database,
    private readonly logger: Logger,
    private readonly events: DomainEvents,
  ) {}

  onModuleInit(): void {
    this.timer = setInterval(() => void this.flush(), FLUSH_EVERY).unref();
  }

  async onApplicationShutdown(): Promise<void> {
    if (this.timer !== null) clearInterval(this.timer);
    await this.flush();
  }

  note(table: Use['table'], tenantId: string, id: string, directoryId: string | null): void {
    const use = this.uses.get(id);
    if (use === undefined) this.uses.set(id, { table, tenantId, id, directoryId, at: new Date() });
    else use.at = new Date();
  }

  /** Writes what was noted. A use that cannot be written is forgotten: it is a hint for people, not evidence. */
  async flush(): Promise<void> {
    if (this.uses.size === 0) return;
    const uses = [...this.uses.values()];
    this.uses = new Map();
    try {
      await this.write(
        'api_keys',
        uses.filter((use) => use.table === 'api_keys'),
      );
      await this.write(
        'scim_tokens',
        uses.filter((use) => use.table === 'scim_tokens'),
      );
      const seen = uses.flatMap(({ tenantId, directoryId, at }) =>
        directoryId === null ? [] : [{ tenantId, directoryId, at }],
      );
      if (seen.length > 0) await this.events.publish(new DirectoriesSeen(seen));
    } catch (error) {
      this.logger.warn('last uses of credentials not written', { error });
    }
  }

  private async write(table: Use['table'], uses: Use[]): Promise<void> {
    if (uses.length === 0) return;
    await this.db.query(
      `update ${table} c set last_used_at = u.at
       from unnest($1::text[], $2::text[], $3::timestamptz[]) u (tenant_id, id, at)
       where c.tenant_id = u.tenant_id and c.id = u.id
         and (c.last_used_at is null or c.last_used_at < u.at - interval '60 seconds')`,
      [uses.map((use) => use.tenantId), uses.map((use) => use.id), uses.map((use) => use.at)],
    );
  }
}
