import type { OidcSettings } from './oidc-settings.js';
import type { OidcServer } from './discovery.rules.js';
import type { IdpKey } from './jwks.rules.js';
import { shorten } from './json.rules.js';
import { acceptedAlgs } from './jwt.rules.js';

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
