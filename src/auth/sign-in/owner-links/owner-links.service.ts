import { Injectable } from '@nestjs/common';
import { mintToken, parseToken } from '../../../base/crypto/tokens.js';
import { type SqlRunner, Database } from '../../../base/database/database.js';
import { DomainError, InvalidFields, NotFound } from '../../../base/errors/domain-error.js';
import { SessionsService } from '../../../tenancy/sessions/sessions.service.js';
import { type AuditBy, AuditService } from '../../../tenancy/tenants/audit/audit.service.js';
import { TenantsRepository } from '../../../tenancy/tenants/tenants.repository.js';
import { AuthAddresses } from '../../connections/addresses.js';
import type { Candidate } from '../accounts/account.rules.js';
import { AccountsRepository } from '../accounts/accounts.repository.js';
import { SignInLog, type Origin } from '../log/sign-in-log.js';

class NoOwner extends DomainError {
  readonly kind = 'conflict';
  readonly code = 'no_owner';
  constructor() {
    super('The tenant has no owner. Set owner_user_id of the tenant to an active user first.');
  }
}

class OwnerInactive extends DomainError {
  readonly kind = 'conflict';
  readonly code = 'owner_inactive';
  constructor(userId: string) {
    super(
      `The user ${userId} is inactive or deleted, and cannot sign in. Name another owner (owner_user_id of the tenant), or a break-glass account that is active.`,
      { members: { id: userId } },
    );
  }
}

/** The sign-in link is used, replaced, expired or unknown, or its user may no longer use it. */
export class SignInLinkOver extends DomainError {
  readonly kind = 'malformed';
  readonly code = 'sign_in_link_over';
  constructor() {
    super(
      'This sign-in link is not valid. A link works once, for ten minutes, and ends when a newer one is made. Ask the operator for a new link.',
    );
  }
}

/** Long enough to hand the link over. */
const LINK_SECONDS = 600;

export interface OwnerLink {
  url: string;
  user_id: string;
  expires_at: Date;
}

/**
 * Sign-in links without an IdP: the operator makes one for the owner of a tenant, or for a break-glass account, when the
 * connections of the tenant do not work.
 */
@Injectable()
export class OwnerLinksService {
  constructor(
    private readonly db: Database,
    private readonly tenants: TenantsRepository,
    private readonly accounts: AccountsRepository,
    private readonly sessions: SessionsService,
    private readonly audit: AuditService,
    private readonly log: SignInLog,
    private readonly addresses: AuthAddresses,
  ) {}

  /**
   * Makes a link, which replaces an earlier one of the user.
   *
   * @param named the owner or a break-glass account of the tenant; null for the owner
   * @throws {NotFound} when there is no such tenant
   * @throws {InvalidFields} when the named user is neither the owner nor a break-glass account
   * @throws {NoOwner} when no user is named and the tenant has no owner
   * @throws {OwnerInactive} when the user is inactive or deleted
   */
  async make(by: AuditBy, named: string | null): Promise<OwnerLink> {
    const { tenantId } = by;
    const { token, hash } = mintToken('tbl', tenantId);
    return this.db.transaction(tenantId, async (tx) => {
      const userId = await this.userOf(tx, tenantId, named);
      if ((await this.activeUser(tx, tenantId, userId)) === null) throw new OwnerInactive(userId);
      const expiresAt = await this.putLink(tx, tenantId, userId, hash, LINK_SECONDS);
      const line = { ...by, action: 'owner_sign_in_link.created', targetType: 'user', targetId: userId };
      await this.audit.record(tx, { ...line, after: { expires_at: expiresAt } });
      return { url: this.addresses.ownerSignIn(token), user_id: userId, expires_at: expiresAt };
    });
  }

  /**
   * Signs the user of a link in and uses up the link.
   *
   * @param secret the fragment of the link
   * @param old the token of the browser's former session, which ends
   * @returns the token of the new session
   * @throws {SignInLinkOver} when the link is not valid, or its user may no longer use it
   */
  async signIn(secret: string, old: string | null, origin: Origin): Promise<string> {
    const parsed = parseToken(secret);
    if (parsed?.kind !== 'tbl') throw new SignInLinkOver();
    const { tenantId, hash } = parsed;
    return this.db.transaction(tenantId, async (tx) => {
      const userId = await this.useLink(tx, tenantId, hash);
      if (userId === null || !(await this.mayHaveLink(tx, tenantId, userId))) throw new SignInLinkOver();
      // Locked until the session is written: a concurrent deactivation waits and then ends the session.
      const user = await this.activeUser(tx, tenantId, userId);
      if (user === null) throw new SignInLinkOver();
      await this.sessions.end(old, 'signed_in_again', tx);
      const who = { userId, userEpoch: user.session_epoch, connectionId: null, verified: factsOf(userId) };
      const session = await this.sessions.begin(tx, tenantId, who, origin);
      const actor = { kind: 'user', id: userId, name: userId } as const;
      await this.audit.record(tx, {
        tenantId,
        actor,
        requestId: origin.requestId,
        action: 'owner_sign_in_link.used',
        targetType: 'user',
        targetId: userId,
        after: { session_id: session.id },
      });
      const entry = { kind: 'sign-in', connectionId: null, outcome: 'success', userId, sessionId: session.id } as const;
      await this.log.record(tenantId, { ...entry, detail: 'by a sign-in link of the operator' }, origin, tx);
      return session.token;
    });
  }

  private async userOf(tx: SqlRunner, tenantId: string, named: string | null): Promise<string> {
    const tenant = await this.tenants.find(tenantId, tx);
    if (tenant === null) throw new NotFound('tenant');
    const userId = named ?? tenant.owner_user_id;
    if (userId === null) throw new NoOwner();
    if (userId === tenant.owner_user_id || tenant.break_glass.includes(userId)) return userId;
    const message = 'must be the owner or a break-glass account of the tenant';
    throw new InvalidFields([{ field: 'user_id', message }]);
  }

  /** The owner may have changed since the link was made. */
  private async mayHaveLink(tx: SqlRunner, tenantId: string, userId: string): Promise<boolean> {
    const tenant = await this.tenants.find(tenantId, tx);
    return tenant !== null && (tenant.owner_user_id === userId || tenant.break_glass.includes(userId));
  }

  private async activeUser(tx: SqlRunner, tenantId: string, userId: string): Promise<Candidate | null> {
    const user = await this.accounts.person(tenantId, userId, tx, true);
    return user !== null && user.status === 'active' ? user : null;
  }

  private async putLink(tx: SqlRunner, tenantId: string, userId: string, hash: Buffer, seconds: number): Promise<Date> {
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

  /** Uses up a link. Of concurrent requests with one link exactly one succeeds. */
  private async useLink(tx: SqlRunner, tenantId: string, hash: Buffer): Promise<string | null> {
    const { rows } = await tx.query<{ user_id: string }>(
      `update owner_sign_in_links set used_at = now()
       where tenant_id = $1 and hash = $2 and used_at is null and expires_at > now() returning user_id`,
      [tenantId, hash],
    );
    return rows[0]?.user_id ?? null;
  }
}

function factsOf(userId: string) {
  const none = {
    authenticatedAt: new Date(),
    idpSession: null,
    nameId: null,
    idToken: null,
    authContext: null,
    sessionEnds: null,
  };
  return { subject: userId, ...none };
}
