import { InvalidClient, InvalidTokenAsk } from './clients.errors.js';

/** The only kind of assertion (RFC 7523 §2.2). */
const JWT_BEARER = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
const MAX_CLIENT_ID = 200;

/** The fields of a request for an access token that count. */
export const TOKEN_FIELDS = [
  'grant_type',
  'client_id',
  'client_secret',
  'client_assertion_type',
  'client_assertion',
] as const;

/** How a client authenticates at the token address: with a secret, or with a signed assertion. */
export type ClientProof =
  | { kind: 'secret'; clientId: string; secret: string }
  /** `clientId` is null where only the assertion names the client. */
  | { kind: 'assertion'; clientId: string | null; assertion: string };

/**
 * Reads a request for an access token (RFC 6749 §4.4.2, §2.3). Any `scope` is ignored: the answer names the scope that is
 * granted.
 *
 * @param headers all `Authorization` headers of the request
 * @throws {InvalidTokenAsk} for a field that is missing or does not fit, another grant, or two ways of authentication
 * @throws {InvalidClient} when the request has no authentication, or an unreadable one
 */
export function readTokenRequest(
  form: ReadonlyMap<(typeof TOKEN_FIELDS)[number], string>,
  headers: readonly string[],
): ClientProof {
  const grant = form.get('grant_type');
  if (grant === undefined) throw invalid('The field grant_type is missing from the form.');
  if (grant !== 'client_credentials') {
    throw new InvalidTokenAsk('unsupported_grant_type', 'The field grant_type must be client_credentials.');
  }
  const [header, second] = headers;
  const clientId = form.get('client_id');
  const secret = form.get('client_secret');
  const assertion = form.get('client_assertion');
  const type = form.get('client_assertion_type');
  const ways = [header, secret, assertion ?? type].filter((way) => way !== undefined).length;
  if (second !== undefined || ways > 1) throw invalid('The request authenticates the client in more than one way.');
  if (ways === 0) throw new InvalidClient();
  if (header !== undefined) return ofHeader(header, clientId);
  if (secret !== undefined) {
    if (clientId === undefined) throw invalid('The field client_id is missing from the form.');
    return { kind: 'secret', clientId, secret };
  }
  if (type !== JWT_BEARER) throw invalid(`The field client_assertion_type must be ${JWT_BEARER}.`);
  if (assertion === undefined) throw invalid('The field client_assertion is missing from the form.');
  return { kind: 'assertion', clientId: clientId ?? null, assertion };
}

/** Reads Basic authentication: id and secret are encoded as in a form (RFC 6749 §2.3.1). */
function ofHeader(header: string, named: string | undefined): ClientProof {
  const encoded = /^basic +([\w+/-]+={0,2})$/i.exec(header.slice(0, 2_048))?.[1];
  if (encoded === undefined) throw new InvalidClient();
  const pair = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = pair.indexOf(':');
  const clientId = decoded(pair.slice(0, colon));
  const secret = decoded(pair.slice(colon + 1));
  if (colon < 1 || clientId === null || secret === null) throw new InvalidClient();
  if (named !== undefined && named !== clientId) {
    throw invalid('The field client_id names another client than the header.');
  }
  return { kind: 'secret', clientId: clientId.slice(0, MAX_CLIENT_ID), secret };
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return null;
  }
}

const invalid = (detail: string): InvalidTokenAsk => new InvalidTokenAsk('invalid_request', detail);
