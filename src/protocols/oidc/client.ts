import { importJWK, type JWK } from 'jose';
import {
  allowInsecureRequests,
  ClientSecretPost,
  clockSkew,
  clockTolerance,
  Configuration,
  customFetch,
  modifyAssertion,
  PrivateKeyJwt,
  type ClientAuth,
  type CustomFetch,
} from 'openid-client';
import type { OidcSettings } from './oidc-settings.js';
import type { OidcServer } from './discovery.rules.js';
import { SKEW } from './id-token.rules.js';

/** What openid-client needs besides the settings. */
interface ClientSurroundings {
  /** The time of the service, for openid-client as well. */
  now: Date;
  /** Permits http, for development and tests. */
  allowHttp: boolean;
  fetch: CustomFetch;
}

/**
 * Makes the configuration of openid-client. It is small and holds a secret in plain text, so it is made for each use.
 */
export function clientFor(
  connection: OidcSettings,
  server: OidcServer,
  { now, allowHttp, fetch }: ClientSurroundings,
): Configuration {
  const client = new Configuration(
    {
      issuer: server.issuer,
      authorization_endpoint: server.authorizationEndpoint,
      token_endpoint: server.tokenEndpoint,
      jwks_uri: server.jwksUri,
      ...(server.userInfoEndpoint === null ? {} : { userinfo_endpoint: server.userInfoEndpoint }),
      ...(server.endSessionEndpoint === null ? {} : { end_session_endpoint: server.endSessionEndpoint }),
      ...(server.idTokenAlgs === null ? {} : { id_token_signing_alg_values_supported: [...server.idTokenAlgs] }),
      authorization_response_iss_parameter_supported: server.promisesIss,
    },
    connection.clientId,
    {
      ...(connection.idTokenAlg === null ? {} : { id_token_signed_response_alg: connection.idTokenAlg }),
      // In whole seconds, because it goes into the times of a client assertion, and some IdPs do not read fractions.
      [clockSkew]: Math.floor(now.getTime() / 1000) - Math.floor(Date.now() / 1000),
      [clockTolerance]: SKEW,
    },
    // Reads secrets at their use: an address can be built without them.
    async (...request) => (await authentication(connection))(...request),
  );
  client[customFetch] = fetch;
  // The guarded fetch has the deadline; a second timer is not needed.
  client.timeout = 0;
  if (allowHttp) allowInsecureRequests(client);
  return client;
}

async function authentication(connection: OidcSettings): Promise<ClientAuth> {
  switch (connection.tokenAuth) {
    case 'client_secret_basic':
      return basic(connection.clientId, secretOf(connection));
    case 'client_secret_post':
      return ClientSecretPost(secretOf(connection));
    case 'private_key_jwt':
      return assertion(connection);
  }
}

/**
 * HTTP Basic with both parts form-encoded (RFC 6749 §2.3.1). openid-client would also encode `-`, `.` and `_`; an IdP
 * that does not decode would then not find a client id that is a UUID.
 */
function basic(clientId: string, secret: string): ClientAuth {
  const encoded = (text: string): string => new URLSearchParams([['', text]]).toString().slice(1);
  const credentials = Buffer.from(`${encoded(clientId)}:${encoded(secret)}`).toString('base64');
  return (_server, _client, _body, headers) => headers.set('authorization', `Basic ${credentials}`);
}

/**
 * Makes a JWT that is valid for a minute and has a new `jti`, both by openid-client. Its audience is the issuer alone:
 * with the token endpoint, or with a list, one IdP could use it at another (CVE-2025-27370, CVE-2025-27371).
 */
async function assertion(connection: OidcSettings): Promise<ClientAuth> {
  const jwk = connection.privateKey;
  if (jwk === null) throw new Error(`connection ${connection.id} has no private key`);
  const { alg, kid } = jwk as { alg: string; kid: string };
  const key = await importJWK(jwk as JWK, alg);
  if (key instanceof Uint8Array) throw new Error(`connection ${connection.id} has a key that is not a private key`);
  return PrivateKeyJwt(
    { key, kid },
    {
      [modifyAssertion]: (header, payload) => {
        // Ed25519 under the name of the key (`EdDSA`), which more IdPs know.
        header['alg'] = alg;
        payload['aud'] = connection.issuer;
        // `iat` is enough, and an IdP whose clock is a second late would refuse `nbf`.
        delete payload['nbf'];
      },
    },
  );
}

function secretOf(connection: OidcSettings): string {
  if (connection.clientSecret === null) throw new Error(`connection ${connection.id} has no client secret`);
  return connection.clientSecret;
}
