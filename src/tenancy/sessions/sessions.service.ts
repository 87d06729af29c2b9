import { Injectable } from '@nestjs/common';
import { Clock } from '../../base/clock.js';
import { Config } from '../../base/config/config.js';
import { Sealer } from '../../base/crypto/seal.js';
import { mintToken, parseToken } from '../../base/crypto/tokens.js';
import { Database, type SqlRunner } from '../../base/database/database.js';
import { newId } from '../../base/ids.js';
import type { NameId } from '../../protocols/saml/saml-settings.js';
import type { EndedSession, EndReason } from './session.js';
import { SessionEndings } from './session-endings.repository.js';
import { SessionsRepository, type NewSession } from './sessions.repository.js';

/** Live sessions of a user. A further sign-in ends the oldest one instead of being refused. */
const MAX_SESSIONS = 50;
const idTokenAad = (tenantId: string, id: string): string => `${tenantId}:sessions.id_token:${id}`;

export interface SessionFacts {
  subject: string;
  /** The IdP's own session: `sid` (OIDC), `SessionIndex` (SAML). */
  idpSession: string | null;
  otherIdpSessions?: readonly string[];
  /** Null for OIDC. */
  nameId: NameId | null;
  /** The ID token, for RP-initiated logout; null for SAML. */
  idToken: string | null;
  authContext: string | null;
  /** When the user authenticated; null when the IdP does not state it. */
  authenticatedAt: Date | null;
  /** When the IdP wants the session to end at the latest. */
  sessionEnds: Date | null;
}

/** Begins sessions by a sign-in, and ends them one by one. */
@Injectable()
export class SessionsService {
  constructor(
    private readonly db: Database,
    private readonly repository: SessionsRepository,
    private readonly endings: SessionEndings,
    private readonly config: Config,
    private readonly sealer: Sealer,
    private readonly clock: Clock,
  ) {}

  /** Begins a session in the transaction of a sign-in. The token for the cookie is stored nowhere else. */
  async begin(
    tx: SqlRunner,
    tenantId: string,
    who: { userId: string; userEpoch: number; connectionId: string | null; verified: SessionFacts },
    origin: { ip: string | null; userAgent: string | null },
  ): Promise<{ id: string; token: string }> {
    const { token, session } = this.draft(tenantId, who.connectionId, who.verified, origin);
    const { userId, userEpoch } = who;
    await this.repository.insert(tx, tenantId, { ...session, userId, userEpoch });
    await this.endings.endOldest(tx, tenantId, userId, MAX_SESSIONS);
    return { id: session.id, token };
  }

  private draft(
    tenantId: string,
    connectionId: string | null,
    verified: SessionFacts,
    origin: { ip: string | null; userAgent: string | null },
  ): { token: string; session: Omit<NewSession, 'userId' | 'userEpoch'> } {
    const { idleSeconds, absoluteSeconds } = this.config.session;
    const now = this.clock.now().getTime();
    const latest = now + absoluteSeconds * 1000;
    const { token, hash } = mintToken('tbn', tenantId);
    const id = newId('ses');
    const session = {
      id,
      hash,
      connectionId,
      subject: verified.subject,
      idpSession: verified.idpSession,
      otherIdpSessions: verified.otherIdpSessions ?? [],
      nameId: verified.nameId,
      idTokenSealed: verified.idToken === null ? null : this.sealer.seal(verified.idToken, idTokenAad(tenantId, id)),
      authContext: verified.authContext,
      // The clock of an IdP may be ahead.
      authenticatedAt:
        verified.authenticatedAt === null ? null : new Date(Math.min(now, verified.authenticatedAt.getTime())),
      ip: origin.ip,
      userAgent: origin.userAgent?.slice(0, 300) ?? null,
      idleSeconds,
      // Never longer than the IdP permits (`SessionNotOnOrAfter`, `session_expiry`).
      expiresAt: new Date(Math.min(latest, verified.sessionEnds?.getTime() ?? Infinity)),
    };
    return { token, session };
  }

  async end(
    token: string | null,
    why: EndReason,
    db: SqlRunner = this.db,
  ): Promise<(EndedSession & { tenantId: string }) | null> {
    const parsed = token === null ? null : parseToken(token);
    if (parsed === null || parsed.kind !== 'tbn') return null;
    const ended = await this.endings.endByHash(db, parsed.tenantId, parsed.hash, why);
    return ended === null ? null : { ...ended, tenantId: parsed.tenantId };
  }

  idTokenOf(tenantId: string, session: Pick<EndedSession, 'id' | 'id_token_sealed'>): string | null {
    const { id, id_token_sealed: sealed } = session;
    // Where the key of the seal was removed, the IdP gets no hint, and asks which account to sign out.
    return sealed === null ? null : this.sealer.unsealOrNull(sealed, idTokenAad(tenantId, id));
  }
}
