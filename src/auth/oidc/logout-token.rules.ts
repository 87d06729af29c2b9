import { SignInRefused } from '../sign-in-refused.js';
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

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
const MAX_TEXT = 255;

/**
 * Judges the claims of a logout token (OIDC Back-Channel Logout 1.0 §2.4, §2.6). The signature is verified elsewhere.
 *
 * `typ` may be missing or plain `JWT`: the type is only recommended there, and OPs in the field leave it out. What then
 * tells the token from an ID token is that it has the event and no nonce. An optional claim that is null is absent.
 *
 * @throws SignInRefused token_refused
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
    checkTimes(claims, now, 'logout token');
  } catch (error) {
    throw error instanceof SignInRefused ? refused(error.message) : error;
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
  const lastUse = Math.min(claims['exp'] as number, (claims['iat'] as number) + MAX_AGE) + SKEW;
  const issuedAt = new Date((claims['iat'] as number) * 1000);
  return { sub, sid, issuedAt, once: { id, until: new Date(lastUse * 1000) } };
}

function text(claims: JsonObject, name: string): string | null {
  const value = claims[name];
  if (value === undefined) return null;
  if (typeof value === 'string' && value !== '' && value.length <= MAX_TEXT) return value;
  throw refused(`The logout token has a ${name} that is no text of 1 to ${MAX_TEXT} characters.`);
}

function refused(message: string): SignInRefused {
  return new SignInRefused('token_refused', message);
}
