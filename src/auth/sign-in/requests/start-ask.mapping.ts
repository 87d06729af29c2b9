import { InvalidFields } from '../../../base/errors/domain-error.js';
import { queryText, type Query as QueryMap } from '../../../base/http/query.js';
import type { StartAsk } from './sign-in-start.js';

/** The fields that {@link startAsk} reads. */
export const START_FIELDS = [
  'return_to',
  'target_link_uri',
  'login_hint',
  'prompt',
  'code_challenge',
  'code_challenge_method',
] as const;

/**
 * Reads what a sign-in asks from the query of the login. A parameter without a value is absent.
 *
 * @throws {InvalidFields} for an invalid field
 */
export function startAsk(query: QueryMap): StartAsk {
  const given = (name: (typeof START_FIELDS)[number]): string | null => queryText(query, name) || null;
  const prompt = given('prompt');
  const codeChallenge = given('code_challenge');
  const method = given('code_challenge_method');
  if (prompt !== null && prompt !== 'select_account' && prompt !== 'login') {
    throw new InvalidFields([{ field: 'prompt', message: 'must be one of: select_account, login' }]);
  }
  if (codeChallenge !== null && (method !== 'S256' || !/^[\w-]{43}$/.test(codeChallenge))) {
    const message = 'must be the S256 challenge of a verifier, with code_challenge_method=S256';
    throw new InvalidFields([{ field: 'code_challenge', message }]);
  }
  return {
    returnTo: given('return_to') ?? given('target_link_uri'),
    codeChallenge,
    prompt,
    loginHint: given('login_hint')?.slice(0, 320) ?? null,
  };
}

/** Writes it as a query again, for pages from which the sign-in continues. */
export function startQuery(ask: StartAsk): Record<string, string> {
  return {
    ...(ask.returnTo === null ? {} : { return_to: ask.returnTo }),
    ...(ask.codeChallenge === null ? {} : { code_challenge: ask.codeChallenge, code_challenge_method: 'S256' }),
    ...(ask.prompt === null ? {} : { prompt: ask.prompt }),
    ...(ask.loginHint === null ? {} : { login_hint: ask.loginHint }),
  };
}
