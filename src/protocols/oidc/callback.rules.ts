import { hashToken, sameHash } from '../../base/crypto/tokens.js';
import type { OidcServer } from './discovery.rules.js';
import { shorten } from './json.rules.js';
import type { IdpKey } from './jwks.rules.js';
import { acceptedAlgs } from './jwt.rules.js';
import { OidcRefused } from './oidc-refused.js';
import type { OidcSettings } from './oidc-settings.js';

const MAX_CODE = 8 * 1024;
/** Longer than the case ids that IdPs put into a description. */
const OPAQUE = /[\w.~+/=-]{40,}/g;

/**
 * Refuses a query with a repeated parameter (RFC 6749 §3.1): one reader would take the first value and another the
 * last.
 *
 * @throws {OidcRefused} `idp_answer_invalid`
 */
export function checkOnce(query: URLSearchParams): void {
  const seen = new Set<string>();
  for (const name of query.keys()) {
    if (seen.has(name)) {
      throw new OidcRefused('idp_answer_invalid', `The answer of the IdP has ${shorten(name, 40)} more than once.`);
    }
    seen.add(name);
  }
}

/**
 * Checks the query of a callback before the code is used (RFC 9700 §4.4.2.1, RFC 9207 §2.4, OIDC Core §3.1.2.5): the
 * issuer, then the state, then the error.
 *
 * @throws {OidcRefused} `issuer_mismatch` when `iss` is another issuer's, or missing although the IdP announced it
 * @throws {OidcRefused} `state_unknown`, `idp_error`, `idp_answer_invalid`
 */
export function checkAnswer(query: URLSearchParams, server: OidcServer, state: string): void {
  const iss = query.get('iss');
  if (iss === null && server.promisesIss) {
    throw new OidcRefused('issuer_mismatch', 'The answer does not say which IdP it is from (iss), as was promised.');
  }
  if (iss !== null && iss !== server.issuer) {
    throw new OidcRefused('issuer_mismatch', `The answer is of another IdP: ${shorten(iss, 200)}.`);
  }
  const given = query.get('state');
  if (given === null || state === '' || !sameHash(hashToken(given), hashToken(state))) {
    throw new OidcRefused('state_unknown', 'The answer belongs to another sign-in (state).');
  }
  const error = query.get('error');
  if (error !== null) throw idpError('The IdP', error, query.get('error_description'));
  const code = query.get('code');
  if (code === null || code === '' || code.length > MAX_CODE) {
    throw new OidcRefused('idp_answer_invalid', 'The answer of the IdP has no code.');
  }
}

/**
 * Makes the refusal for an error of an IdP (RFC 6749 §4.1.2.1, §5.2). The description is foreign text: it is shortened,
 * loses its mark-up, and loses what is as long as a token, since some IdPs repeat the code there.
 */
export function idpError(who: string, error: string, description: unknown): OidcRefused {
  const code = /^[\w.-]{1,64}$/.test(error) ? error : 'an error without a usable code';
  const more = typeof description === 'string' ? shorten(description.replace(OPAQUE, '…'), 200).trim() : '';
  return new OidcRefused('idp_error', `${who} answers with ${code}${more === '' ? '.' : `: ${more}`}`);
}

/**
 * Returns why no sign-in can succeed although the IdP answers: the settings contradict what the IdP announces. What the
 * IdP does not announce is no contradiction.
 *
 * @returns null when no contradiction is known
 */
export function problemOfSetup(connection: OidcSettings, server: OidcServer, keys: readonly IdpKey[]): string | null {
  const list = (names: readonly string[]): string => shorten(names.join(', '), 200);
  const { idTokenAlg, tokenAuth } = connection;
  if (idTokenAlg !== null && server.idTokenAlgs !== null && !server.idTokenAlgs.includes(idTokenAlg)) {
    return `The IdP does not announce ID tokens with ${idTokenAlg}, only with ${list(server.idTokenAlgs)}.`;
  }
  const algs = acceptedAlgs(connection, server);
  if (algs.length === 0) return `The IdP signs ID tokens only with ${list(server.idTokenAlgs ?? [])}.`;
  if (!keys.some((key) => key.algs.some((alg) => algs.includes(alg)))) {
    return `The key set of the IdP has no key for signatures with ${algs.join(' or ')}.`;
  }
  if (server.tokenAuthMethods !== null && !server.tokenAuthMethods.includes(tokenAuth)) {
    return `The IdP does not announce ${tokenAuth}, only ${list(server.tokenAuthMethods)}.`;
  }
  if (connection.userInfo === 'required' && server.userInfoEndpoint === null) {
    return 'The IdP has no UserInfo endpoint, but its claims are required.';
  }
  return null;
}
