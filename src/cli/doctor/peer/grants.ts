import { isRecord, jsonOf, valueAt } from '../forms/answer.js';
import { finding, inJson, type DoctorFinding } from '../forms/finding.js';
import type { DirectoryCredential } from './credentials.rules.js';
import type { PlainAnswer } from './http-call.js';
import type { ScimService } from './scim-service.js';
import { tokenRequest, type SecretPlace } from './tokens.js';

/** Where the metadata of an authorization server are (RFC 8414 §3). */
const METADATA = '/.well-known/oauth-authorization-server';
const SHORTEST_LIFE = 3_600;
const LONGEST_LIFE = 21_600;

/** A credential of the directory, and where its tokens come from. */
export interface Method {
  credential: DirectoryCredential;
  /** The token address that the caller has given. */
  tokenUrl?: string | undefined;
}

/** What a token request has brought. */
export interface TokenGrant {
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
