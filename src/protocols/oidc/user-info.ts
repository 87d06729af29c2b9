import { fetchUserInfo } from 'openid-client';
import type { OidcSettings } from './oidc-settings.js';
import { OidcRefused } from './oidc-refused.js';
import { restateClientError, type ClientWith } from './code-exchange.js';
import type { OidcServer } from './discovery.rules.js';
import type { IdpFetch } from './guarded-fetch.js';
import type { IdpObject } from './json.rules.js';

/** The claims of UserInfo, or why there are none. Both are null when it was not read. */
interface UserInfoAnswer {
  claims: IdpObject | null;
  problem: string | null;
}

/**
 * Reads UserInfo (OIDC Core §5.3) as the connection demands. Another subject there is always a refusal (OIDC Core
 * §5.3.4).
 *
 * @throws {OidcRefused} `userinfo_mismatch`; where UserInfo is required, also `idp_unreachable`, `idp_answer_invalid`
 */
export async function readUserInfo(
  idp: IdpFetch,
  client: ClientWith,
  server: OidcServer,
  mode: OidcSettings['userInfo'],
  signedIn: { accessToken: string; subject: string },
): Promise<UserInfoAnswer> {
  const absent = server.userInfoEndpoint === null && mode === 'optional';
  if (mode === 'never' || absent) return { claims: null, problem: null };
  try {
    if (server.userInfoEndpoint === null) throw invalid('The IdP has no UserInfo endpoint.');
    return { claims: await claimsOf(idp, client, signedIn), problem: null };
  } catch (error) {
    const isOutage = error instanceof OidcRefused && error.reason !== 'userinfo_mismatch';
    if (mode === 'optional' && isOutage) return { claims: null, problem: error.message };
    throw error;
  }
}

async function claimsOf(
  idp: IdpFetch,
  client: ClientWith,
  { accessToken, subject }: { accessToken: string; subject: string },
): Promise<IdpObject> {
  let sub: unknown;
  const configuration = client(idp.fetchFor('userinfo', (body) => (sub = body['sub'])));
  try {
    return await fetchUserInfo(configuration, accessToken, subject);
  } catch (error) {
    if (typeof sub === 'string' && sub !== subject) {
      throw new OidcRefused('userinfo_mismatch', 'UserInfo is about another person than the ID token (sub).');
    }
    throw restateClientError(error, 'UserInfo endpoint');
  }
}

function invalid(message: string): OidcRefused {
  return new OidcRefused('idp_answer_invalid', message);
}
