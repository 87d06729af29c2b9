import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { CrossSiteRequest, MethodNotAllowed } from '../../base/http/http.errors.js';
import type { BridgeRequest } from '../../base/http/request.js';

const AND_POST = /^\/api\/auth\/(login$|callback\/|test\/|owner-sign-in$)/;

/**
 * Accepts requests for a page that a person opens. A picture, frame or script of another site, a prefetch, or a HEAD of
 * a link preview would begin a sign-in or use one up.
 */
@Injectable()
export class DocumentsGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const req = context.switchToHttp().getRequest<BridgeRequest>();
    if (req.method === 'HEAD') throw new MethodNotAllowed('HEAD', AND_POST.test(req.path) ? ['GET', 'POST'] : ['GET']);
    const destination = req.headers['sec-fetch-dest'];
    if (destination !== undefined && destination !== 'document') throw new CrossSiteRequest();
    if (String(req.headers['sec-purpose']).includes('prefetch')) throw new CrossSiteRequest();
    return true;
  }
}
