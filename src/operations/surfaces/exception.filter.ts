import { STATUS_CODES } from 'node:http';
import { Catch, NotFoundException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { type HtmlPage, sendPage } from '../../auth/sign-in/pages/layout.js';
import { scimMediaType, sendJson } from '../../base/http/answer.js';
import { FAVICON_LINK, escapeHtml, html } from '../../base/http/html.js';
import { MethodNotAllowed } from '../../base/http/http.errors.js';
import { loggedPath, pathOf, type BridgeRequest, type BridgeResponse } from '../../base/http/request.js';
import { Logger } from '../../base/log/logger.js';
import { findAttribute, GROUP_TYPE, USER_TYPE } from '../../protocols/scim/schema/resource-types.js';
import { StoredAnswer } from '../../tenancy/idempotency/idempotency-keys.js';
import { API_STATUS, type Refusal, problemOf, scimError } from './problem.js';
import { refusalOf } from './refusal.js';

/** The policy of the page: only the style of the documentation and the favicon. */
const ERROR_PAGE_POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The page for a person: the failure, and the number for support. */
function errorPage(refusal: Refusal, requestId: string): { status: number; body: string } {
  const status = refusal.status ?? (refusal.kind === 'internal' ? 500 : API_STATUS[refusal.kind]);
  const title = escapeHtml(STATUS_CODES[status] ?? 'Error');
  const fields = (refusal.extras.errors ?? []).map(
    ({ field, message }) => `<p><code>${escapeHtml(field)}</code> ${escapeHtml(message)}.</p>\n`,
  );
  const body = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} – talent-bridge</title>${FAVICON_LINK}<link rel="stylesheet" href="/docs/style.css"></head>
<body><main><h1>${title}</h1><p>${escapeHtml(refusal.detail)}</p>
${fields.join('')}<p>Request <code>${escapeHtml(requestId)}</code></p></main></body></html>
`;
  return { status, body };
}

interface RouteLayer {
  match(path: string): boolean;
  route?: { methods: Record<string, boolean> };
}

/**
 * Returns the methods of an address, in upper case; empty for an unknown address. Called only when no route matched.
 * An IdP takes a resource for deleted after 404 for a wrong method, so 405 is needed.
 */
function knownMethods(app: unknown, path: string): string[] {
  const stack = (app as { router?: { stack?: RouteLayer[] } }).router?.stack ?? [];
  const methods = new Set<string>();
  for (const layer of stack) {
    if (layer.route === undefined) continue;
    try {
      // `_all` is a handler of anything, such as the one that answers 404.
      if (!layer.route.methods['_all'] && layer.match(path)) {
        for (const method of Object.keys(layer.route.methods)) methods.add(method.toUpperCase());
      }
    } catch {
      return [];
    }
  }
  if (methods.has('GET')) methods.add('HEAD');
  return [...methods].sort();
}

const WORDS = new Set([
  'Operations',
  'attributes',
  'excludedAttributes',
  'filter',
  'sortBy',
  'sortOrder',
  'ascending',
  'descending',
  'startIndex',
  'count',
  'cursor',
  'value',
  'path',
  'op',
  'add',
  'replace',
  'remove',
  'bulkId',
  'failOnErrors',
  'schemas',
]);

const MOST = 500;

/** Names of attributes stay; every other quoted text of a caller (such as a name or an e-mail) is left out. */
function loggedReason(detail: string): string {
  const parts = detail.slice(0, MOST).replace(/[“”`]/g, '"').split('"');
  // Every second part was between quotation marks.
  return parts.map((part, i) => (i % 2 === 0 ? withoutAddresses(part) : named(part))).join('"');
}

function named(quoted: string): string {
  const [name = ''] = quoted.split('.');
  return isName(name) ? name : '…';
}

function withoutAddresses(text: string): string {
  return text
    .split(' ')
    .map((word) => (word.includes('@') ? '…' : word))
    .join(' ');
}

function isName(text: string): boolean {
  if (WORDS.has(text)) return true;
  return [USER_TYPE, GROUP_TYPE].some((type) => findAttribute(type, null, text) !== undefined);
}

interface OAuthError {
  error: string;
  error_description: string;
}

const OWN = ['invalid_request', 'invalid_client', 'unsupported_grant_type'];

/** An unreadable body is `invalid_request`; a refusal for which the RFC has no error keeps its status. */
export function oauthError(refusal: Refusal): { status: number; body: OAuthError } {
  const { kind, code, detail } = refusal;
  const body = (error: string): OAuthError => ({ error, error_description: detail });
  if (OWN.includes(code)) return { status: kind === 'unauthenticated' ? 401 : 400, body: body(code) };
  if (kind === 'internal') return { status: 500, body: body('server_error') };
  const status = refusal.status ?? API_STATUS[kind];
  if (status === 429 || status >= 500) return { status, body: body('temporarily_unavailable') };
  return { status: status === 405 ? 405 : 400, body: body('invalid_request') };
}

const LOGIN = '/api/auth/login';

/** The words for a user, by status; other statuses have the words of 400. */
const PAGE_WORDS: Readonly<Record<number, { title: string; said: string }>> = {
  400: {
    title: 'This link does not work',
    said: 'It is incomplete, or was changed on its way. Please start again from your application.',
  },
  401: { title: 'You are not signed in', said: 'Your session has ended, or there was none. Please sign in.' },
  403: { title: 'Please start here', said: 'This step was opened from another site. Please start your sign-in here.' },
  404: {
    title: 'There is no sign-in at this address',
    said: 'The address may be mistyped, or from before a change. Start with your work e-mail instead. If it happens again, tell your IT team.',
  },
  405: { title: 'This page cannot be opened like this', said: 'Please start your sign-in again.' },
  429: { title: 'Too many tries', said: 'Please wait a few minutes and try again.' },
  500: { title: 'Something went wrong on our side', said: 'Please try again in a moment.' },
  503: { title: 'Sign-in is not available just now', said: 'Please try again in a moment.' },
  507: {
    title: 'Your account cannot be created just now',
    said: 'The storage of your organisation is used up. Please tell your IT team.',
  },
};

/** Returns the page for a refusal below `/api/auth` that is no refused sign-in, with a link back to the sign-in. */
function signInErrorPage(refusal: Refusal, requestId: string): HtmlPage {
  const status = refusal.status ?? (refusal.kind === 'internal' ? 500 : API_STATUS[refusal.kind]);
  const { title, said } = PAGE_WORDS[status] ?? (status >= 500 ? PAGE_WORDS[500]! : PAGE_WORDS[400]!);
  const fields = (refusal.extras.errors ?? []).map(
    ({ field, message }) => html`<p class="note"><code>${field}</code> ${message}.</p>`,
  );
  return {
    title,
    status,
    body: html`<p role="alert">${said}</p>
      ${fields.length > 0 || status === 404 ? fields : html`<p class="note">${refusal.detail}</p>`}
      <a class="button" href="${LOGIN}">Sign in</a>
      <footer>If this continues, send your IT team this support id: <code>${requestId}</code></footer>`,
  };
}

/** The reader of an answer: an IdP, an OAuth client, a person in a browser, or a program that calls the API. */
type Surface = 'scim' | 'oauth' | 'page' | 'api';

/** Addresses of programs: a browser that opens one gets the answer of the API. */
const PROGRAMS = /^\/(?:api(?!\/(?:auth|integrations)(?:\/|$))|v1|oauth|\.well-known|healthz|readyz|metrics)(?:\/|$)/;

/** Chooses by path; a page only for a browser that asked for one. */
export function whichSurface(path: string, accept: string | undefined): Surface {
  if (path.startsWith('/scim/') || path === '/scim') return 'scim';
  if (path === '/oauth/token') return 'oauth';
  if (!PROGRAMS.test(path) && accept !== undefined && accept.includes('text/html')) return 'page';
  return 'api';
}

/** The only filter, and a global one: it also receives unknown addresses and bodies without JSON. */
@Catch()
export class SurfaceFilter implements ExceptionFilter {
  constructor(private readonly logger: Logger) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    this.answer(thrown, http.getRequest<BridgeRequest>(), http.getResponse<BridgeResponse>());
  }

  /** Answers a request with an error, also outside of Nest. */
  private answer(thrown: unknown, req: BridgeRequest, res: BridgeResponse): void {
    if (res.headersSent) {
      // Half an answer is sent: an error must not look like its end.
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

  // Nest's own "not found" means that no route matched: the address may still have other methods.
  private methodOrAddress(thrown: unknown, req: BridgeRequest, path: string): unknown {
    if (!(thrown instanceof NotFoundException)) return thrown;
    const methods = knownMethods(req.app, path);
    return methods.length > 0 && !methods.includes(req.method) ? new MethodNotAllowed(req.method, methods) : thrown;
  }
}
