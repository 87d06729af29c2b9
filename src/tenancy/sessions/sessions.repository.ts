import { Injectable } from '@nestjs/common';
import { hashToken } from '../../base/crypto/tokens.js';
import { Database, type SqlRunner } from '../../base/database/database.js';
import type { NameId } from '../../protocols/saml/saml-settings.js';

export interface NewSession {
  id: string;
  hash: Buffer;
  userId: string;
  userEpoch: number;
  connectionId: string | null;
  subject: string;
  idpSession: string | null;
  otherIdpSessions: readonly string[];
  nameId: NameId | null;
  idTokenSealed: string | null;
  authContext: string | null;
  authenticatedAt: Date | null;
  ip: string | null;
  userAgent: string | null;
  idleSeconds: number;
  expiresAt: Date;
}

/** Null for nearly every session. */
function othersOf({ otherIdpSessions }: Pick<NewSession, 'otherIdpSessions'>): readonly string[] | null {
  return otherIdpSessions.length === 0 ? null : otherIdpSessions;
}

export const SESSION_LEFTOVERS = [
  `delete from used_messages where until < now()`,
  `delete from idp_logouts where until < now()`,
  // The ID token is kept only for the logout at the IdP.
  `update sessions set id_token_sealed = null
   where id_token_sealed is not null and coalesce(ended_at, expires_at) < now() - interval '1 hour'`,
] as const;

/** `$1` is a number of days. */
export const OLD_SESSIONS = `delete from sessions where coalesce(ended_at, expires_at) < now() - make_interval(days => $1)`;

/**
 * Returns the statement that ends sessions because of their users; `which` is SQL that is true of such a session `s`.
 */
export function endSessionsOfChanged(which: string): string {
  return `update sessions s set ended_at = now(), end_reason = 'person_changed' where s.ended_at is null and ${which}`;
}

// A sign-in may be in transit when the IdP ends its session: in another tab, on a slow network, on another process. So
// a logout is stored while an earlier answer could still arrive, and a sign-in reads it before it writes a session.
// Both lock the subject or the IdP session, so that one always sees the write of the other. The function
// `signed_out_at_idp` reads after it has the lock, with a newer snapshot than the statement that calls it.

/** The sessions that an IdP has ended: of a subject, sessions of its own, or both. */
export interface EndedAtIdp {
  subject: string | null;
  idpSessions: readonly string[];
  /** By the clock of the IdP. */
  at: Date;
}

interface SignInAtIdp {
  subject: string;
  nameId: NameId | null;
  idpSession: string | null;
  otherIdpSessions?: readonly string[];
  issuedAt: Date;
}

/** Longer than the oldest accepted answer (ten minutes and the skew). */
const KEPT_SECONDS = 1_800;

/** Stores sessions, messages of IdPs and clients that count once, and logouts that IdPs have sent. */
@Injectable()
export class SessionsRepository {
  constructor(private readonly db: Database) {}

  async insert(tx: SqlRunner, tenantId: string, session: NewSession): Promise<void> {
    await tx.query(
      `insert into sessions (tenant_id, id, hash, user_id, user_epoch, connection_id, subject, idp_session, name_id,
         id_token_sealed, auth_context, ip, user_agent, idle_seconds, expires_at, other_idp_sessions, authenticated_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)`,
      [
        tenantId,
        session.id,
        session.hash,
        session.userId,
        session.userEpoch,
        session.connectionId,
        session.subject,
        session.idpSession,
        session.nameId === null ? null : JSON.stringify(session.nameId),
        session.idTokenSealed,
        session.authContext,
        session.ip,
        session.userAgent,
        session.idleSeconds,
        session.expiresAt,
        othersOf(session),
        session.authenticatedAt,
      ],
    );
  }

  async touch(tenantId: string, id: string): Promise<void> {
    await this.db.query(
      `update sessions set seen_at = now() where tenant_id = $1 and id = $2 and ended_at is null and seen_at < now()`,
      [tenantId, id],
    );
  }

  /** Stores a message of a connection or a client. Returns false when the message came before. */
  async use(
    tenantId: string,
    senderId: string,
    messageId: string,
    until: Date,
    db: SqlRunner = this.db,
  ): Promise<boolean> {
    // Hashed: the sender decides the length of an id, and an index entry is limited.
    const { rowCount } = await db.query(
      `insert into used_messages (tenant_id, connection_id, message_id, until) values ($1, $2, $3, $4)
       on conflict do nothing`,
      [tenantId, senderId, hashToken(messageId).toString('base64url'), until],
    );
    return rowCount === 1;
  }
  /** Stores a logout, and blocks concurrent sign-ins of its subject until the transaction ends. */
  async noteIdpLogout(tx: SqlRunner, tenantId: string, connectionId: string, ended: EndedAtIdp): Promise<void> {
    const { subject, idpSessions, at } = ended;
    await hold(tx, connectionId, subject === null ? idpSessions.map(bySession) : [bySubject(subject)]);
    await tx.query(
      `insert into idp_logouts (tenant_id, connection_id, mark, ended_at, until)
       select $1, $2, mark, $4, now() + make_interval(secs => $5) from unnest($3::text[]) as m (mark)
       on conflict (tenant_id, connection_id, mark)
         do update set ended_at = greatest(idp_logouts.ended_at, excluded.ended_at), until = excluded.until`,
      [tenantId, connectionId, endedMarks(subject, idpSessions), at, KEPT_SECONDS],
    );
  }

  /**
   * Returns whether the IdP has ended the session of a sign-in since it issued the answer. A concurrent logout waits.
   */
  async hasIdpEnded(tx: SqlRunner, tenantId: string, connectionId: string, signIn: SignInAtIdp): Promise<boolean> {
    const { locks, marks, exact } = namesOf(connectionId, signIn);
    const { rows } = await tx.query<{ ended: boolean }>(`select signed_out_at_idp($1, $2, $3, $4, $5, $6) as ended`, [
      tenantId,
      connectionId,
      locks,
      marks,
      exact,
      signIn.issuedAt,
    ]);
    return rows[0]!.ended;
  }
}

function namesOf(
  connectionId: string,
  { subject, nameId, idpSession, otherIdpSessions = [] }: SignInAtIdp,
): { locks: string[]; marks: string[]; exact: string[] } {
  // A SAML logout names the NameID, which need not be the subject.
  const names = [...new Set([subject, nameId?.value ?? subject])];
  const sessions = idpSession === null ? [] : [idpSession, ...otherIdpSessions];
  const held = [...names.map(bySubject), ...sessions.map(bySession)];
  const [exact, marks] = [names.flatMap((name) => sessionMarks(name, sessions)), names.map(bySubject)];
  const unnamed = sessions.length === 0 ? names.map((name) => byBoth(name, null)) : [];
  return { locks: locksOf(connectionId, held), marks: [...marks, ...exact, ...unnamed], exact };
}

async function hold(tx: SqlRunner, connectionId: string, marks: readonly string[]): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended(m, 0)) from unnest($1::text[]) as m`, [
    locksOf(connectionId, marks),
  ]);
}

/** Returns the names of locks in a fixed order, so that two transactions never wait for each other. */
function locksOf(connectionId: string, marks: readonly string[]): string[] {
  return marks.map((mark) => `${connectionId} ${mark}`).sort();
}

// Hashed: the IdP decides the length, and an index entry is limited.
const mark = (...parts: (string | null)[]): string => hashToken(JSON.stringify(parts)).toString('base64url');
const bySubject = (subject: string): string => mark('subject', subject);
const bySession = (idpSession: string): string => mark('session', idpSession);
const byBoth = (subject: string, idpSession: string | null): string => mark('both', subject, idpSession);

/** Where the sign-in named no IdP session, its session may be the ended one. */
function endedMarks(subject: string | null, idpSessions: readonly string[]): string[] {
  if (subject === null) return idpSessions.map(bySession);
  if (idpSessions.length === 0) return [bySubject(subject)];
  return [...new Set([...idpSessions, null])].map((idpSession) => byBoth(subject, idpSession));
}

/**
 * Returns the marks of named IdP sessions. OIDC times are whole seconds: within the same second, a named session has
 * ended, while a user without a named session may have signed in again.
 */
function sessionMarks(subject: string, idpSessions: readonly string[]): string[] {
  return idpSessions.flatMap((idpSession) => [bySession(idpSession), byBoth(subject, idpSession)]);
}
