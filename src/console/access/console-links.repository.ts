import { Injectable } from '@nestjs/common';
import type { SqlRunner } from '../../base/database/database.js';
import type { ConsoleRole } from '../../tenancy/tenants/console-credentials.js';

/** A link that was used now. */
export interface UsedConsoleLink {
  id: string;
  role: ConsoleRole;
  /** The person who has made it; null: the request did not say. */
  made_by: string | null;
}

/** SQL of the links of the console, by the hash of their secret. The tenant of an operator's link is ''. */
@Injectable()
export class ConsoleLinksRepository {
  /** Stores a link; returns when it expires. */
  async insert(
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
  async use(tx: SqlRunner, tenantId: string, hash: Buffer): Promise<UsedConsoleLink | null> {
    const { rows } = await tx.query<UsedConsoleLink>(
      `update console_links set used_at = now()
       where tenant_id = $1 and hash = $2 and used_at is null and expires_at > now() returning id, role, made_by`,
      [tenantId, hash],
    );
    return rows[0] ?? null;
  }
}
