import type { NestExpressApplication } from '@nestjs/platform-express';
import type { NextFunction, Request, Response } from 'express';
import { Activity } from '../base/activity.js';
import { Clock } from '../base/clock.js';
import { Config } from '../base/config/config.js';
import { NotFound } from '../base/errors/domain-error.js';
import { bodyReader, type BodyOptions } from '../base/http/body.js';
import { limitStrangers } from '../base/http/rate-limit.js';
import { isScimPath, PROBE, requestStart } from '../base/http/request.js';
import { oneHost, singleSlashes, LOOPBACK_FORMS, securityHeaders } from '../base/http/server.js';
import { ScimCredentials } from '../directory-sync/clients/access-token.store.js';
import { MAX_LOGGED_BODY } from '../overview/requests/logged-request.mapping.js';
import { ApiKeyStore } from '../tenancy/tenants/api-key.store.js';
import { ConsoleCredentials } from '../tenancy/tenants/console-credentials.js';
import { knownCaller, RequestLog } from './request-log.js';

/** Returns whether an address accepts forms. The handlers read them, with their own limits. */
function isFormAddress(path: string, contentType: string): boolean {
  if (/^\/api\/auth\/((callback|slo|backchannel-logout|test)\/|(login|owner-sign-in|sessions\/end)$)/.test(path))
    return true;
  if (path === '/oauth/token') return true;
  if (/^\/api\/integrations\/[^/]+\/(start|connect|writer)$/.test(path)) return true;
  return /^\/api\/auth\/(token|introspect)$/.test(path) && contentType.includes('x-www-form-urlencoded');
}

/** The entry of the console needs no credential: the request has the sign-in or the link. */
const CONSOLE_ENTRY = /^\/(?:api\/)?v1\/console\/session\/?$/;

/** Returns whether every route of an address needs a credential. */
function isPrivate(path: string): boolean {
  if (CONSOLE_ENTRY.test(path)) return false;
  return /^\/(?:scim\/|(?:api\/)?v1\/|api\/(?:users|candidates|jobs|resolve|me)(?:\/|$))/.test(path);
}

/** Addresses without a credential, or with their own limit: probes, inbound webhooks, and checks of a session. */
const FREQUENT = /^\/(?:healthz|readyz|metrics|api\/webhooks\/[^/]*|api\/auth\/sessions?(?:\/.*)?)$/;

/** The only address of SCIM that needs no token (RFC 7644 §4). */
const SCIM_CONFIG = '/scim/v2/ServiceProviderConfig';

/** Returns whether requests to an address count for the allowance of their network. */
function isOpen(path: string): boolean {
  return path === SCIM_CONFIG || (!isPrivate(path) && !FREQUENT.test(path));
}

const MIB = 1024 * 1024;

/** Returns the most bytes of an address with an unusual limit: a PUT of a group has 100 000 members. */
function limitOf(path: string): number | undefined {
  if (/^\/scim\/v2\/Groups(\/|$)/.test(path)) return 16 * MIB;
  return /^\/scim\/v2\/Bulk\/?$/.test(path) ? 4 * MIB : undefined;
}

/** A body is kept letter by letter for the metadata of candidates, and for the log of requests within its limit. */
function keepsText(path: string, bytes: number): boolean {
  if (isScimPath(path)) return bytes <= MAX_LOGGED_BODY;
  return /^\/(?:api\/v1|v1|api)\/candidates(?:\/|$)/.test(path);
}

/** Refuses every address of a worker but those of health and metrics. */
function healthAlone(req: Request, _res: Response, next: NextFunction): void {
  next(PROBE.test(req.path) ? undefined : new NotFound('address on a worker, which serves health and metrics alone'));
}

/** Call this before `init` and before any other middleware; the application has `bodyParser: false`. */
export function setupHttp(app: NestExpressApplication, body?: BodyOptions): void {
  const config = app.get(Config);
  app.disable('x-powered-by');
  app.set('etag', false);
  app.set('query parser', 'simple');
  app.set(LOOPBACK_FORMS, config.allowPrivateDestinations && !config.production);
  app.set('trust proxy', config.trustProxy.length > 0 ? [...config.trustProxy] : false);
  app.use(requestStart(securityHeaders(config.baseUrl), app.get(RequestLog).ended, app.get(Activity)));
  if (config.role === 'worker') app.use(healthAlone);
  app.use(oneHost);
  app.use(singleSlashes);
  if (config.rateLimit !== null) app.use(limitStrangers(app.get(Clock), isOpen));
  const admit = knownCaller(
    app.get(ApiKeyStore),
    app.get(ScimCredentials),
    config.operatorToken,
    app.get(ConsoleCredentials),
  );
  app.use(bodyReader({ admit, leave: isFormAddress, private: isPrivate, keepText: keepsText, limitOf, ...body }));
}
