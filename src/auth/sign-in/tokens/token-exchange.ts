import { createHash, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  createLocalJWKSet,
  errors,
  importPKCS8,
  jwtVerify,
  SignJWT,
  type CryptoKey,
  type FlattenedJWSInput,
  type JWSHeaderParameters,
} from 'jose';
import { Clock } from '../../../base/clock.js';
import { mintToken, parseToken, type TokenKind } from '../../../base/crypto/tokens.js';
import type { BridgeResponse } from '../../../base/http/request.js';
import { newId } from '../../../base/ids.js';
import { AuthAddresses } from '../../connections/addresses.js';
import type { Connection } from '../../connections/connection.js';
import { ServiceKeys } from '../../connections/keys/service-keys.js';
import { ConnectionStore } from '../../connections/store.js';
import { type SessionRow, LiveSessions } from '../browser-sessions/live-sessions.js';
import { sessionCookie } from '../browser-sessions/session.guard.js';
import { forgetCookie } from '../requests/browser-half.js';
import type { SignInRequest } from '../requests/sign-in-requests.repository.js';
import { SignInStart } from '../requests/sign-in-start.js';
import { InvalidGrant, NoSession } from '../sign-in.errors.js';
import { SessionTokensRepository, type SessionTokenKind, type SessionTokenRow } from './session-tokens.repository.js';
import type { IssuedTokenBody } from './tokens.dto.js';

/** A browser takes the code to its application at once. */
const CODE_SECONDS = 60;
/** The lifetime of a JWT: it can outlive its session by as long. */
const JWT_SECONDS = 300;
/** An upper bound; a refresh token ends with its session. */
const REFRESH_SECONDS = 30 * 86_400;

/** RFC 7662 §2.2. */
export type Introspection = { active: false } | ({ active: true } & Record<string, unknown>);

function isVerifierOf(verifier: string | null, challenge: string | null): boolean {
  if (challenge === null || verifier === null) return false;
  const made = createHash('sha256').update(verifier).digest('base64url');
  return made.length === challenge.length && timingSafeEqual(Buffer.from(made), Buffer.from(challenge));
}

/**
 * Sessions for applications of other origins: a one-time code becomes a signed token of five minutes, renewed while the session
 * is live. A token names its application (`aud`) and its session (`sid`).
 */
@Injectable()
export class TokenExchange {
  private imported: { kid: string; key: Promise<CryptoKey> } | null = null;

  constructor(
    private readonly repository: SessionTokensRepository,
    private readonly sessions: LiveSessions,
    private readonly keys: ServiceKeys,
    private readonly connections: ConnectionStore,
    private readonly addresses: AuthAddresses,
    private readonly clock: Clock,
    private readonly start: SignInStart,
  ) {}

  /** Makes a one-time code for the application of an origin, bound to its PKCE challenge. */
  private async code(
    tenantId: string,
    of: { sessionId: string; audience: string; codeChallenge: string },
  ): Promise<string> {
    const { token, hash } = mintToken('tbc', tenantId);
    await this.repository.insert(tenantId, {
      hash,
      kind: 'code',
      seconds: CODE_SECONDS,
      session_id: of.sessionId,
      audience: of.audience,
      code_challenge: of.codeChallenge,
    });
    return token;
  }

  /**
   * Exchanges a code with the verifier of its challenge (RFC 7636 §4.6).
   *
   * @throws {InvalidGrant} when the code is not valid
   */
  byCode(code: string, verifier: string | null): Promise<IssuedTokenBody> {
    return this.exchange(code, 'tbc', 'code', (row) => isVerifierOf(verifier, row.code_challenge));
  }

  /**
   * Uses up the refresh token; the answer has the next one.
   *
   * @throws {InvalidGrant} when the refresh token is not valid
   */
  byRefresh(refresh: string): Promise<IssuedTokenBody> {
    return this.exchange(refresh, 'tbr', 'refresh', () => true);
  }

  /**
   * Issues a token for our own origin, by the session's cookie.
   *
   * @throws {NoSession} when there is no live session
   */
  async bySession(token: string | null): Promise<IssuedTokenBody> {
    const session = await this.sessions.check(token);
    if (session === null) throw new NoSession();
    return this.issue(session, this.addresses.origin, null);
  }

  async introspect(token: string): Promise<Introspection> {
    let claims: Record<string, unknown>;
    try {
      const { payload } = await jwtVerify(token, (header, jws) => this.keyOf(header, jws), {
        issuer: this.addresses.origin,
        algorithms: ['RS256'],
        typ: 'at+jwt',
        currentDate: this.clock.now(),
      });
      claims = payload;
    } catch (error) {
      if (error instanceof errors.JOSEError) return { active: false };
      throw error;
    }
    const tenantId = String(claims['tenant']);
    const session = await this.sessions.byId(tenantId, String(claims['sid']), false);
    if (session === null) return { active: false };
    if (await this.repository.isInTwoHands(tenantId, session.id, String(claims['aud']))) return { active: false };
    return { active: true, token_type: 'Bearer', ...claims };
  }

  /** Reads the keys again for one that another process has just begun to use. */
  private async keyOf(header: JWSHeaderParameters, jws: FlattenedJWSInput): Promise<CryptoKey> {
    const known = await this.keys.jwks();
    const fresh = known.keys.some(({ kid }) => kid === header.kid) ? known : await this.keys.jwksAnew();
    return createLocalJWKSet(fresh)(header, jws);
  }

  /** Cached, since the key changes only every 90 days. jose signs outside of the event loop. */
  private signingKey(kid: string, privateKey: string): Promise<CryptoKey> {
    if (this.imported?.kid !== kid) this.imported = { kid, key: importPKCS8(privateKey, 'RS256') };
    return this.imported.key;
  }

  private async exchange(
    text: string,
    of: TokenKind,
    kind: SessionTokenKind,
    isTheirs: (row: SessionTokenRow) => boolean,
  ): Promise<IssuedTokenBody> {
    const parsed = parseToken(text);
    if (parsed === null || parsed.kind !== of) throw new InvalidGrant();
    if (!(await this.repository.exists(parsed))) throw new InvalidGrant();
    const { tenantId, hash } = parsed;
    const next = mintToken('tbr', tenantId);
    const row = await this.repository.exchange(tenantId, hash, kind, { hash: next.hash, seconds: REFRESH_SECONDS });
    if (row === null || !isTheirs(row)) throw new InvalidGrant();
    const session = await this.sessions.byId(tenantId, row.session_id, true);
    if (session === null) throw new InvalidGrant();
    // An administrator may have removed the application since. A session without a connection has none.
    if (session.connection_id === null) throw new InvalidGrant();
    const connection = await this.connections.byId(tenantId, session.connection_id);
    if (!connection?.returnOrigins.includes(row.audience)) throw new InvalidGrant();
    return this.issue(session, row.audience, next.token);
  }

  private async issue(session: SessionRow, audience: string, refresh: string | null): Promise<IssuedTokenBody> {
    const { kid, privateKey } = await this.keys.signer();
    const now = Math.floor(this.clock.now().getTime() / 1000);
    const until = Math.min(now + JWT_SECONDS, Math.floor(this.sessions.endOf(session).getTime() / 1000));
    const jwt = await new SignJWT({
      client_id: audience,
      sid: session.id,
      tenant: session.tenant_id,
      connection: session.connection_slug,
      email: session.email,
      given_name: session.first_name,
      family_name: session.last_name,
      role: session.role,
    })
      .setProtectedHeader({ alg: 'RS256', kid, typ: 'at+jwt' })
      .setIssuer(this.addresses.origin)
      .setAudience(audience)
      .setSubject(session.user_id)
      .setJti(newId('tok'))
      .setIssuedAt(now)
      .setExpirationTime(until)
      .sign(await this.signingKey(kid, privateKey));
    return {
      access_token: jwt,
      token_type: 'Bearer',
      expires_in: until - now,
      ...(refresh === null ? {} : { refresh_token: refresh }),
      session_id: session.id,
    };
  }

  /**
   * Ends a sign-in: sets the session's cookie and sends the browser to its target.
   *
   * @param request null when the IdP began the sign-in
   * @param session `returnTo`: the target where the request has none
   * @param cookies further `Set-Cookie` lines
   */
  async arrive(
    res: BridgeResponse,
    connection: Connection,
    request: SignInRequest | null,
    session: { id: string; token: string; returnTo?: string | null },
    cookies: readonly string[] = [],
  ): Promise<void> {
    const codeChallenge = request?.code_challenge ?? null;
    const target = this.start.targetOrHome(connection, session.returnTo ?? request?.return_to ?? null);
    const url = new URL(target.url);
    // A request of an older version may have no challenge; its application gets no code and asks again.
    if (target.application !== null && codeChallenge !== null) {
      const code = await this.code(connection.tenantId, {
        sessionId: session.id,
        audience: target.application,
        codeChallenge,
      });
      url.searchParams.set('code', code);
    }
    const begun = request === null ? [] : [forgetCookie(request.id)];
    res.setHeader('Set-Cookie', [sessionCookie(session.token), ...begun, ...cookies]);
    res.redirect(303, target.application === null ? target.url : url.href);
  }
}
