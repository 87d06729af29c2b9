import { Catch, NotFoundException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { sendPage } from '../../auth/sign-in/pages/layout.js';
import { scimMediaType, sendJson } from '../../base/http/answer.js';
import { MethodNotAllowed } from '../../base/http/http.errors.js';
import { loggedPath, pathOf, type BridgeRequest, type BridgeResponse } from '../../base/http/request.js';
import { Logger } from '../../base/log/logger.js';
import { StoredAnswer } from '../../tenancy/idempotency/idempotency-keys.js';
import { ERROR_PAGE_POLICY, errorPage } from './error-page.js';
import { knownMethods } from './known-methods.js';
import { loggedReason } from './logged-reason.js';
import { oauthError } from './oauth-error.js';
import { problemOf } from './problem.js';
import { refusalOf } from './refusal.js';
import { scimError } from './scim-error.js';
import { signInErrorPage } from './sign-in-error-page.js';
import { whichSurface } from './which-surface.js';

/**
 * The only filter, and a global one: it also sees unknown addresses and bodies that are no JSON. Gives each failure
 * the face of the surface that it happened on, and keeps the cause for our log.
 */
@Catch()
export class SurfaceFilter implements ExceptionFilter {
  constructor(private readonly logger: Logger) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    this.answer(thrown, http.getRequest<BridgeRequest>(), http.getResponse<BridgeResponse>());
  }

  /** Answers a request with what was thrown; for doors that answer without Nest, too. */
  answer(thrown: unknown, req: BridgeRequest, res: BridgeResponse): void {
    if (res.headersSent) {
      // Half an answer is out: an error must not look like its end.
      this.logger.error('failed while answering', { request_id: req.id, error: thrown });
      res.destroy();
      return;
    }
    if (thrown instanceof StoredAnswer) {
      res.setHeader('Idempotent-Replayed', 'true');
      if (thrown.location !== null) res.setHeader('Location', thrown.location);
      sendJson(res, thrown.status, thrown.body, thrown.contentType);
      return;
    }
    const path = pathOf(req);
    const error = this.methodOrAddress(thrown, req, path);
    const refusal = refusalOf(error);
    if (refusal.kind === 'internal' || refusal.kind === 'unavailable') {
      const cause = refusal.extras.cause ?? error;
      const where = { request_id: req.id, method: req.method, path: loggedPath(req) };
      this.logger.error('request failed', { ...where, error: cause });
    }
    req.refusal = {
      code: refusal.code,
      scim_type: refusal.extras.scimType,
      reason: loggedReason(refusal.detail),
    };
    for (const [name, value] of Object.entries(refusal.extras.headers ?? {})) res.setHeader(name, value);
    if (refusal.kind === 'unauthenticated' && !res.hasHeader('WWW-Authenticate')) {
      res.setHeader('WWW-Authenticate', 'Bearer realm="talent-bridge"');
    }
    switch (whichSurface(path, req.headers.accept)) {
      case 'scim': {
        const { status, body } = scimError(refusal);
        sendJson(res, status, JSON.stringify(body), scimMediaType(req.headers.accept));
        return;
      }
      case 'oauth': {
        const { status, body } = oauthError(refusal);
        sendJson(res, status, JSON.stringify(body), 'application/json', { 'Cache-Control': 'no-store' });
        return;
      }
      case 'page': {
        if (path.startsWith('/api/auth')) return sendPage(res, signInErrorPage(refusal, req.id));
        const { status, body } = errorPage(refusal, req.id);
        sendJson(res, status, body, 'text/html; charset=utf-8', { 'Content-Security-Policy': ERROR_PAGE_POLICY });
        return;
      }
      case 'api': {
        const problem = problemOf(refusal, path, req.id);
        sendJson(res, problem.status, JSON.stringify(problem), 'application/problem+json');
      }
    }
  }

  // Nest's own "not found" means that no route matched: the address may still know other methods.
  private methodOrAddress(thrown: unknown, req: BridgeRequest, path: string): unknown {
    if (!(thrown instanceof NotFoundException)) return thrown;
    const methods = knownMethods(req.app, path);
    return methods.length > 0 && !methods.includes(req.method) ? new MethodNotAllowed(req.method, methods) : thrown;
  }
}
