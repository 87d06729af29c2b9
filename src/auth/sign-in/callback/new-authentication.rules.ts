import type { SignInRequest } from '../requests/sign-in-requests.repository.js';
import type { VerifiedSignIn } from '../strategies/verified-sign-in.js';

/** By how much the clocks of the IdP and of this service may differ, in milliseconds. */
const SKEW_MS = 60_000;

/**
 * Says that the IdP was asked to authenticate the user anew (`prompt=login`, `ForceAuthn`), and did not.
 *
 * @param request the sign-in that the IdP answers; null: the IdP began it
 * @returns null when the IdP was not asked, or has done so
 */
export function withoutNewAuthentication(
  { authenticatedAt }: Pick<VerifiedSignIn, 'authenticatedAt'>,
  request: Pick<SignInRequest, 'asked_anew' | 'created_at'> | null,
): string | null {
  if (request === null || !request.asked_anew) return null;
  const asked = 'The IdP was asked to authenticate the user anew, and';
  if (authenticatedAt === null) {
    return `${asked} does not state when the user authenticated (auth_time): the sign-in does not count as recent.`;
  }
  if (authenticatedAt.getTime() >= request.created_at.getTime() - SKEW_MS) return null;
  return `${asked} answered by an authentication of ${authenticatedAt.toISOString()}, which counts in place of this sign-in.`;
}
