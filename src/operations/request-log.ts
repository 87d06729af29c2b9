import { Injectable } from '@nestjs/common';
import { loggedPath, pathOf, type BridgeRequest, type BridgeResponse } from '../base/http/request.js';
import { Logger } from '../base/log/logger.js';
import { CredentialHours } from '../directory-sync/directories/directory-marks.js';
import { loggedOperationsOf, loggedRequestOf } from '../overview/requests/logged-request.mapping.js';
import { RequestRows } from '../overview/requests/request-rows.js';
import { Metrics } from './metrics.js';

/**
 * Writes one line and one measurement for each request, and one row for each SCIM request. Of the address only the route is written: queries and paths can
 * contain tokens and e-mails.
 */
@Injectable()
export class RequestLog {
  private readonly logging: boolean;

  constructor(
    private readonly logger: Logger,
    private readonly metrics: Metrics,
    private readonly rows: RequestRows,
    private readonly hours: CredentialHours,
  ) {
    this.logging = logger.infoEnabled;
  }

  /** Called once for each request, when its answer is sent or its caller is gone. */
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
      this.hours.note(row);
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

/** Returns the kind of resource of a SCIM path; undefined: none, or another channel. */
function resourceOf(path: string): string | undefined {
  return /^\/scim\/v2\/(Users|Groups|Bulk|Me|Schemas|ResourceTypes|ServiceProviderConfig)\b/.exec(path)?.[1];
}

function isProbe(path: string): boolean {
  return path === '/healthz' || path === '/readyz' || path === '/metrics';
}
