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

/** What openid-client has to be told beside the connection. */
export interface ClientSurroundings {
  /** The service's time, which openid-client is to go by as well. */
  now: Date;
  /** http, for development and tests alone. */
  allowHttp: boolean;
  fetch: CustomFetch;
}

/** openid-client's view of a connection. Made anew for each use: it is small, and holds an open secret. */
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
      // Whole seconds: it ends up in the times of a client assertion, and not every OP reads fractions there.
      [clockSkew]: Math.floor(now.getTime() / 1000) - Math.floor(Date.now() / 1000),
      [clockTolerance]: SKEW,
    },
    // Secrets are read when they are used: an address can be built without them.
    async (...request) => (await authentication(connection))(...request),
  );
  client[customFetch] = fetch;
  // The deadline is that of the guarded fetch; a second clock would only leave timers behind.
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
 * By Basic, both parts in the form encoding (RFC 6749 §2.3.1). openid-client would also encode `-`, `.` and `_`, which is
 * allowed; but OPs that forget to decode then know no client whose id is a UUID.
 */
function basic(clientId: string, secret: string): ClientAuth {
  const encoded = (text: string): string => new URLSearchParams([['', text]]).toString().slice(1);
  const credentials = Buffer.from(`${encoded(clientId)}:${encoded(secret)}`).toString('base64');
  return (_server, _client, _body, headers) => headers.set('authorization', `Basic ${credentials}`);
}

/**
 * A JWT that lives a minute and has a fresh `jti` (openid-client makes both). Its audience is the issuer, as one text:
 * with the token endpoint's address, or a list, one IdP could use it at another (CVE-2025-27370, CVE-2025-27371).
 */
async function assertion(connection: OidcSettings): Promise<ClientAuth> {
  const jwk = connection.privateKey;
  if (jwk === null) throw new Error(`connection ${connection.id} has no private key`);
  const { alg, kid } = jwk as { alg: string; kid: string };
  const key = await importJWK(jwk as JWK, alg);
  if (key instanceof Uint8Array) throw new Error(`connection ${connection.id} has a key that is no private key`);
  return PrivateKeyJwt(
    { key, kid },
    {
      [modifyAssertion]: (header, payload) => {
        // Ed25519 keys are announced by the name that the key was given (`EdDSA`), which more IdPs know.
        header['alg'] = alg;
        payload['aud'] = connection.issuer;
        // `iat` says it already; and an OP whose clock is a second behind refuses what is not valid yet.
        delete payload['nbf'];
      },
    },
  );
}

function secretOf(connection: OidcSettings): string {
  if (connection.clientSecret === null) throw new Error(`connection ${connection.id} has no client secret`);
  return connection.clientSecret;
}
