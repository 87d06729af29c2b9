/** Longer texts are no tokens: they are not hashed. */
const MAX_TOKEN = 512;

/** What a request can carry a token in. */
export interface TokenBearer {
  readonly query: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/**
 * Returns the token of an inbound webhook: `api_token` of the query, which only these addresses read, `X-Api-Token`,
 * `Authorization: Bearer`, or the password of Basic, for ATSs that can send a header.
 *
 * @returns null where there is no token, or where two of them differ
 */
export function inboundToken({ query, headers }: TokenBearer): string | null {
  const sent = [query['api_token'], headers['x-api-token'], authorizationToken(headers['authorization'])];
  const tokens = new Set(sent.filter((token) => token !== undefined && token !== null));
  const [token] = tokens;
  if (tokens.size !== 1) return null;
  return typeof token === 'string' && token !== '' && token.length <= MAX_TOKEN ? token : null;
}

function authorizationToken(header: string | string[] | undefined): string | null {
  if (typeof header !== 'string' || header.length > 2 * MAX_TOKEN) return null;
  const [scheme = '', value = ''] = header.split(' ', 2);
  if (scheme.toLowerCase() === 'bearer') return value;
  if (scheme.toLowerCase() !== 'basic') return null;
  const pair = Buffer.from(value, 'base64').toString('utf8');
  const colon = pair.indexOf(':');
  return colon < 0 ? null : pair.slice(colon + 1);
}
