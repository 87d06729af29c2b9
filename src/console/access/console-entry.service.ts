import { Injectable } from '@nestjs/common';
import { type SessionRow, LiveSessions } from '../../auth/sign-in/browser-sessions/live-sessions.js';
import { NoSession } from '../../auth/sign-in/sign-in.errors.js';
import { Clock } from '../../base/clock.js';
import { mintToken, parseToken } from '../../base/crypto/tokens.js';
import { Database, type SqlRunner } from '../../base/database/database.js';
import { NotFound } from '../../base/errors/domain-error.js';
import { newId } from '../../base/ids.js';
import { OPERATOR } from '../../tenancy/identity/person.js';
import { Administrators } from '../../tenancy/tenants/administrators.js';
import { AuditService } from '../../tenancy/tenants/audit/audit.service.js';
import { RECENT_SIGN_IN_MS, type Caller } from '../../tenancy/tenants/caller.js';
import type { ConsoleRole } from '../../tenancy/tenants/console-credentials.js';
import { TenantStore } from '../../tenancy/tenants/tenant.store.js';
import { NotAnAdministrator, SignInAgain } from '../../tenancy/tenants/tenants.errors.js';
import { ABSOLUTE_SECONDS, type EnteredBody, ENTERED_SECONDS } from './console-access.dto.js';
import { ConsoleLinkOver, NoConsoleSession } from './console-access.errors.js';
import { ConsoleLinksService } from './console-links.service.js';
import { ConsoleSessionsRepository } from './console-sessions.repository.js';
import { ConsoleSessionsStore } from './console-sessions.store.js';

/** The browser that enters: its former cookie of the console, and the request. */
export interface EnteringBrowser {
  old: string | null;
  requestId: string;
}

/** A begun session, and the token for its cookie, which is stored nowhere else. */
export interface BegunConsoleSession {
  token: string;
  id: string;
  tenantId: string;
  role: ConsoleRole;
}

/** Begins and ends sessions of the console. */
@Injectable()
export class ConsoleEntryService {
  constructor(
    private readonly db: Database,
    private readonly signIns: LiveSessions,
    private readonly administrators: Administrators,
    private readonly links: ConsoleLinksService,
    private readonly repository: ConsoleSessionsRepository,
    private readonly store: ConsoleSessionsStore,
    private readonly audit: AuditService,
    private readonly clock: Clock,
  ) {}

  /**
   * Begins a session by the sign-in of the browser. A session that has been idle ends for a reason: only a recent sign-in
   * begins another one.
   *
   * @param signInToken the token of the sign-in's cookie
   * @throws {NoSession} when no user is signed in
   * @throws {SignInAgain} when the sign-in is older than ten minutes
   * @throws {NotAnAdministrator} when the role of the user has no `console`
   */
  async bySignIn(signInToken: string | null, browser: EnteringBrowser): Promise<BegunConsoleSession> {
    const signIn = await this.signIns.check(signInToken);
    if (signIn === null) throw new NoSession();
    const role = await this.demandRole(signIn);
    const age = this.clock.now().getTime() - signIn.created_at.getTime();
    if (age > RECENT_SIGN_IN_MS) throw new SignInAgain();
    const { tenant_id: tenantId, user_id: userId } = signIn;
    const latest = signIn.created_at.getTime() + ABSOLUTE_SECONDS * 1000;
    const { token, session } = this.draft(tenantId, new Date(Math.min(latest, signIn.expires_at.getTime())));
    await this.db.transaction(tenantId, async (tx) => {
      await this.endOld(browser.old, tx);
      await this.repository.beginBySignIn(tx, tenantId, session, signIn);
      await this.audit.record(tx, {
        tenantId,
        actor: { kind: 'user', id: userId, name: userId },
        requestId: browser.requestId,
        action: 'console_session.created',
        targetType: 'user',
        targetId: userId,
        after: { role, session_id: session.id },
      });
    });
    return { token, id: session.id, tenantId, role };
  }

  /**
   * Begins a session by a link of the operator, and uses up the link.
   *
   * @throws {ConsoleLinkOver} when the link is unknown, used or expired
   */
  async byLink(secret: string, browser: EnteringBrowser): Promise<BegunConsoleSession> {
    const parsed = parseToken(secret);
    if (parsed?.kind !== 'tbe') throw new ConsoleLinkOver();
    const { tenantId } = parsed;
    const latest = new Date(this.clock.now().getTime() + ABSOLUTE_SECONDS * 1000);
    const { token, session } = this.draft(tenantId, latest);
    const by = { actor: OPERATOR, requestId: browser.requestId };
    const role = await this.db.transaction(tenantId === '' ? null : tenantId, async (tx) => {
      const link = await this.links.use(tx, parsed, session.id, by);
      if (link === null) throw new ConsoleLinkOver();
      await this.endOld(browser.old, tx);
      await this.repository.beginByLink(tx, tenantId, session, link.role);
      return link.role;
    });
    return { token, id: session.id, tenantId, role };
  }

  /** Ends the session of a cookie; the sign-in that began it stays. */
  async end(token: string | null): Promise<void> {
    const id = await this.endOld(token);
    if (id !== null) await this.store.forget(id);
  }

  private async demandRole(signIn: SessionRow): Promise<'admin' | 'auditor'> {
    const right = await this.administrators.rightOf(signIn);
    if (right !== 'none') return right;
    throw new NotAnAdministrator(
      `${signIn.email ?? 'This account'} has the role ${signIn.role ?? 'none'} at ${signIn.tenant_name}, which opens no console. It needs a role with console: admin or auditor.`,
    );
  }

  private draft(tenantId: string, expiresAt: Date) {
    const { token, hash } = mintToken('tbw', tenantId);
    return { token, session: { id: newId('csn'), hash, expiresAt } };
  }

  private async endOld(token: string | null, db?: SqlRunner): Promise<string | null> {
    const old = token === null ? null : parseToken(token);
    return old?.kind === 'tbw' ? this.repository.end(old.tenantId, old.hash, db) : null;
  }
}

/** The operator enters and leaves tenants: both are in the audit log of the tenant. */
@Injectable()
export class EnteredTenantService {
  constructor(
    private readonly db: Database,
    private readonly repository: ConsoleSessionsRepository,
    private readonly store: ConsoleSessionsStore,
    private readonly tenants: TenantStore,
    private readonly audit: AuditService,
  ) {}

  /**
   * @throws {NoConsoleSession} for a caller with the operator's token
   * @throws {NotFound} when there is no such tenant
   */
  async enter(caller: Caller, tenantId: string, reason: string): Promise<EnteredBody> {
    const id = sessionOf(caller);
    const { name } = await this.tenants.get(tenantId);
    const until = await this.db.transaction(tenantId, async (tx) => {
      const end = await this.repository.enter(tx, id, tenantId, ENTERED_SECONDS);
      await this.audit.record(tx, { ...lineOf(caller, tenantId, 'tenant.entered'), after: { reason, until: end } });
      return end;
    });
    await this.store.forget(id);
    return { tenant: { id: tenantId, name }, entered_until: until };
  }

  /**
   * @throws {NoConsoleSession} for a caller with the operator's token
   * @throws {NotFound} when the session has not entered this tenant
   */
  async leave(caller: Caller, tenantId: string): Promise<void> {
    const id = sessionOf(caller);
    await this.db.transaction(tenantId, async (tx) => {
      if (!(await this.repository.leave(tx, id, tenantId))) throw new NotFound('entered tenant');
      await this.audit.record(tx, lineOf(caller, tenantId, 'tenant.left'));
    });
    await this.store.forget(id);
  }
}

function sessionOf({ console }: Caller): string {
  if (console === undefined) throw new NoConsoleSession();
  return console.id;
}

function lineOf({ actor, requestId }: Caller, tenantId: string, action: 'tenant.entered' | 'tenant.left') {
  return { tenantId, actor, requestId, action, targetType: 'tenant', targetId: tenantId };
}
