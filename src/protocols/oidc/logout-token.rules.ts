import { OidcRefused } from './oidc-refused.js';
import { checkAudience, checkIssuer, checkTimes, MAX_AGE, SKEW } from './id-token.rules.js';
import { isIdpObject, shorten, withoutNulls, type IdpObject } from './json.rules.js';
import type { SignedToken } from './jwt.rules.js';

/** The sessions that an IdP ends: of a subject, one session of the IdP, or both. */
export interface LogoutDemand {
  sub: string | null;
  sid: string | null;
  /** By the clock of the IdP. */
  issuedAt: Date;
  /** The id to store until this time, so that a second use of the token is refused. */
  once: { id: string; until: Date };
}

/**
 * The maximum age in seconds of a logout token without `exp`. The specification demands `exp` (§2.4); IdPs that follow
 * its drafts send none (Ory Hydra, Glewlwyd, Keycloak before 23.0.4, authentik before 2025.8.2). The IdP makes the
 * token for one request, so two minutes are enough.
 */
const MAX_AGE_WITHOUT_EXP = 120;
const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
const MAX_TEXT = 255;

/**
 * Checks the claims of a logout token (OIDC Back-Channel Logout 1.0 §2.4, §2.6). The signature is checked in
 * `jwks.store.ts`.
 *
 * `typ` may be missing or `JWT`, since the specification only recommends a type. The event and the missing nonce
 * distinguish it from an ID token. An optional claim that is null is absent. `exp` may be missing when `iat` is at most
 * two minutes old. The caller checks that the `jti` is new (`once`).
 *
 * @throws {OidcRefused} `token_refused`
 */
export function checkLogoutToken(
  token: SignedToken,
  connection: { issuer: string; clientId: string },
  now: Date,
): LogoutDemand {
  const { header } = token;
  const claims = withoutNulls(token.claims);
  if (header.typ !== null && !['logout+jwt', 'application/logout+jwt', 'jwt'].includes(header.typ)) {
    throw refused(`The logout token is a token of another kind (${shorten(header.typ, 40)}).`);
  }
  try {
    checkIssuer(claims, connection.issuer, 'logout token');
    checkAudience(claims, connection.clientId, 'logout token');
    checkTimes(withEnd(claims, now), now, 'logout token');
  } catch (error) {
    throw error instanceof OidcRefused ? refused(error.message) : error;
  }
  const { events } = claims;
  if (!isIdpObject(events) || !Object.hasOwn(events, EVENT) || !isIdpObject(events[EVENT])) {
    throw refused('The logout token does not name the event of a logout.');
  }
  if (claims['nonce'] !== undefined) throw refused('The logout token has a nonce: it is an ID token.');
  const sub = text(claims, 'sub');
  // An ID token with a `sid` of this type has no session of the IdP either: the logout ends all sessions of the subject.
  const isOdd = typeof claims['sid'] !== 'string' && sub !== null;
  const sid = isOdd ? null : text(claims, 'sid');
  if (sub === null && sid === null) throw refused('The logout token names neither a subject nor a session.');
  const id = text(claims, 'jti');
  if (id === null) throw refused('The logout token has no jti.');
  const { exp, iat } = withEnd(claims, now) as { exp: number; iat: number };
  const lastUse = Math.min(exp, iat + MAX_AGE) + SKEW;
  const issuedAt = new Date(iat * 1000);
  return { sub, sid, issuedAt, once: { id, until: new Date(lastUse * 1000) } };
}

/** Returns the claims with `exp`: their own, or two minutes after `iat`. */
function withEnd(claims: IdpObject, now: Date): IdpObject {
  const { exp, iat } = claims;
  if (exp !== undefined || typeof iat !== 'number') return claims;
  const age = now.getTime() / 1000 - iat;
  if (age > MAX_AGE_WITHOUT_EXP || age < -SKEW) {
    throw refused(
      `The logout token has no exp, so its iat has to be of the last ${MAX_AGE_WITHOUT_EXP} s; it is ${Math.round(age)} s old.`,
    );
  }
  return { ...claims, exp: iat + MAX_AGE_WITHOUT_EXP };
}

function text(claims: IdpObject, name: string): string | null {
  const value = claims[name];
  if (value === undefined) return null;
  if (typeof value === 'string' && value !== '' && value.length <= MAX_TEXT) return value;
  throw refused(`The logout token has a ${name} that is not a text of 1 to ${MAX_TEXT} characters.`);
}

function refused(message: string): OidcRefused {
  return new OidcRefused('token_refused', message);
}
