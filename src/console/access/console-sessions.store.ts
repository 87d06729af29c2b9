import { Injectable } from '@nestjs/common';
import { openSessionQuery } from '../../auth/sign-in/browser-sessions/live-sessions.js';
import { Clock } from '../../base/clock.js';
import { parseToken } from '../../base/crypto/tokens.js';
import { Database } from '../../base/database/database.js';
import { Logger } from '../../base/log/logger.js';
import { OPERATOR, type Actor } from '../../tenancy/identity/person.js';
import { consoleRight } from '../../tenancy/tenants/administrators.js';
import {
  ConsoleCredentials,
  scopesOf,
  type ConsoleCredential,
  type ConsoleRole,
  type ConsoleSessionFacts,
} from '../../tenancy/tenants/console-credentials.js';
import {
  CredentialUses,
  storeLastUses,
  type UsedCredential,
  CredentialCache,
  type CredentialRow,
} from '../../tenancy/tenants/credential-cache.js';
import { Unauthenticated } from '../../tenancy/tenants/tenants.errors.js';
import { IDLE_SECONDS } from './console-access.dto.js';
import { ConsoleSessionsRepository } from './console-sessions.repository.js';

/** When each session of the console was last used: its idle time begins then. */
@Injectable()
export class ConsoleSessionUses extends CredentialUses {
  constructor(
    private readonly db: Database,
    logger: Logger,
  ) {
    super(logger);
  }

  protected override write(uses: readonly (UsedCredential & { at: Date })[]): Promise<void> {
    return storeLastUses(this.db, 'console_sessions', uses);
  }
}

/** A session as it is stored, with the role that it has now. */
interface SessionRow extends CredentialRow {
  role: ConsoleRole;
  user_id: string | null;
  signed_in_at: Date;
  authenticated_at: Date | null;
  entered_tenant_id: string | null;
  entered_until: Date | null;
}

/** A session, and the tenant that the operator reads by it. */
interface StoredSession extends ConsoleCredential {
  readonly entered: { readonly tenantId: string; readonly until: number } | null;
}

// A session by a sign-in ends with the session that began it, with the user, and with the right of the user's role.
const sessionQuery = (tenantId: string, hash: string): string =>
  `select k.id, k.user_id, k.signed_in_at, k.authenticated_at, k.revoked_at, k.entered_tenant_id, k.entered_until,
     least(k.expires_at, k.last_used_at + interval '${IDLE_SECONDS} seconds') as expires_at, coalesce(k.link_role, u.role) as role
   from console_sessions k left join lateral (
     select ${consoleRight('k.tenant_id', 'o.id', 'o.role')} as role from (${openSessionQuery('k.tenant_id', 'k.session_id')}) o
   ) u on true
   where k.tenant_id = ${tenantId} and k.hash = ${hash} and coalesce(k.link_role, u.role, 'none') <> 'none'`;

/** Finds the sessions of the console. Unknown, ended and idle ones are all null. */
@Injectable()
export class ConsoleSessionsStore extends ConsoleCredentials {
  private readonly sessions: CredentialCache<SessionRow, StoredSession>;

  constructor(
    db: Database,
    private readonly clock: Clock,
    private readonly uses: ConsoleSessionUses,
    private readonly repository: ConsoleSessionsRepository,
  ) {
    super();
    this.sessions = new CredentialCache(db, clock, {
      table: 'console_sessions',
      query: sessionQuery,
      make: storedOf,
      // The feed has nothing of users and sign-ins: sessions are read again within a second.
      isProved: false,
    });
    // A right that ends takes its sessions with it at once; the audit log has its line in the transaction of the change.
    db.feed.on(['audit_entries'], (row) => this.sessions.dropAll(row?.tenantId));
  }

  /** After a change made here: resolves when no process goes by the old values. */
  forget(...ids: string[]): Promise<void> {
    return this.sessions.forget(...ids);
  }

  protected override async find(token: string): Promise<ConsoleCredential | null> {
    const parsed = parseToken(token);
    const found = parsed?.kind === 'tbw' ? await this.sessions.find(parsed) : null;
    if (found === null || found.ended !== null) return null;
    const { entered, ...session } = found.credential;
    this.uses.note({ tenantId: session.tenantId, id: session.id });
    const isIn = entered !== null && entered.until > this.clock.now().getTime();
    return isIn ? { ...session, tenantId: entered.tenantId } : session;
  }

  override async describe({
    id,
    role,
    tenantId,
  }: Pick<ConsoleCredential, 'id' | 'role' | 'tenantId'>): Promise<ConsoleSessionFacts> {
    const row = await this.repository.facts(role === 'operator' ? '' : tenantId, id);
    if (row === null) throw new Unauthenticated('invalid');
    const { tenant_id: tenant, user_id: user, email, first_name, last_name } = row;
    return {
      tenant: tenant === null ? null : { id: tenant, name: row.tenant_name! },
      session: {
        role,
        user: user === null ? null : { id: user, email, first_name: first_name!, last_name: last_name! },
        by_link: row.link_role !== null,
        scopes: role === 'operator' && tenant === null ? [] : [...scopesOf({ role })],
        signed_in_at: row.signed_in_at,
        authenticated_at: row.authenticated_at,
        expires_at: row.expires_at,
        entered_until: row.entered_until,
      },
    };
  }
}

function storedOf(row: SessionRow, tenantId: string): StoredSession {
  const { id, role, user_id: userId, entered_tenant_id: enteredId, entered_until: until } = row;
  const actor: Actor = userId === null ? OPERATOR : { kind: 'user', id: userId, name: userId };
  const entered = enteredId === null || until === null ? null : { tenantId: enteredId, until: until.getTime() };
  const { signed_in_at: signedInAt, authenticated_at: authenticatedAt } = row;
  return { id, tenantId, role, actor, signedInAt, authenticatedAt, entered };
}
