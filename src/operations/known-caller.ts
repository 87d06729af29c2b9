import { hashToken, sameHash } from '../base/crypto/tokens.js';
import { isScimPath, pathOf, type BridgeRequest } from '../base/http/request.js';
import { bearerToken } from '../tenancy/tenants/caller.js';
import type { ScimCredentials } from '../directory-sync/clients/access-token.store.js';
import type { ConsoleCredentials } from '../tenancy/tenants/console-credentials.js';
import type { ApiKeyStore } from '../tenancy/tenants/api-key.store.js';
import { Unauthenticated } from '../tenancy/tenants/tenants.errors.js';

/**
 * Returns a function that authenticates a request before a large body is read, so that unknown senders cannot fill the
 * memory. Any valid credential is enough; the guard of the route checks kind and scope afterwards.
 *
 * @returns a function that returns the id of the tenant, or `operator`
 * @throws {Unauthenticated} when the credential is missing or not valid
 */
export function knownCaller(
  keys: ApiKeyStore,
  scim: ScimCredentials,
  operatorToken: string,
  consoles: ConsoleCredentials,
): (req: BridgeRequest) => Promise<string> {
  const operator = hashToken(operatorToken);
  return async (req) => {
    const isScim = isScimPath(pathOf(req));
    const session = isScim ? null : await consoles.of(req);
    if (session !== null) return session.tenantId === '' ? 'operator' : session.tenantId;
    const token = bearerToken(req);
    if (token === null) {
      const header = req.headers.authorization;
      if (isScim && header !== undefined) scim.noteUnreadable(header, req.ip);
      throw new Unauthenticated('missing');
    }
    if (sameHash(token.hash, operator)) return 'operator';
    const kind = token.parsed?.kind;
    const asScim = kind === 'tbs' || kind === 'tba' || (isScim && kind !== 'tbk');
    if (!asScim) return ownerOf(await keys.find(token, req));
    const found = await scim.find(token, req);
    if (found !== null) {
      // The logs name the directory of a request that is refused for its body, before its route.
      req.tenantId = found.tenantId;
      req.credentialId = found.credentialId;
      req.directoryId = found.directoryId;
    }
    return ownerOf(found);
  };
}

function ownerOf(found: { tenantId: string } | null): string {
  if (found === null) throw new Unauthenticated('invalid');
  return found.tenantId;
}
