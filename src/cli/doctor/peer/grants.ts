import { createPrivateKey, randomUUID, type JsonWebKey, type KeyObject } from 'node:crypto';
import { SignJWT } from 'jose';
import { isRecord, jsonOf, type JsonRecord, valueAt, finding, inJson, type DoctorFinding } from '../forms/finding.js';
import type { PlainAnswer, ScimService } from './scim-service.js';

/** A credential that an IdP has for a SCIM service. */
export type DirectoryCredential =
  | { kind: 'token'; token: string }
  | { kind: 'secret'; clientId: string; secret: string; tokenUrl?: string }
  | { kind: 'private_key_jwt'; clientId: string; key: string | JsonRecord; keyId?: string; tokenUrl?: string }
  | { kind: 'federated'; clientId: string; assertion: Assertion; tokenUrl?: string };

/** The assertion of an IdP: as the IdP has signed it, or what to sign with a key of the IdP. */
type Assertion =
  { signed: string } | { key: string | JsonRecord; keyId?: string; issuer: string; subject: string; audience: string };

/** What can be given, for the help and for messages. */
export const CREDENTIAL_FORMS =
  'standard input: a SCIM token; client id and client secret on two lines; or JSON: {"token"}, {"client_id","client_secret"}, ' +
  '{"client_id","private_key"}, {"client_id","assertion"}, or with issuer, subject and audience beside the private_key (PEM or JWK) of ' +
  'an IdP; a list of these for several methods. credentials.json of npm start is such a JSON';

/**
 * Reads the credentials that were given by standard input.
 *
 * @returns one at least, or null where the text has none of the forms
 */
export function credentialsOf(text: string): DirectoryCredential[] | null {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  if (/^[[{]/.test(trimmed)) {
    const all = [jsonOf(trimmed)].flat().map(credentialOf);
    return all.length === 0 || all.includes(null) ? null : (all as DirectoryCredential[]);
  }
  const lines = trimmed.split(/\r?\n/).map((line) => line.trim());
  if (lines.some((line) => line === '' || /\s/.test(line)) || lines.length > 2) return null;
  const [first, second] = lines as [string, string | undefined];
  return [second === undefined ? { kind: 'token', token: first } : { kind: 'secret', clientId: first, secret: second }];
}

function credentialOf(value: unknown): DirectoryCredential | null {
  if (!isRecord(value)) return null;
  const text = (name: string) => (typeof value[name] === 'string' && value[name] !== '' ? value[name] : undefined);
  const token = text('token') ?? text('scim_token');
  const clientId = text('client_id');
  if (clientId === undefined) return token === undefined ? null : { kind: 'token', token };
  const place = text('token_url') === undefined ? {} : { tokenUrl: text('token_url')! };
  const secret = text('client_secret');
  if (secret !== undefined) return { kind: 'secret', clientId, secret, ...place };
  const signed = text('assertion');
  if (signed !== undefined) return { kind: 'federated', clientId, assertion: { signed }, ...place };
  const key = isRecord(value['private_key']) ? value['private_key'] : text('private_key');
  if (key === undefined) return null;
  const named = text('key_id') === undefined ? {} : { keyId: text('key_id')! };
  const [issuer, subject, audience] = [text('issuer'), text('subject'), text('audience')];
  if (issuer === undefined && subject === undefined && audience === undefined) {
    return { kind: 'private_key_jwt', clientId, key, ...named, ...place };
  }
  if (issuer === undefined || subject === undefined || audience === undefined) return null;
  return { kind: 'federated', clientId, assertion: { key, ...named, issuer, subject, audience }, ...place };
}

/** The way in which a client secret is sent: in the form, or as Basic authentication (RFC 6749 §2.3.1). */
type SecretPlace = 'post' | 'basic';

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

/** Where the metadata of an authorization server are (RFC 8414 §3). */
const METADATA = '/.well-known/oauth-authorization-server';
const SHORTEST_LIFE = 3_600;
const LONGEST_LIFE = 21_600;

/** A credential of the directory, and where its tokens come from. */
export interface Method {
  credential: DirectoryCredential;
  tokenUrl?: string | undefined;
}

interface TokenGrant {
  /** Null: no token came. */
  bearer: string | null;
  findings: DoctorFinding[];
}

/** Returns the token that SCIM requests have: a SCIM token unchanged, else one of the token address. */
export async function bearerOf(service: ScimService, method: Method, place: SecretPlace = 'post'): Promise<TokenGrant> {
  const { credential } = method;
  if (credential.kind === 'token') {
    service.secrets.add(credential.token);
    return { bearer: credential.token, findings: [] };
  }
  const url = await tokenUrlOf(service, method);
  if (typeof url !== 'string') return { bearer: null, findings: [url] };
  const { form, headers, secrets } = await tokenRequest(credential, url, place);
  for (const secret of secrets) service.secrets.add(secret);
  const answer = await askForToken(service, url, form, headers);
  const body = jsonOf(answer.text);
  const bearer = valueAt(body, 'access_token');
  if (typeof bearer === 'string') service.secrets.add(bearer);
  return { bearer: typeof bearer === 'string' ? bearer : null, findings: tokenFindings(url, answer, body) };
}

/** Sends a token request. */
export async function askForToken(
  service: ScimService,
  url: string,
  form: Record<string, string>,
  headers: Record<string, string>,
): Promise<PlainAnswer> {
  return service.call({
    method: 'POST',
    url,
    headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(form).toString(),
  });
}

/**
 * Returns the token address of a method: the one that was given, else that of the metadata. The metadata may name an address of their own
 * origin alone, since the credential is sent there.
 */
export async function tokenUrlOf(
  service: ScimService,
  { credential, tokenUrl }: Method,
): Promise<string | DoctorFinding> {
  const given = tokenUrl ?? (credential.kind === 'token' ? undefined : credential.tokenUrl);
  if (given !== undefined) return given;
  const { origin } = service.address;
  const answer = await service.call({
    method: 'GET',
    url: `${origin}${METADATA}`,
    headers: { accept: 'application/json' },
  });
  const endpoint = valueAt(jsonOf(answer.text), 'token_endpoint');
  if (typeof endpoint !== 'string' || !URL.canParse(endpoint)) {
    const words = `${origin}${METADATA} is answered ${answer.status}, and names no token_endpoint`;
    return finding('token_refused', 'token_endpoint', `${words}: give the token address with --token-url.`);
  }
  if (new URL(endpoint).origin === origin) return endpoint;
  const words = `The metadata of ${origin} name the token address ${endpoint}, which is of another origin`;
  return finding(
    'token_refused',
    'token_endpoint',
    `${words}: give the token address with --token-url if it is right.`,
  );
}

function tokenFindings(url: string, { status, headers }: PlainAnswer, body: unknown): DoctorFinding[] {
  if (status !== 200 || !isRecord(body)) {
    const error = valueAt(body, 'error');
    return [
      finding(
        'token_refused',
        'access_token',
        `POST ${url} is answered ${status}${error === undefined ? '' : ` ${inJson(error)}`}.`,
      ),
    ];
  }
  const wrong = (field: string, expected: string) =>
    finding(
      'token_form',
      field,
      `The answer to POST ${url} has ${inJson(body[field])} as ${field}; expected: ${expected}.`,
    );
  const found: DoctorFinding[] = [];
  if (typeof body['access_token'] !== 'string')
    found.push(finding('token_form', 'access_token', `The answer to POST ${url} has no access_token.`));
  if (String(body['token_type']).toLowerCase() !== 'bearer') found.push(wrong('token_type', '"Bearer"'));
  if (!Number.isInteger(body['expires_in'])) found.push(wrong('expires_in', 'an integer'));
  if (!/no-store/i.test(headers['cache-control'] ?? '')) {
    found.push(finding('token_form', 'Cache-Control', `The answer to POST ${url} has no Cache-Control: no-store.`));
  }
  const life = Number(body['expires_in']);
  if (life < SHORTEST_LIFE || life > LONGEST_LIFE) {
    found.push(
      finding(
        'token_life',
        'expires_in',
        `Access tokens live ${life} seconds; the gate of Entra admits ${SHORTEST_LIFE} to ${LONGEST_LIFE}.`,
      ),
    );
  }
  return found;
}
