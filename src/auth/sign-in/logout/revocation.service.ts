import { X509Certificate } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { JWK } from 'jose';
import { Clock } from '../../../base/clock.js';
import { Database, type SqlRunner } from '../../../base/database/database.js';
import { NotFound } from '../../../base/errors/domain-error.js';
import { algsOf, type IdpKey } from '../../../protocols/oidc/jwks.rules.js';
import { readToken, type SignedToken } from '../../../protocols/oidc/jwt.rules.js';
import { ID_TOKEN_ALGS } from '../../../protocols/oidc/oidc-settings.js';
import { OidcProtocol } from '../../../protocols/oidc/oidc.protocol.js';
import { isTokenSignedBy } from '../../../protocols/oidc/signature.js';
import { usable } from '../../../protocols/saml/certificates.js';
import { BindingsRepository } from '../../../tenancy/sessions/bindings.repository.js';
import { SessionsRepository } from '../../../tenancy/sessions/sessions.repository.js';
import { AuthAddresses } from '../../connections/addresses.js';
import type { Connection, SamlConnection } from '../../connections/connection.js';
import { domainOf } from '../../connections/domains/domain.rules.js';
import { DomainsStore } from '../../connections/domains/domains.store.js';
import { AccountsRepository } from '../accounts/accounts.repository.js';
import { LiveSessions } from '../browser-sessions/live-sessions.js';
import { SignInLog, type Origin } from '../log/sign-in-log.js';
import { SignInRefused, refusalIn } from '../sign-in.errors.js';
import { type RevocationProof, type SubjectId, checkRevocationToken } from './revocation.rules.js';

/** `subject` is null when the user never signed in through the connection. */
interface Named {
  userId: string;
  subject: string | null;
}

const NAME = 'revocation token';

/**
 * Universal logout: an IdP ends all sessions of a user, whichever connection began them. One-time codes, refresh tokens and the
 * renewal of a JWT end with their session. The keys of the connection verify the bearer tokens.
 */
@Injectable()
export class RevocationService {
  constructor(
    private readonly db: Database,
    private readonly accounts: AccountsRepository,
    private readonly bindings: BindingsRepository,
    private readonly domains: DomainsStore,
    private readonly sessionRows: SessionsRepository,
    private readonly sessions: LiveSessions,
    private readonly log: SignInLog,
    private readonly oidc: OidcProtocol,
    private readonly addresses: AuthAddresses,
    private readonly clock: Clock,
  ) {}

  /**
   * Ends all sessions of the named user. The token is used up also when there is no such user: its body is not signed, and a
   * second use could name another one.
   *
   * @throws {NotFound} when the tenant of the connection has no such user
   * @throws {SignInRefused} `replayed`
   */
  async revoke(connection: Connection, proof: RevocationProof, subject: SubjectId, origin: Origin): Promise<void> {
    const { tenantId, id } = connection;
    const named = await this.find(connection, subject);
    await this.db.transaction(tenantId, async (tx) => {
      if (!(await this.sessionRows.use(tenantId, id, `revocation ${proof.once.id}`, proof.once.until, tx))) {
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
    if (subject !== null)
      await this.sessionRows.noteIdpLogout(tx, tenantId, connectionId, { subject, idpSessions: [], at });
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

  /** When the domain is bound to another connection, only users bound to this one count. */
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

  /**
   * Verifies a token: of OIDC with the key set of the issuer; of SAML with the pinned certificates, and the entity id as
   * issuer.
   *
   * @throws {SignInRefused} `token_refused`
   * @throws {OidcRefused} `token_refused`; `idp_unreachable`, `idp_answer_invalid`, `issuer_mismatch` when the keys of the IdP
   *   cannot be read
   */
  async verify(connection: Connection, text: string): Promise<RevocationProof> {
    const issuer = connection.type === 'oidc' ? connection.issuer : connection.idpEntityId;
    const audience = this.addresses.globalTokenRevocation(connection.slug);
    const judge = (token: SignedToken) => checkRevocationToken(token, { issuer, audience }, this.clock.now());
    return connection.type === 'oidc'
      ? this.oidc.readPushedToken(connection, text, NAME, judge)
      : this.byCertificates(connection, text, judge);
  }

  private async byCertificates(
    connection: SamlConnection,
    text: string,
    judge: (token: SignedToken) => RevocationProof,
  ): Promise<RevocationProof> {
    try {
      const token = readToken(text, NAME, ID_TOKEN_ALGS);
      const proof = judge(token);
      const keys = usable(connection.certificates).map(keyOf);
      const fit = keys.filter(({ algs }) => algs.includes(token.header.alg));
      if (await isTokenSignedBy(connection.tenantId, token, fit)) return proof;
      throw new SignInRefused('token_refused', `The ${NAME} is signed with no certificate of the connection.`);
    } catch (error) {
      // For SAML nothing is fetched, so the token is the cause of every refusal.
      const refused = refusalIn(error);
      throw refused === null ? error : new SignInRefused('token_refused', refused.message);
    }
  }
}

function keyOf(pem: string): IdpKey {
  const jwk = new X509Certificate(pem).publicKey.export({ format: 'jwk' }) as JWK;
  return { kid: null, algs: algsOf({ ...jwk }), jwk };
}
