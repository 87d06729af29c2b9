import { Injectable } from '@nestjs/common';
import { Clock } from '../base/clock.js';
import { Database } from '../base/database/database.js';
import { Logger } from '../base/log/logger.js';

export type RefusalReason = 'expired' | 'revoked' | 'unknown' | 'not_a_scim_token';

const EVERY = 10_000;
const REMEMBERED = 1_000;

/**
 * The last refused credential of each directory, with the reason. Expired tokens that only show as 401 at the IdP are
 * the commonest outage of provisioning. Written beside the request, and at most once in ten seconds for a directory.
 */
@Injectable()
export class CredentialRefusals {
  private readonly written = new Map<string, number>();

  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /** Notes a refusal. A token that nobody knows names only its tenant: then all of its directories get the note. */
  note(tenantId: string, directoryId: string | null, reason: RefusalReason, token: string): void {
    const name = `${tenantId} ${directoryId ?? ''} ${reason}`;
    const now = this.clock.monotonic();
    if (now - (this.written.get(name) ?? -EVERY) < EVERY) return;
    if (!this.makeRoom(now)) return;
    this.written.set(name, now);
    const refusal = { at: this.clock.now().toISOString(), reason, prefix: token.slice(0, token.length - 45) };
    this.db
      .query(
        `update directories set last_refusal = $3
         where tenant_id = $1 and deleted_at is null and id = coalesce($2::text, id)`,
        [tenantId, directoryId, refusal],
      )
      .catch((error: unknown) => this.logger.warn('refused credential not noted', { tenant_id: tenantId, error }));
  }

  // Anybody can name any tenant in a wrong token: of more names than are remembered the newest are not noted, so that a
  // flood of names writes no more than so many lines in ten seconds.
  private makeRoom(now: number): boolean {
    if (this.written.size < REMEMBERED) return true;
    for (const [name, at] of this.written) if (now - at >= EVERY) this.written.delete(name);
    return this.written.size < REMEMBERED;
  }
}
