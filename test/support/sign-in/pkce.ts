import { createHash, randomBytes } from 'node:crypto';

/** What an application proves itself with (RFC 7636): a verifier, and what the login is asked with for it. */
export function pkce(): { verifier: string; query: { code_challenge: string; code_challenge_method: string } } {
  const verifier = randomBytes(32).toString('base64url');
  const code_challenge = createHash('sha256').update(verifier).digest('base64url');
  return { verifier, query: { code_challenge, code_challenge_method: 'S256' } };
}
