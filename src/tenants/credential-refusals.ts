import { Injectable } from '@nestjs/common';
import { Clock } from '../base/clock.js';
import { DomainEvents } from '../base/domain-events.js';
import { Logger } from '../base/log/logger.js';
import { TokenRefused, type RefusalReason } from './tenants.events.js';

const EVERY = 10_000;
const REMEMBERED = 1_000;

/** The beginning of one of our tokens, with `Bearer` before it or not: it names the kind and the tenant. */
const NAMED = /([Bb]earer )?(tb[ksnrcl])_([0-9a-z]{8,40})_/;
const MOST_READ = 300;

/**
 * The last refused credential of each directory, with the reason. Expired tokens that only show as 401 at the IdP are
 * the commonest outage of provisioning. Written beside the request, and at most once in ten seconds for a directory.
 */
@Injectable()
export class CredentialRefusals {
  private readonly written = new Map<string, number>();

  constructor(
    private readonly clock: Clock,
    private readonly logger: Logger,
    private readonly events: DomainEvents,
  ) {}

  /** Notes the refusal of a header that holds no token as it should, if it names a tenant at all. */
  noteUnreadable(header: string): void {
    const found = NAMED.exec(header.slice(0, MOST_READ));
    if (found === null) return;
    const [whole, bearer = '', kind, tenant] = found;
    const before = header.slice(0, found.index + whole.length).toLowerCase();
    const twice = before.includes('bearer bearer');
    const other = kind !== 'tbs';
    const reason = other ? 'not_a_scim_token' : twice ? 'doubled_bearer' : bearer === '' ? 'no_bearer' : 'incomplete';
    this.write(`ten_${tenant}`, null, reason, `${kind}_${tenant}_`);
  }

  /** Notes a refusal. An unknown token names only its tenant: then all of its directories get the note. */
  note(tenantId: string, directoryId: string | null, reason: RefusalReason, token: string): void {
    this.write(tenantId, directoryId, reason, token.slice(0, token.length - 45));
  }

  private write(tenantId: string, directoryId: string | null, reason: RefusalReason, prefix: string): void {
    const name = `${tenantId} ${directoryId ?? ''} ${reason}`;
    const now = this.clock.monotonic();
    if (now - (this.written.get(name) ?? -EVERY) < EVERY) return;
    if (!this.makeRoom(now)) return;
    this.written.set(name, now);
    const refusal = { at: this.clock.now().toISOString(), reason, prefix };
    this.events
      .publish(new TokenRefused(tenantId, directoryId, refusal))
      .catch((error: unknown) => this.logger.warn('refused credential not noted', { tenant_id: tenantId, error }));
  }

  // A wrong token can name any tenant: of more names than are remembered the newest are not noted, so that a
  // flood of names writes no more than so many lines in ten seconds.
  private makeRoom(now: number): boolean {
    if (this.written.size < REMEMBERED) return true;
    for (const [name, at] of this.written) if (now - at >= EVERY) this.written.delete(name);
    return this.written.size < REMEMBERED;
  }
}
