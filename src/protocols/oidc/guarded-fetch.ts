import type { CustomFetch } from 'openid-client';
import type { Config } from '../../base/config/config.js';
import { type Outbound, type OutboundAnswer } from '../../base/http/outbound.js';
import { refusalOfUrl } from '../../base/http/destination-networks.js';
import { isHtmlPage } from '../../base/http/html.js';
import { urlOf } from '../../base/url.js';
import { OidcRefused } from './oidc-refused.js';
import { readObject, shorten, type IdpObject } from './json.rules.js';

/** The endpoints of an IdP that this service calls. */
export type IdpEndpoint = 'discovery' | 'jwks' | 'token' | 'userinfo';

const NAMES: Readonly<Record<IdpEndpoint, string>> = {
  discovery: 'discovery document',
  jwks: 'key set',
  token: 'token endpoint',
  userinfo: 'UserInfo endpoint',
};

/** The limits of time and size for answers of IdPs. Tests bring shorter ones. */
export class IdpLimits {
  readonly ms: Readonly<Record<IdpEndpoint, number>> = {
    discovery: 5_000,
    jwks: 5_000,
    token: 10_000,
    userinfo: 5_000,
  };
  readonly bytes: Readonly<Record<IdpEndpoint, number>> = {
    discovery: 256 * 1024,
    jwks: 256 * 1024,
    token: 64 * 1024,
    userinfo: 64 * 1024,
  };
}

type Call = Pick<Parameters<Outbound['call']>[0], 'method' | 'headers' | 'body'>;

/** Requests to the IdPs of one tenant. */
export interface IdpFetch {
  /**
   * Reads a JSON object from an address of an IdP.
   *
   * @throws {OidcRefused} `idp_unreachable`, `idp_answer_invalid`
   */
  json(endpoint: IdpEndpoint, url: string): Promise<IdpObject>;
  /**
   * Makes a `fetch` for openid-client. Its errors are `OidcRefused`, which openid-client passes on as `cause`.
   *
   * @param seen gets the body of an answer with status 200 before any check
   * @param given makes of that body what openid-client reads
   */
  fetchFor(
    endpoint: IdpEndpoint,
    seen?: (body: IdpObject) => void,
    given?: (body: IdpObject) => IdpObject,
  ): CustomFetch;
}

/**
 * All requests to IdPs. Addresses come from tenants and from metadata, so each one is checked at every use. Redirects
 * are not followed. An answer counts when it is complete, is JSON, and has an expected status.
 */
export class GuardedFetch {
  constructor(
    private readonly outbound: Outbound,
    private readonly config: Pick<Config, 'allowPrivateDestinations'>,
    private readonly limits: IdpLimits,
  ) {}

  /** Returns the requests of one tenant; name look-ups count for this tenant. */
  of(tenantId: string): IdpFetch {
    return {
      json: (endpoint, url) => this.json(tenantId, endpoint, url),
      fetchFor: (endpoint, seen, given) => this.fetchFor(tenantId, endpoint, seen, given),
    };
  }

  private async json(tenantId: string, endpoint: IdpEndpoint, url: string): Promise<IdpObject> {
    const answer = await this.call(tenantId, endpoint, url, {
      method: 'GET',
      headers: { accept: 'application/json' },
    });
    return objectIn(answer, whereOf(endpoint, url));
  }

  private fetchFor(
    tenantId: string,
    endpoint: IdpEndpoint,
    seen?: (body: IdpObject) => void,
    given?: (body: IdpObject) => IdpObject,
  ): CustomFetch {
    return async (url, options) => {
      const method = options.method.toUpperCase();
      if (method !== 'GET' && method !== 'POST') throw new TypeError(`no ${method} is sent to an IdP`);
      const answer = await this.call(tenantId, endpoint, url, {
        method,
        headers: options.headers,
        ...bodyOf(options.body),
      });
      const body = objectIn(answer, whereOf(endpoint, url), endpoint === 'token');
      if (answer.status === 200) seen?.(body);
      const text = given !== undefined && answer.status === 200 ? JSON.stringify(given(body)) : answer.body;
      return new Response(text, { status: answer.status, headers: { 'content-type': 'application/json' } });
    };
  }

  private async call(owner: string, endpoint: IdpEndpoint, address: string, call: Call): Promise<Answered> {
    const where = whereOf(endpoint, address);
    const trusted = this.config.allowPrivateDestinations;
    const problem = problemOfEndpoint(address, trusted);
    if (problem !== null) throw new OidcRefused('idp_unreachable', `${where} is not called: the address ${problem}.`);
    const url = new URL(address);
    const answer = await this.outbound.call(
      {
        ...call,
        origin: url.origin,
        path: url.pathname + url.search,
        owner,
        timeoutMs: this.limits.ms[endpoint],
        maxBytes: this.limits.bytes[endpoint],
      },
      trusted,
    );
    if (answer.kind === 'failed') {
      throw new OidcRefused('idp_unreachable', `${where} gives no answer: ${answer.reason} (${answer.detail}).`);
    }
    if (answer.truncated) {
      throw new OidcRefused('idp_answer_invalid', `${where} answers with over ${this.limits.bytes[endpoint]} bytes.`);
    }
    return answer;
  }
}

type Answered = Extract<OutboundAnswer, { kind: 'answer' }>;

/**
 * Returns why this service must not call an announced address; null: it may. Only the spelling of the name is checked
 * here; `Outbound` checks its addresses while connecting.
 *
 * @param allowPrivate permits private destinations, for development and tests
 */
export function problemOfEndpoint(address: string, allowPrivate: boolean): string | null {
  if (!allowPrivate) return refusalOfUrl(address);
  const url = urlOf(address);
  if (url === null) return 'must be a complete address';
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must begin with https:// or http://';
  return url.username === '' && url.password === '' ? null : 'must not contain a user name or password';
}

/** Returns the object in an answer; with `errors`, also that of a 4xx (RFC 6749 §5.2). */
function objectIn(answer: Answered, where: string, errors = false): IdpObject {
  const { status } = answer;
  if (status >= 300 && status < 400) {
    throw new OidcRefused('idp_answer_invalid', `${where} redirects (${status}), which is not followed.`);
  }
  if (status >= 500 || status === 429 || status === 408) {
    throw new OidcRefused('idp_unreachable', `${where} answers with status ${status}.`);
  }
  const isPage = answer.contentType.startsWith('text/html');
  const object = isPage ? null : readObject(answer.body);
  if (status !== 200 && !(errors && status >= 400 && typeof object?.['error'] === 'string')) {
    throw new OidcRefused('idp_answer_invalid', `${where} answers with status ${status}.`);
  }
  if (object === null) {
    if (isPage || isHtmlPage(answer.body)) {
      throw new OidcRefused('idp_answer_invalid', `${where} answers with an HTML page in place of JSON.`);
    }
    const kind = shorten(answer.contentType, 60) || 'no content type';
    throw new OidcRefused('idp_answer_invalid', `${where} does not answer with a usable JSON object (${kind}).`);
  }
  return object;
}

/** The name and address of an endpoint without the query, since IdPs put keys there. */
function whereOf(endpoint: IdpEndpoint, address: string): string {
  const url = urlOf(address);
  const place = url === null ? 'no address' : shorten(`${url.protocol}//${url.host}${url.pathname}`, 200);
  return `The ${NAMES[endpoint]} (${place})`;
}

function bodyOf(body: unknown): { body?: string } {
  if (body === null || body === undefined) return {};
  if (typeof body === 'string' || body instanceof URLSearchParams) return { body: body.toString() };
  throw new TypeError('only text and forms are sent to an IdP');
}
