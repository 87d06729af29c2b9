import { hashToken, parseToken, sameHash } from '../base/crypto/tokens.js';
import { isScimPath, pathOf, type BridgeRequest } from '../base/http/request.js';
import { bearerToken } from '../tenants/bearer.js';
import type { CredentialStore } from '../tenants/credentials.js';
import { Unauthenticated } from '../tenants/tenants.errors.js';

/**
 * Whose request it is, if anybody's whom we know (the tenant's id, or `operator`): asked before a large body is read, so that strangers cannot fill the
 * memory. Any valid credential will do here; whether it opens this door is the guard's question, right after. Refuses
 * with 401, or 429.
 */
export function knownCaller(
  credentials: CredentialStore,
  operatorToken: string,
): (req: BridgeRequest) => Promise<string> {
  const operator = hashToken(operatorToken);
  return async (req) => {
    const token = bearerToken(req);
    if (token === null) throw new Unauthenticated('missing');
    if (sameHash(hashToken(token), operator)) return 'operator';
    const kind = parseToken(token)?.kind ?? (isScimPath(pathOf(req)) ? 'tbs' : 'tbk');
    const found = await (kind === 'tbs' ? credentials.findScimToken(token, req) : credentials.findApiKey(token, req));
    if (found === null) throw new Unauthenticated('invalid');
    return found.tenantId;
  };
}
