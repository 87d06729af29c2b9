import { Injectable } from '@nestjs/common';
import { Clock } from '../../base/clock.js';
import { plainAddress } from '../../base/http/allowed-networks.js';
import { Logger } from '../../base/log/logger.js';
import { credentialForm } from '../../tenancy/tenants/credentials.rules.js';
import { DirectoryMarks, type TokenRefusal } from './directory-marks.js';

const EVERY = 10_000;
const REMEMBERED = 1_000;
/** The number of characters of a secret that belong to the shown beginning of a token (`mintToken`). */
const SHOWN_OF_SECRET = 4;

/**
 * The last refused credential of each directory, with the reason. Expired tokens that only show as 401 at the IdP are
 * the commonest outage of provisioning. Written beside the request, and at most once in ten seconds for a directory.
 */
@Injectable()
export class TokenRefusals {
  private readonly written = new Map<string, number>();

  constructor(
    private readonly clock: Clock,
    private readonly logger: Logger,
    private readonly marks: DirectoryMarks,
  ) {}

  /** Notes the refusal of a header that holds no token as it should, if it names a tenant at all. */
  noteUnreadable(header: string, from?: string): void {
    const { problem, named } = credentialForm(header, 'tbs');
    if (named === null || problem === null || problem === 'foreign') return;
    const reason = problem === 'other_kind' ? 'not_a_scim_token' : problem;
    const prefix = `${named.kind}_${named.tenantId.replace(/^ten_/, '')}_`;
    const start = header.indexOf(prefix);
    const begins = header.slice(start, start + prefix.length + SHOWN_OF_SECRET);
    this.write(named.tenantId, null, { reason, prefix }, { begins, address: plainAddress(from) });
  }

  /** Notes a refusal. An unknown token names only its tenant, and by its beginning perhaps a directory. */
  note(tenantId: string, directoryId: string | null, reason: string, token: string, from?: string): void {
    const prefix = token.slice(0, token.length - 45);
    this.write(tenantId, directoryId, { reason, prefix }, { begins: prefix, address: plainAddress(from) });
  }

  /** Notes that a valid credential came from an address that its directory does not admit. */
  noteOutside(tenantId: string, directoryId: string, address: string | null): void {
    const prefix = `tbs_${tenantId.replace(/^ten_/, '')}_`;
    this.write(tenantId, directoryId, { reason: 'outside_allow_from', prefix, address });
  }

  /** Notes that a client of a directory got no access token. */
  noteClient(
    client: { tenantId: string; directoryId: string; id: string; kind: string },
    reason: string,
    from: string | undefined,
  ): void {
    const address = reason === 'outside_allow_from' ? { address: plainAddress(from) } : {};
    const refused = { reason, prefix: client.id, client_id: client.id, kind: client.kind, ...address };
    this.write(client.tenantId, client.directoryId, refused);
  }

  private write(
    tenantId: string,
    directoryId: string | null,
    refused: Omit<TokenRefusal, 'at'>,
    unknown: { begins: string; address: string | null } | null = null,
  ): void {
    const name = `${tenantId} ${directoryId ?? ''} ${refused.reason} ${refused.client_id ?? ''}`;
    const now = this.clock.monotonic();
    if (now - (this.written.get(name) ?? -EVERY) < EVERY) return;
    if (!this.makeRoom(now)) return;
    this.written.set(name, now);
    const refusal = { at: this.clock.now().toISOString(), ...refused };
    this.marks
      .refusedToken(tenantId, directoryId, refusal, unknown)
      .catch((error: unknown) => this.logger.warn('refused credential not noted', { tenant_id: tenantId, error }));
  }

  // A wrong token can name any tenant: of more names than are remembered the newest are not noted, so that a
  // flood of names writes no more lines than that in ten seconds.
  private makeRoom(now: number): boolean {
    if (this.written.size < REMEMBERED) return true;
    for (const [name, at] of this.written) if (now - at >= EVERY) this.written.delete(name);
    return this.written.size < REMEMBERED;
  }
}
