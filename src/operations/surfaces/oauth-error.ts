import { API_STATUS } from './problem.js';
import type { Refusal } from './refusal.types.js';

/** An error of an address of OAuth (RFC 6749 §5.2). */
export interface OAuthError {
  error: string;
  error_description: string;
}

const OWN = ['invalid_request', 'invalid_client', 'unsupported_grant_type'];

/**
 * Returns the face of a refusal at an address of OAuth. A body that cannot be read is `invalid_request`; a refusal for which the
 * RFC has no error keeps its status.
 */
export function oauthError(refusal: Refusal): { status: number; body: OAuthError } {
  const { kind, code, detail } = refusal;
  const body = (error: string): OAuthError => ({ error, error_description: detail });
  if (OWN.includes(code)) return { status: kind === 'unauthenticated' ? 401 : 400, body: body(code) };
  if (kind === 'internal') return { status: 500, body: body('server_error') };
  const status = refusal.status ?? API_STATUS[kind];
  if (status === 429 || status >= 500) return { status, body: body('temporarily_unavailable') };
  return { status: status === 405 ? 405 : 400, body: body('invalid_request') };
}
