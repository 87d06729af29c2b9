import { OidcRefused } from './oidc-refused.js';
import { checkAudience, checkIssuer, checkTimes, MAX_AGE, SKEW } from './id-token.rules.js';
import { isObject, shorten, withoutNulls, type JsonObject } from './json.rules.js';
import type { SignedToken } from './jwt.rules.js';

/** Whose sessions an IdP wants ended: of a subject, of one session of the IdP, or of both together. */
export interface LogoutDemand {
  sub: string | null;
  sid: string | null;
  /** By the IdP's clock. */
  issuedAt: Date;
  /** A second use of the same token is seen by this id, which has to be remembered so long. */
  once: { id: string; until: Date };
}

/**
 * Seconds: how old a logout token without `exp` may be. The final specification demands `exp` (§2.4); several OPs follow its drafts,
 * which did not (Ory Hydra, Glewlwyd, Keycloak before 23.0.4, authentik before 2025.8.2). The OP makes the token for the
 * one request that brings it, so two minutes are plenty.
 */
const MAX_AGE_WITHOUT_EXP = 120;
const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
const MAX_TEXT = 255;

/**
 * Judges the claims of a logout token (OIDC Back-Channel Logout 1.0 §2.4, §2.6). The signature is verified elsewhere.
 *
 * `typ` may be missing or plain `JWT`: the type is only recommended there, and OPs in the field leave it out. What then
 * tells the token from an ID token is that it has the event and no nonce. An optional claim that is null is absent.
 *
 * `exp` may be missing where `iat` is of the last two minutes. That the `jti` is new is for the caller to see to (`once`).
 *
 * @throws OidcRefused token_refused
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
  if (!isObject(events) || !Object.hasOwn(events, EVENT) || !isObject(events[EVENT])) {
    throw refused('The logout token does not name the event of a logout.');
  }
  if (claims['nonce'] !== undefined) throw refused('The logout token has a nonce: it is an ID token.');
  const sub = text(claims, 'sub');
  const sid = text(claims, 'sid');
  if (sub === null && sid === null) throw refused('The logout token names neither a subject nor a session.');
  const id = text(claims, 'jti');
  if (id === null) throw refused('The logout token has no jti.');
  const { exp, iat } = withEnd(claims, now) as { exp: number; iat: number };
  const lastUse = Math.min(exp, iat + MAX_AGE) + SKEW;
  const issuedAt = new Date(iat * 1000);
  return { sub, sid, issuedAt, once: { id, until: new Date(lastUse * 1000) } };
}

/** The claims with an `exp`: their own, or the end of the two minutes that a token without one has. */
function withEnd(claims: JsonObject, now: Date): JsonObject {
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

function text(claims: JsonObject, name: string): string | null {
  const value = claims[name];
  if (value === undefined) return null;
  if (typeof value === 'string' && value !== '' && value.length <= MAX_TEXT) return value;
  throw refused(`The logout token has a ${name} that is no text of 1 to ${MAX_TEXT} characters.`);
}

function refused(message: string): OidcRefused {
  return new OidcRefused('token_refused', message);
}
