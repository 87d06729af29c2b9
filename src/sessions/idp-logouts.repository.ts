import { Injectable } from '@nestjs/common';
import { hashToken } from '../base/crypto/tokens.js';
import type { SqlRunner } from '../base/database/database.js';
import type { NameId } from '../saml/saml-sign-in.js';

// A sign-in that an IdP has vouched for may still be on its way here when the IdP says that it is over: in another tab,
// behind a slow network, on another process. So what an IdP has ended is remembered for as long as an answer of before
// that could still come, and whoever writes a session down looks there first. Both of them hold a lock that stands for
// the subject or the IdP's session, so that one of the two always sees what the other has written.

/** Whose sessions an IdP has ended: a subject's, those of sessions of its own, or those that are both. */
export interface EndedAtIdp {
  subject: string | null;
  idpSessions: readonly string[];
  /** When the IdP said so, by its own clock. */
  at: Date;
}

/** Longer than the oldest answer that is still taken (ten minutes and the skew). */
const KEPT_SECONDS = 1_800;

/** Logouts that IdPs have sent, kept while an earlier answer could still arrive. */
@Injectable()
export class IdpLogouts {
  /** Notes what has ended, and holds back who would begin a session of it until the transaction is over. */
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

  /** Whether what an IdP vouched for at a moment (by its own clock) has ended there since; whoever ends it now waits. */
  async hasEnded(
    tx: SqlRunner,
    tenantId: string,
    connectionId: string,
    signIn: { subject: string; nameId: NameId | null; idpSession: string | null; issuedAt: Date },
  ): Promise<boolean> {
    const { subject, nameId, idpSession, issuedAt } = signIn;
    // A logout by SAML names the NameID, which need not be the subject.
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

/** In one order, whoever asks: two who hold several never wait for each other. */
async function hold(tx: SqlRunner, connectionId: string, marks: readonly string[]): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended(m, 0)) from unnest($1::text[]) as m`, [
    marks.map((mark) => `${connectionId} ${mark}`).sort(),
  ]);
}

// Hashed: how long these are is the IdP's choice, and an index takes only so much.
const mark = (...parts: (string | null)[]): string => hashToken(JSON.stringify(parts)).toString('base64url');
const bySubject = (subject: string): string => mark('subject', subject);
const bySession = (idpSession: string): string => mark('session', idpSession);
const byBoth = (subject: string, idpSession: string | null): string => mark('both', subject, idpSession);

/** Where the IdP did not say at the sign-in which session of its own it was, it may be the one that it ends. */
function endedMarks(subject: string | null, idpSessions: readonly string[]): string[] {
  if (subject === null) return idpSessions.map(bySession);
  if (idpSessions.length === 0) return [bySubject(subject)];
  return [...new Set([...idpSessions, null])].map((idpSession) => byBoth(subject, idpSession));
}

/**
 * The marks that name the very session. OIDC counts in whole seconds: of one second, a session that the IdP names is
 * over; where it names the person alone, they may as well have signed in again.
 */
function sessionMarks(subject: string, idpSession: string | null): string[] {
  return idpSession === null ? [] : [bySession(idpSession), byBoth(subject, idpSession)];
}

function signInMarks(subject: string, idpSession: string | null): string[] {
  return [bySubject(subject), byBoth(subject, idpSession), ...(idpSession === null ? [] : [bySession(idpSession)])];
}
