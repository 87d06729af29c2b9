import { Injectable } from '@nestjs/common';
import type { SqlRunner } from '../../../base/database/database.js';

/** SQL of sign-in links, by the hash of their secret. A user has at most one. */
@Injectable()
export class OwnerLinksRepository {
  /**
   * Stores the link of a user in place of an earlier one.
   *
   * @returns when the link expires
   */
  async put(tx: SqlRunner, tenantId: string, userId: string, hash: Buffer, seconds: number): Promise<Date> {
    const { rows } = await tx.query<{ expires_at: Date }>(
      `insert into owner_sign_in_links (tenant_id, user_id, hash, expires_at)
       values ($1, $2, $3, now() + make_interval(secs => $4))
       on conflict (tenant_id, user_id) do update set hash = excluded.hash, created_at = now(),
         expires_at = excluded.expires_at, used_at = null
       returning expires_at`,
      [tenantId, userId, hash, seconds],
    );
    return rows[0]!.expires_at;
  }

  /**
   * Uses up a link. Of concurrent requests with one link exactly one succeeds.
   *
   * @returns the user; null when the link is unknown, used or expired
   */
  async use(tx: SqlRunner, tenantId: string, hash: Buffer): Promise<string | null> {
    const { rows } = await tx.query<{ user_id: string }>(
      `update owner_sign_in_links set used_at = now()
       where tenant_id = $1 and hash = $2 and used_at is null and expires_at > now() returning user_id`,
      [tenantId, hash],
    );
    return rows[0]?.user_id ?? null;
  }
}
