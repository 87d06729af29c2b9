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
    const isScim = isScimPath(pathOf(req));
    if (token === null) {
      const header = req.headers.authorization;
      if (isScim && header !== undefined) credentials.noteUnreadable(header);
      throw new Unauthenticated('missing');
    }
    if (sameHash(hashToken(token), operator)) return 'operator';
    const kind = parseToken(token)?.kind;
    const asScim = kind === 'tbs' || (isScim && kind !== 'tbk');
    const found = await (asScim ? credentials.findScimToken(token, req) : credentials.findApiKey(token, req));
    if (found === null) throw new Unauthenticated('invalid');
    return found.tenantId;
  };
}
