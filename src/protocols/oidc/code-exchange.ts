import {
  authorizationCodeGrant,
  AuthorizationResponseError,
  ClientError,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
  type Configuration,
  type CustomFetch,
} from 'openid-client';
import { OidcRefused } from './oidc-refused.js';
import { idpError } from './callback.rules.js';
import type { IdpFetch } from './guarded-fetch.js';
import { shorten, withoutNulls, type IdpObject } from './json.rules.js';
import { withoutOddClaims } from './jwt.rules.js';

/** The answer of a token endpoint, not verified. */
export interface Tokens {
  readonly idToken: string;
  readonly accessToken: string;
}

/** Makes the configuration of openid-client with a given `fetch`. */
export type ClientWith = (fetch: CustomFetch) => Configuration;

/**
 * Exchanges a code for tokens, once: a code that may have arrived is never sent again (RFC 6749 §4.1.2). openid-client
 * and `verify` both have to accept the answer. The refusal of `verify` comes first: it checks the signature, too, and
 * names each reason.
 *
 * @param answer the redirect URI with the query of the callback; its `state` and `iss` were checked
 * @throws {OidcRefused} `idp_unreachable`, `idp_answer_invalid`, `idp_error`, and the errors of `verify`
 */
export async function exchangeCode<T>(
  idp: IdpFetch,
  client: ClientWith,
  answer: URL,
  expected: { state: string; nonce: string; codeVerifier: string },
  verify: (tokens: Tokens) => Promise<T>,
): Promise<T> {
  let body: IdpObject | null = null;
  const configuration = client(idp.fetchFor('token', (seen) => (body = seen), readableAnswer));
  let refusal: Error | null = null;
  try {
    await authorizationCodeGrant(configuration, answer, {
      pkceCodeVerifier: expected.codeVerifier,
      expectedState: expected.state,
      expectedNonce: expected.nonce,
      idTokenExpected: true,
    });
  } catch (error) {
    refusal = restateClientError(error, 'token endpoint');
  }
  if (body === null) throw refusal ?? new Error('a code was exchanged without an answer');
  const verified = await verify(tokensIn(body));
  if (refusal !== null) throw refusal;
  return verified;
}

/**
 * Restates an error of openid-client. Its messages are constants; its `cause` may hold the answer with the tokens and
 * is never quoted.
 *
 * @returns any other error unchanged
 */
export function restateClientError(error: unknown, where: string): Error {
  if (error instanceof ClientError) {
    if (error.cause instanceof OidcRefused) return error.cause;
    // An error without a code is not about the answer of an IdP.
    if (error.code === undefined && error.cause instanceof Error) return error.cause;
    const detail = error.code === undefined ? '' : ` (${shorten(error.code, 60)})`;
    return new OidcRefused('idp_answer_invalid', `The answer of the ${where} is refused: ${error.message}${detail}.`);
  }
  if (error instanceof ResponseBodyError) return idpError(`The ${where}`, error.error, error.error_description);
  if (error instanceof AuthorizationResponseError) return idpError('The IdP', error.error, error.error_description);
  if (error instanceof WWWAuthenticateChallengeError) {
    return new OidcRefused('idp_answer_invalid', `The ${where} answers with status ${error.status}.`);
  }
  return error instanceof Error ? error : new Error('openid-client failed', { cause: error });
}

/**
 * Returns the answer as openid-client reads it: without members that are null, and without claims that need not be
 * refused. `verify` checks the signature over the token as it came.
 */
function readableAnswer(body: IdpObject): IdpObject {
  const { id_token: idToken, ...rest } = withoutNulls(body);
  if (idToken === undefined) return rest;
  return { ...rest, id_token: typeof idToken === 'string' ? withoutOddClaims(idToken) : idToken };
}

function tokensIn(body: IdpObject): Tokens {
  const { id_token: idToken, access_token: accessToken } = body;
  if (typeof idToken !== 'string') throw new OidcRefused('idp_answer_invalid', 'The token endpoint gives no ID token.');
  // It becomes part of a header (RFC 6749 §A.12).
  if (typeof accessToken !== 'string' || !/^[\x20-\x7e]+$/.test(accessToken)) {
    throw new OidcRefused('idp_answer_invalid', 'The token endpoint gives no usable access token.');
  }
  return { idToken, accessToken };
}
