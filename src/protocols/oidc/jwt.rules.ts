import { ID_TOKEN_ALGS, type IdTokenAlg, type OidcSettings } from './oidc-settings.js';
import { OidcRefused } from './oidc-refused.js';
import type { OidcServer } from './discovery.rules.js';
import { readObject, shorten, withoutNulls, type IdpObject } from './json.rules.js';

/** A signed JWT, split and not verified. */
export interface SignedToken {
  readonly text: string;
  readonly header: { readonly alg: IdTokenAlg; readonly kid: string | null; readonly typ: string | null };
  readonly claims: IdpObject;
}

/** The limit of an answer of a token endpoint, in characters. */
const MAX_LENGTH = 64 * 1024;
/** Headers that carry a key or name its address. Keys come from the key set of the IdP alone (RFC 8725 §3.10). */
const KEY_HEADERS = ['jwk', 'jku', 'x5u', 'x5c'] as const;
type KeyHeader = (typeof KEY_HEADERS)[number];

/**
 * Returns the accepted algorithms of an IdP: the pinned one, else those of `ID_TOKEN_ALGS` that the IdP announces. An
 * IdP that announces none uses RS256 (OIDC Core §3.1.3.7, 7).
 */
export function acceptedAlgs(
  connection: Pick<OidcSettings, 'idTokenAlg'>,
  server: Pick<OidcServer, 'idTokenAlgs'>,
): readonly IdTokenAlg[] {
  if (connection.idTokenAlg !== null) return [connection.idTokenAlg];
  const announced = server.idTokenAlgs ?? ['RS256'];
  return ID_TOKEN_ALGS.filter((alg) => announced.includes(alg));
}

/**
 * Splits a signed token and checks its header (OIDC Core §3.1.3.7, RFC 7515 §4.1, RFC 8725).
 *
 * @param name what the token is called in a refusal
 * @param algs the accepted algorithms
 * @param ignored the headers with keys that are no reason to refuse; the keys in them are never used
 * @throws {OidcRefused} `token_refused` when it is not a signed JWT, or its header has a key or `crit`
 * @throws {OidcRefused} `algorithm_refused` for `none`, HMAC and other algorithms
 */
export function readToken(
  text: string,
  name: string,
  algs: readonly IdTokenAlg[],
  ignored: readonly KeyHeader[] = [],
): SignedToken {
  const refuse = (problem: string): OidcRefused => new OidcRefused('token_refused', `The ${name} ${problem}.`);
  if (text.length > MAX_LENGTH) throw refuse('is too long');
  const [header64, claims64, signature64, ...more] = text.split('.');
  if (more.length === 2) throw refuse('is encrypted, which was not agreed');
  if (more.length > 0 || ![header64, claims64].every(isBase64Url) || !/^[\w-]*$/.test(signature64 ?? '.')) {
    throw refuse('is not a signed JWT');
  }
  const header = readObject(decode(header64!));
  const claims = readObject(decode(claims64!));
  if (header === null || claims === null) throw refuse('is not a signed JWT');

  const { alg, kid, typ } = withoutNulls(header);
  const accepted = algs.find((one) => one === alg);
  if (accepted === undefined) {
    const named = typeof alg === 'string' ? shorten(alg, 40) : 'no name';
    throw new OidcRefused(
      'algorithm_refused',
      `The ${name} is signed with ${named}; accepted: ${algs.join(', ') || 'none that the IdP announces'}.`,
    );
  }
  if (signature64 === '') throw refuse('has no signature');
  const keyHeader = KEY_HEADERS.find((one) => header[one] != null && !ignored.includes(one));
  if (keyHeader !== undefined) throw refuse(`brings a key of its own (${keyHeader})`);
  if (header['crit'] !== undefined) throw refuse('demands an extension (crit)');
  if (kid !== undefined && typeof kid !== 'string') throw refuse('has a kid that is not a text');
  if (typ !== undefined && typeof typ !== 'string') throw refuse('has a typ that is not a text');
  return { text, header: { alg: accepted, kid: kid ?? null, typ: typ?.toLowerCase() ?? null }, claims };
}

/**
 * Returns the token without the claims that openid-client refuses although they are no reason to: those that are null,
 * and an `auth_time` that is no number, which `checkIdToken` judges. The signature no longer fits; it is verified over
 * the token as it came.
 */
export function withoutOddClaims(token: string): string {
  const [header, payload, signature, ...more] = token.split('.');
  const claims = payload === undefined || more.length > 0 ? null : readObject(decode(payload));
  if (claims === null) return token;
  const { auth_time: authTime, ...others } = claims;
  const isOdd = authTime !== undefined && !(typeof authTime === 'number' && authTime >= 0);
  if (!isOdd && !Object.values(claims).includes(null)) return token;
  const kept = withoutNulls(isOdd ? others : claims);
  return [header, Buffer.from(JSON.stringify(kept)).toString('base64url'), signature].join('.');
}

function isBase64Url(part: string | undefined): boolean {
  return part !== undefined && /^[\w-]+$/.test(part);
}

/** Octets that are not UTF-8 become text that is not JSON. */
function decode(part: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(part, 'base64url'));
  } catch {
    return '';
  }
}
