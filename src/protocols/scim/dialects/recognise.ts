/** The IdPs that a request can show. */
export const RECOGNISED = ['entra', 'google', 'okta', 'onelogin'] as const;

/** The name of an IdP that a request shows. */
export type Recognised = (typeof RECOGNISED)[number];

/** A request of that length shows its IdP, or does not. */
const MOST = 4096;

/**
 * Returns the IdP that a request shows by its `User-Agent`, or by a spelling that only this IdP has: `"op": "Replace"` and
 * `"False"` of Entra, `"false"` and a single object for a list of OneLogin. Null: the request follows the RFC, and could
 * come from any IdP.
 *
 * @param body as JSON text; null: there is none
 */
export function recognisedDialect(userAgent: string | undefined, body: string | null): Recognised | null {
  if (userAgent !== undefined && /^Okta\b/i.test(userAgent)) return 'okta';
  if (userAgent !== undefined && /^Google-Auto-Provisioning\b/i.test(userAgent)) return 'google';
  if (body === null) return null;
  const text = body.length > MOST ? body.slice(0, MOST) : body;
  if (/"op"\s*:\s*"(Add|Replace|Remove)"|"(active|primary|value)"\s*:\s*"(True|False)"/.test(text)) return 'entra';
  if (/"(active|primary)"\s*:\s*"(true|false)"|"(emails|phoneNumbers)"\s*:\s*\{/.test(text)) return 'onelogin';
  return null;
}
