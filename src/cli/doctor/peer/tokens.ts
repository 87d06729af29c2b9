import { createPrivateKey, randomUUID, type JsonWebKey, type KeyObject } from 'node:crypto';
import { SignJWT } from 'jose';
import type { JsonRecord } from '../forms/answer.js';
import type { Assertion, DirectoryCredential } from './credentials.rules.js';

/** The way in which a client secret is sent: in the form, or as Basic authentication (RFC 6749 §2.3.1). */
export type SecretPlace = 'post' | 'basic';

/** A token request: the form, and the headers beside it. */
export interface TokenRequest {
  form: Record<string, string>;
  headers: Record<string, string>;
  /** The texts that must not be shown. */
  secrets: readonly string[];
}

const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
const LIFE_SECONDS = 300;

/**
 * Returns the token request of a client (RFC 6749 §4.4, RFC 7523 §2.2).
 *
 * @param tokenUrl also the audience of a client that signs its own assertions
 */
export async function tokenRequest(
  credential: Exclude<DirectoryCredential, { kind: 'token' }>,
  tokenUrl: string,
  place: SecretPlace = 'post',
): Promise<TokenRequest> {
  const form = { grant_type: 'client_credentials', scope: 'scim' };
  const { clientId } = credential;
  if (credential.kind === 'secret') {
    const { secret } = credential;
    if (place === 'post')
      return { form: { ...form, client_id: clientId, client_secret: secret }, headers: {}, secrets: [secret] };
    const basic = Buffer.from(`${encodeURIComponent(clientId)}:${encodeURIComponent(secret)}`).toString('base64');
    return { form, headers: { authorization: `Basic ${basic}` }, secrets: [secret, basic] };
  }
  const assertion =
    credential.kind === 'federated'
      ? await signedAssertion(credential.assertion)
      : await sign(credential, { iss: clientId, sub: clientId, aud: tokenUrl, jti: randomUUID() });
  const fields = { client_id: clientId, client_assertion_type: ASSERTION_TYPE, client_assertion: assertion };
  return { form: { ...form, ...fields }, headers: {}, secrets: [assertion] };
}

/** An assertion of Entra has no `jti`. */
async function signedAssertion(assertion: Assertion): Promise<string> {
  if ('signed' in assertion) return assertion.signed;
  const { issuer, subject, audience } = assertion;
  return sign(assertion, { iss: issuer, sub: subject, aud: audience, ver: '2.0' });
}

async function sign({ key, keyId }: { key: string | JsonRecord; keyId?: string }, claims: JsonRecord): Promise<string> {
  const secret = keyOf(key);
  const kid = keyId ?? (typeof key === 'string' ? undefined : (key['kid'] as string | undefined));
  const now = Math.floor(Date.now() / 1_000);
  return new SignJWT({ ...claims, iat: now, nbf: now, exp: now + LIFE_SECONDS })
    .setProtectedHeader({ alg: algorithmOf(secret), typ: 'JWT', ...(kid === undefined ? {} : { kid }) })
    .sign(secret);
}

function keyOf(key: string | JsonRecord): KeyObject {
  return typeof key === 'string' ? createPrivateKey(key) : createPrivateKey({ key: key as JsonWebKey, format: 'jwk' });
}

function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): string {
  if (asymmetricKeyType === 'rsa') return 'RS256';
  if (asymmetricKeyType === 'ec') return asymmetricKeyDetails?.namedCurve === 'secp384r1' ? 'ES384' : 'ES256';
  return 'EdDSA';
}
