import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../base/database/database.js';
import { NotFound } from '../../../base/errors/domain-error.js';
import { BindingsRepository } from '../../../tenancy/sessions/bindings.repository.js';
import { UsedMessages, IdpLogouts } from '../../../tenancy/sessions/sessions.repository.js';
import type { Connection } from '../../connections/connection.js';
import { domainOf } from '../../connections/domains/domain.rules.js';
import { DomainsStore } from '../../connections/domains/domains.store.js';
import { AccountsRepository } from '../accounts/accounts.repository.js';
import { LiveSessions } from '../browser-sessions/live-sessions.js';
import { SignInLog, type Origin } from '../log/sign-in-log.js';
import { SignInRefused } from '../refusals/sign-in-refused.js';
import type { RevocationProof } from './revocation-token.rules.js';
import type { SubjectId } from './subject.rules.js';

/** A user, and the subject at the connection; null: the user never signed in through it. */
interface Named {
  userId: string;
  subject: string | null;
}

/**
 * Universal logout: an IdP ends all sessions of a user, whichever connection began them. One-time codes, refresh tokens
 * and the renewal of a JWT end with their session.
 */
@Injectable()
export class RevocationService {
  constructor(
    private readonly db: Database,
    private readonly accounts: AccountsRepository,
    private readonly bindings: BindingsRepository,
    private readonly domains: DomainsStore,
    private readonly messages: UsedMessages,
    private readonly sessions: LiveSessions,
    private readonly idpLogouts: IdpLogouts,
    private readonly log: SignInLog,
  ) {}

  /**
   * Ends all sessions of the named user. The token is used up also when there is no such user: its body is not signed,
   * and a second use could name another one.
   *
   * @throws {NotFound} when the tenant of the connection has no such user
   * @throws {SignInRefused} `replayed`
   */
  async revoke(connection: Connection, proof: RevocationProof, subject: SubjectId, origin: Origin): Promise<void> {
    const { tenantId, id } = connection;
    const named = await this.find(connection, subject);
    await this.db.transaction(tenantId, async (tx) => {
      if (!(await this.messages.use(tenantId, id, `revocation ${proof.once.id}`, proof.once.until, tx))) {
        throw new SignInRefused('replayed', 'this revocation token was used before');
      }
      for (const one of named) await this.end(tx, connection, one, proof.issuedAt, origin);
    });
    if (named.length === 0) throw new NotFound('user');
  }

  private async end(
    tx: SqlRunner,
    { tenantId, id: connectionId }: Connection,
    { userId, subject }: Named,
    at: Date,
    origin: Origin,
  ): Promise<void> {
    // An earlier sign-in may be in transit: it must not begin a session now.
    if (subject !== null) await this.idpLogouts.note(tx, tenantId, connectionId, { subject, idpSessions: [], at });
    const ended = await this.sessions.endAll(tx, tenantId, userId, 'idp_logout');
    const entry = { kind: 'logout', connectionId, outcome: 'success', subject, userId } as const;
    await this.log.record(tenantId, { ...entry, detail: `by the IdP (universal logout): ${ended}` }, origin, tx);
  }

  private async find(connection: Connection, subject: SubjectId): Promise<Named[]> {
    if (subject.format === 'email') return this.byEmail(connection, subject.email);
    if (subject.format === 'opaque') return this.bySubject(connection, subject.id, true);
    const issuer = connection.type === 'oidc' ? connection.issuer : connection.idpEntityId;
    return subject.iss === issuer ? this.bySubject(connection, subject.sub, false) : [];
  }

  /**
   * Finds a user by the binding of the connection; before the first sign-in by the key of the paired directory.
   *
   * @param own whether the value may also be our own id
   */
  private async bySubject(connection: Connection, value: string, own: boolean): Promise<Named[]> {
    const { tenantId, id, directoryId } = connection;
    const binding = await this.bindings.ofSubject(tenantId, id, value);
    if (binding !== null) return binding.ended ? [] : [{ userId: binding.user_id, subject: value }];
    const known = directoryId === null ? [] : await this.accounts.byExternalId(tenantId, directoryId, value);
    if (known.length > 0) return this.named(connection, known);
    const user = own ? await this.accounts.person(tenantId, value) : null;
    return user === null ? [] : this.named(connection, [user]);
  }

  /** Finds users by an e-mail. When its domain is bound to another connection, only users bound to this one count. */
  private async byEmail(connection: Connection, email: string): Promise<Named[]> {
    const { tenantId, id, directoryId } = connection;
    const users = await this.named(connection, await this.accounts.byEmail(tenantId, directoryId, email));
    const domain = domainOf(email);
    const owner = domain === null ? null : await this.domains.owner(domain);
    const elsewhere = owner?.tenantId === tenantId && owner.connectionId !== null && owner.connectionId !== id;
    return elsewhere ? users.filter(({ subject }) => subject !== null) : users;
  }

  private async named({ tenantId, id }: Connection, users: readonly { id: string }[]): Promise<Named[]> {
    const userIds = users.map((user) => user.id);
    const bindings = await this.bindings.ofUsers(tenantId, id, userIds);
    const all = userIds.map((userId) => {
      return { userId, subject: bindings.find(({ user_id }) => user_id === userId)?.subject ?? null };
    });
    // In a fixed order, so that concurrent revocations never wait for each other.
    return all.sort((a, b) => (a.userId < b.userId ? -1 : 1));
  }
}
