import { Injectable } from '@nestjs/common';
import { hashToken, sameHash } from '../base/crypto/tokens.js';
import { loggedPath, pathOf, type BridgeRequest, type BridgeResponse, isScimPath } from '../base/http/request.js';
import { Logger } from '../base/log/logger.js';
import type { ScimCredentials } from '../directory-sync/clients/access-token.store.js';
import { DirectoryMarks } from '../directory-sync/directories/directory-marks.js';
import { loggedOperationsOf, loggedRequestOf } from '../overview/requests/logged-request.mapping.js';
import { RequestRows } from '../overview/requests/request-rows.js';
import type { ApiKeyStore } from '../tenancy/tenants/api-key.store.js';
import { bearerToken } from '../tenancy/tenants/caller.js';
import type { ConsoleCredentials } from '../tenancy/tenants/console-credentials.js';
import { Unauthenticated } from '../tenancy/tenants/tenants.errors.js';
import { Metrics } from './metrics.js';

/**
 * Writes one line and one measurement for each request, and one row for each SCIM request. Only the route of the
 * address is written: queries and paths can contain tokens and e-mails.
 */
@Injectable()
export class RequestLog {
  private readonly logging: boolean;

  constructor(
    private readonly logger: Logger,
    private readonly metrics: Metrics,
    private readonly rows: RequestRows,
    private readonly marks: DirectoryMarks,
  ) {
    this.logging = logger.infoEnabled;
  }

  readonly ended = (req: BridgeRequest, res: BridgeResponse): void => {
    const ms = performance.now() - req.startedAt;
    const path = pathOf(req);
    // 499: the caller left before the answer was sent (the status that nginx uses).
    const status = res.writableFinished ? res.statusCode : 499;
    this.metrics.requests.observe(path, req.method, status, ms / 1000);
    if (req.refusal !== undefined && path.startsWith('/scim/')) {
      this.metrics.refusedScim.inc({ reason: req.refusal.scim_type ?? req.refusal.code });
    }
    const row = loggedRequestOf(req, status, ms);
    if (row !== null) {
      this.rows.note(row);
      this.marks.note(row);
      for (const one of loggedOperationsOf(row, req.effect?.operations ?? [])) this.rows.note(one);
    }
    if (!this.logging || isProbe(path)) return;
    this.logger.line({
      message: 'request',
      request_id: req.id,
      method: req.method,
      path: loggedPath(req),
      status,
      ms: Math.round(ms * 100) / 100,
      tenant_id: req.tenantId,
      credential_id: req.credentialId,
      directory_id: req.directoryId,
      link: req.effect?.linkedBy,
      ...(req.refusal === undefined ? {} : { resource: resourceOf(path), ...req.refusal }),
    });
  };
}

/** Returns the kind of resource of a SCIM path, or undefined. */
function resourceOf(path: string): string | undefined {
  return /^\/scim\/v2\/(Users|Groups|Bulk|Me|Schemas|ResourceTypes|ServiceProviderConfig)\b/.exec(path)?.[1];
}

function isProbe(path: string): boolean {
  return path === '/healthz' || path === '/readyz' || path === '/metrics';
}

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
