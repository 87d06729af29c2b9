import { Injectable } from '@nestjs/common';
import { hashToken } from '../base/crypto/tokens.js';
import type { SqlRunner } from '../base/database/database.js';
import type { NameId } from '../saml/saml-sign-in.js';

// A sign-in may be in transit when the IdP ends its session: in another tab, on a slow network, on another process. So
// a logout is stored while an earlier answer could still arrive, and a sign-in reads it before it writes a session.
// Both take a lock for the subject or the IdP session, so that one always sees what the other has written.

/** The sessions that an IdP has ended: of a subject, sessions of its own, or both. */
export interface EndedAtIdp {
  subject: string | null;
  idpSessions: readonly string[];
  /** When the IdP ended them, by the clock of the IdP. */
  at: Date;
}

/** Longer than the oldest accepted answer (ten minutes and the skew). */
const KEPT_SECONDS = 1_800;

/** Logouts that IdPs have sent, kept while an earlier answer could still arrive. */
@Injectable()
export class IdpLogouts {
  /** Stores a logout, and holds back concurrent sign-ins of it until the transaction ends. */
  async note(tx: SqlRunner, tenantId: string, connectionId: string, ended: EndedAtIdp): Promise<void> {
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

  /** Whether the IdP has ended the session of a sign-in since it issued the answer. A concurrent logout waits. */
  async hasEnded(
    tx: SqlRunner,
    tenantId: string,
    connectionId: string,
    signIn: { subject: string; nameId: NameId | null; idpSession: string | null; issuedAt: Date },
  ): Promise<boolean> {
    const { subject, nameId, idpSession, issuedAt } = signIn;
    // A SAML logout names the NameID, which need not be the subject.
    const names = [...new Set([subject, nameId?.value ?? subject])];
    await hold(tx, connectionId, [...names.map(bySubject), ...(idpSession === null ? [] : [bySession(idpSession)])]);
    const marks = names.flatMap((name) => signInMarks(name, idpSession));
    const exact = names.flatMap((name) => sessionMarks(name, idpSession));
    const { rowCount } = await tx.query(
      `select 1 from idp_logouts
       where tenant_id = $1 and connection_id = $2 and mark = any ($3)
         and (ended_at > $4 or (ended_at = $4 and mark = any ($5))) limit 1`,
      [tenantId, connectionId, marks, issuedAt, exact],
    );
    return rowCount === 1;
  }
}

/** Takes locks in a fixed order, so that two transactions never wait for each other. */
async function hold(tx: SqlRunner, connectionId: string, marks: readonly string[]): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended(m, 0)) from unnest($1::text[]) as m`, [
    marks.map((mark) => `${connectionId} ${mark}`).sort(),
  ]);
}

// Hashed: the IdP decides the length, and an index entry is limited.
const mark = (...parts: (string | null)[]): string => hashToken(JSON.stringify(parts)).toString('base64url');
const bySubject = (subject: string): string => mark('subject', subject);
const bySession = (idpSession: string): string => mark('session', idpSession);
const byBoth = (subject: string, idpSession: string | null): string => mark('both', subject, idpSession);

/** Where the sign-in did not name an IdP session, its session may be the ended one. */
function endedMarks(subject: string | null, idpSessions: readonly string[]): string[] {
  if (subject === null) return idpSessions.map(bySession);
  if (idpSessions.length === 0) return [bySubject(subject)];
  return [...new Set([...idpSessions, null])].map((idpSession) => byBoth(subject, idpSession));
}

/**
 * The marks that name one IdP session. OIDC times are whole seconds: within the same second, a named session has ended,
 * while a user without a named session may have signed in again.
 */
function sessionMarks(subject: string, idpSession: string | null): string[] {
  return idpSession === null ? [] : [bySession(idpSession), byBoth(subject, idpSession)];
}

function signInMarks(subject: string, idpSession: string | null): string[] {
  return [bySubject(subject), byBoth(subject, idpSession), ...(idpSession === null ? [] : [bySession(idpSession)])];
}
