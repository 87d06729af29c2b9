import { hash } from 'node:crypto';
import { Injectable, Optional } from '@nestjs/common';
import { buildAuthorizationUrl, buildEndSessionUrl, type Configuration, type CustomFetch } from 'openid-client';
import { Clock } from '../../base/clock.js';
import { Config } from '../../base/config/config.js';
import { Outbound } from '../../base/http/outbound.js';
import { checkAnswer, checkOnce, problemOfSetup } from './callback.rules.js';
import { mergeClaims } from './claims.mapping.js';
import { clientFor } from './client.js';
import { exchangeCode, type ClientWith } from './code-exchange.js';
import { OidcMetadata } from './discovery.js';
import type { OidcServer } from './discovery.rules.js';
import { GuardedFetch, IdpLimits } from './guarded-fetch.js';
import { checkIdToken } from './id-token.rules.js';
import { shorten } from './json.rules.js';
import { JwksStore } from './jwks.store.js';
import { acceptedAlgs, readToken, type SignedToken } from './jwt.rules.js';
import { checkLogoutToken, type LogoutDemand } from './logout-token.rules.js';
import { OidcRefused } from './oidc-refused.js';
import { OidcAddresses, type OidcSettings, type OidcSignIn } from './oidc-settings.js';
import { readUserInfo } from './user-info.js';

/** The random values of a sign-in that stay with the browser until the callback. Each is used once. */
export interface OidcExpected {
  state: string;
  nonce: string;
  codeVerifier: string;
}

/** What a sign-in asks of the IdP. */
interface OidcAsk extends OidcExpected {
  /** `select_account`: lets the person choose another account; `login`: demands another authentication. */
  prompt: 'select_account' | 'login' | null;
  loginHint: string | null;
}

/** The result of a check of a connection. `problem` is for administrators. */
type OidcCheck = { ok: true; server: OidcServer; keys: number } | { ok: false; problem: string };

/** A longer hint makes an address that servers refuse. Without it the IdP asks which account to sign out. */
const MAX_HINT = 6_000;

/**
 * The relying party of OpenID Connect, in the code flow with PKCE (RFC 9700, OIDC Core §3.1). Keeps nothing of a
 * sign-in: state, nonce and verifier are arguments.
 */
@Injectable()
export class OidcProtocol {
  private readonly metadata: OidcMetadata;
  private readonly jwks: JwksStore;
  private readonly idp: GuardedFetch;

  constructor(
    outbound: Outbound,
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly addresses: OidcAddresses,
    @Optional() limits: IdpLimits = new IdpLimits(),
  ) {
    this.idp = new GuardedFetch(outbound, config, limits);
    this.metadata = new OidcMetadata(this.idp, config, clock);
    this.jwks = new JwksStore(this.idp, clock);
  }

  /**
   * Returns the address of the IdP for a sign-in.
   *
   * @throws {OidcRefused} `idp_unreachable`, `idp_answer_invalid`, `issuer_mismatch` when the metadata of the IdP
   *   cannot be read
   */
  async begin(connection: OidcSettings, ask: OidcAsk): Promise<string> {
    const server = await this.metadata.get(connection);
    const { acrValues } = connection;
    // With `max_age` the IdP has to state `auth_time` (OIDC Core §3.1.2.1), which proves the new authentication.
    const maxAgeSeconds = ask.prompt === 'login' ? 0 : connection.maxAgeSeconds;
    const url = buildAuthorizationUrl(this.client(connection, server), {
      redirect_uri: this.redirectUri(connection),
      scope: [...new Set(['openid', ...connection.scopes])].join(' '),
      state: ask.state,
      nonce: ask.nonce,
      // RFC 7636 §4.2. The library hashes these 43 octets in a thread.
      code_challenge: hash('sha256', ask.codeVerifier, 'base64url'),
      code_challenge_method: 'S256',
      ...(maxAgeSeconds === null ? {} : { max_age: String(maxAgeSeconds) }),
      ...(acrValues.length === 0 ? {} : { acr_values: acrValues.join(' ') }),
      ...(ask.prompt === null ? {} : { prompt: ask.prompt }),
      ...(ask.loginHint === null ? {} : { login_hint: ask.loginHint }),
    });
    return url.href;
  }

  /**
   * Verifies the callback of a sign-in. The code is sent once, after the callback was checked to be of this IdP.
   *
   * @param query the query of the callback, as it arrived
   * @param expected the values with which this sign-in began
   * @throws {OidcRefused} with each of `OIDC_REFUSAL_REASONS`
   */
  async finish(connection: OidcSettings, query: URLSearchParams, expected: OidcExpected): Promise<OidcSignIn> {
    checkOnce(query);
    const server = await this.metadata.get(connection);
    checkAnswer(query, server, expected.state);

    const client: ClientWith = (fetch) => this.client(connection, server, fetch);
    const idp = this.idp.of(connection.tenantId);
    const verified = await exchangeCode(idp, client, this.answerUrl(connection, query), expected, async (tokens) => {
      const { idToken, accessToken } = tokens;
      const token = readToken(idToken, 'ID token', acceptedAlgs(connection, server));
      await this.jwks.verify(connection, server, token, 'idp');
      const expectation = { connection, nonce: expected.nonce, accessToken };
      const { alg, kid } = token.header;
      const signature = `the ID token, by ${alg}, key ${kid === null ? 'without a name' : shorten(kid, 80)}`;
      return { ...tokens, signature, claims: token.claims, facts: checkIdToken(token, expectation, this.clock.now()) };
    });
    const { facts, accessToken, idToken } = verified;
    const signedIn = { accessToken, subject: facts.subject };
    const userInfo = await readUserInfo(idp, client, server, connection.userInfo, signedIn);
    return {
      subject: facts.subject,
      claims: mergeClaims(verified.claims, userInfo.claims),
      signature: verified.signature,
      issuedAt: facts.issuedAt,
      authenticatedAt: facts.authenticatedAt,
      sessionEnds: facts.sessionEnds,
      idpSession: facts.sid,
      authContext: facts.acr,
      idToken,
      userInfoProblem: userInfo.problem,
    };
  }

  /**
   * Returns the address for a logout at the IdP (OIDC RP-Initiated Logout 1.0).
   *
   * @returns null when the IdP offers no logout or is not available: a local logout does not depend on the IdP
   */
  async endSession(connection: OidcSettings, ask: { idToken: string | null; state: string }): Promise<string | null> {
    try {
      const server = await this.metadata.get(connection);
      if (server.endSessionEndpoint === null) return null;
      const hint = ask.idToken !== null && ask.idToken.length <= MAX_HINT ? ask.idToken : null;
      const url = buildEndSessionUrl(this.client(connection, server), {
        ...(hint === null ? {} : { id_token_hint: hint }),
        client_id: connection.clientId,
        post_logout_redirect_uri: this.addresses.signedOut,
        state: ask.state,
      });
      return url.href;
    } catch (error) {
      if (error instanceof OidcRefused) return null;
      throw error;
    }
  }

  /**
   * Verifies a logout token (OIDC Back-Channel Logout 1.0 §2.6). The caller checks that it is new (`once`).
   *
   * @param token the posted `logout_token`
   * @throws {OidcRefused} `token_refused` for the token; `idp_unreachable`, `idp_answer_invalid`, `issuer_mismatch`
   *   when keys or metadata cannot be read
   */
  readLogoutToken(connection: OidcSettings, token: string): Promise<LogoutDemand> {
    return this.readPushedToken(connection, token, 'logout token', (signed) =>
      checkLogoutToken(signed, connection, this.clock.now()),
    );
  }

  /**
   * Verifies a token that an IdP sends from server to server.
   *
   * @param name what the token is called in a refusal
   * @param judge reads the claims, and throws `token_refused` when they are not accepted
   * @throws {OidcRefused} as `readLogoutToken`
   */
  async readPushedToken<T>(
    connection: OidcSettings,
    token: string,
    name: string,
    judge: (signed: SignedToken) => T,
  ): Promise<T> {
    const server = await this.metadata.get(connection);
    try {
      const signed = readToken(token, name, acceptedAlgs(connection, server));
      // The claims are checked first: a token that is refused anyway costs no request for keys.
      const demand = judge(signed);
      await this.jwks.verify(connection, server, signed, 'caller');
      return demand;
    } catch (error) {
      const isTokens =
        error instanceof OidcRefused && ['algorithm_refused', 'signature_invalid'].includes(error.reason);
      throw isTokens ? new OidcRefused('token_refused', error.message) : error;
    }
  }

  /** Checks a connection without a sign-in, past the caches. Throws no refusal. */
  async check(connection: OidcSettings): Promise<OidcCheck> {
    try {
      const server = await this.metadata.read(connection);
      const keys = await this.jwks.read(connection.tenantId, server);
      const problem = problemOfSetup(connection, server, keys);
      return problem === null ? { ok: true, server, keys: keys.length } : { ok: false, problem };
    } catch (error) {
      if (error instanceof OidcRefused) return { ok: false, problem: error.message };
      throw error;
    }
  }

  // As a URL prints it: openid-client repeats it so to the token endpoint, and both must be equal.
  private redirectUri(connection: OidcSettings): string {
    return new URL(this.addresses.callback(connection.slug)).href;
  }

  // From the settings: a Host header is not trusted.
  private answerUrl(connection: OidcSettings, query: URLSearchParams): URL {
    const url = new URL(this.redirectUri(connection));
    url.search = query.toString();
    return url;
  }

  private client(connection: OidcSettings, server: OidcServer, fetch: CustomFetch = noFetch): Configuration {
    return clientFor(connection, server, {
      now: this.clock.now(),
      allowHttp: this.config.allowPrivateDestinations,
      fetch,
    });
  }
}

/** Building an address fetches nothing. */
function noFetch(): never {
  throw new Error('no call was expected here');
}
