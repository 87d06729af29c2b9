import { hostCookie, readCookies, demandSameOrigin } from '../../base/http/cookies.js';
import { UnsupportedMediaType } from '../../base/http/http.errors.js';
import type { BridgeRequest } from '../../base/http/request.js';
import type { Actor } from '../identity/person.js';
import { READ_SCOPES } from './scopes.js';
import { SeveralCredentials, Unauthenticated } from './tenants.errors.js';

/** The role of a session of the console. */
export type ConsoleRole = 'operator' | 'admin' | 'auditor';

/** A live session of the console. */
export interface ConsoleCredential {
  readonly id: string;
  /** '' for the operator who has entered no tenant. */
  readonly tenantId: string;
  readonly role: ConsoleRole;
  readonly actor: Actor;
  readonly signedInAt: Date;
  /** When the user authenticated, or the link was opened; null when the IdP does not state it. */
  readonly authenticatedAt: Date | null;
}

/** A session of the console for `GET /me`. */
export interface ConsoleSessionFacts {
  tenant: { id: string; name: string } | null;
  session: {
    role: ConsoleRole;
    user: { id: string; email: string | null; first_name: string; last_name: string } | null;
    by_link: boolean;
    scopes: string[];
    signed_in_at: Date;
    authenticated_at: Date | null;
    expires_at: Date;
    entered_until: Date | null;
  };
}

const NAME = '__Host-console';

/**
 * Sessions of the console: the cookie is a credential of the API beside the key. Abstract, because a later house stores
 * the sessions.
 */
export abstract class ConsoleCredentials {
  protected abstract find(token: string): Promise<ConsoleCredential | null>;

  /** Returns the facts of a live session for `GET /me`. */
  abstract describe(session: Pick<ConsoleCredential, 'id' | 'role' | 'tenantId'>): Promise<ConsoleSessionFacts>;

  /**
   * Returns the session of a request; null without a cookie of the console.
   *
   * @throws {SeveralCredentials} when the request has an `Authorization` header too
   * @throws {CrossSiteRequest} when no page of this origin has sent the request
   * @throws {UnsupportedMediaType} for a write without a JSON body
   * @throws {Unauthenticated} when the session has ended
   */
  async of(req: BridgeRequest): Promise<ConsoleCredential | null> {
    // Programs send no cookies: most requests end here.
    if (req.headers.cookie === undefined) return null;
    const token = consoleToken(req);
    if (token === null) return null;
    if (req.headers.authorization !== undefined) throw new SeveralCredentials();
    demandSameOrigin(req);
    if (/^P/.test(req.method)) demandJson(req);
    const found = await this.find(token);
    if (found === null) throw new Unauthenticated('invalid');
    return found;
  }
}

/** Returns the scopes of a session. An operator only reads the entered tenant. */
export function scopesOf({ role }: Pick<ConsoleCredential, 'role'>): ReadonlySet<string> {
  return role === 'admin' ? ALL : READ_SCOPES;
}

const ALL: ReadonlySet<string> = new Set(['admin']);

/** Returns the token in the cookie of the console, or null. */
export function consoleToken({ headers }: Pick<BridgeRequest, 'headers'>): string | null {
  return readCookies(headers.cookie).get(NAME) ?? null;
}

/** Returns the `Set-Cookie` line of a session. `Strict`: no link, form or script of another site sends the cookie. */
export function consoleCookie(token: string): string {
  return hostCookie(NAME, token, 'Strict', null);
}

/** Returns the `Set-Cookie` line that removes the cookie. */
export function noConsoleCookie(): string {
  return hostCookie(NAME, '', 'Strict', 0);
}

/** @throws {UnsupportedMediaType} for a write that is not JSON: a form of another site cannot have this type */
export function demandJson({ headers }: Pick<BridgeRequest, 'headers'>): void {
  if (/^application\/([\w.+-]+\+)?json\b/i.test(headers['content-type'] ?? '')) return;
  throw new UnsupportedMediaType('A write of the console needs Content-Type: application/json, also without a body.');
}
