import { createHmac, randomBytes } from 'node:crypto';
import { hashToken, sameHash } from '../../../base/crypto/tokens.js';
import { hostCookie } from '../../../base/http/cookies.js';

// Each sign-in has two halves: a handle that travels through the IdP (`state`, `RelayState`), and a secret in a cookie
// of the browser that began it. An answer is accepted only from the browser that has both.

const PREFIX = '__Host-signin-';
export const SIGN_IN_SECONDS = 600;
/** Open sign-ins in one browser. The oldest are dropped, so that the cookies fit into a request. */
const MAX_TABS = 8;

/** Makes a handle of at most 60 characters that are valid in an XML ID. Handles sort by time. */
export function newHandle(now: Date): string {
  return `${now.getTime().toString(36).padStart(9, '0')}${randomBytes(32).toString('base64url')}`;
}

export function isHandle(text: string): boolean {
  return /^[0-9a-z]{9}[\w-]{43}$/.test(text);
}

/** The secret of one sign-in in one browser. Nonce and PKCE verifier are derived from it and not stored. */
export class BrowserHalf {
  private constructor(private readonly secret: string) {}

  static create(): BrowserHalf {
    return new BrowserHalf(randomBytes(32).toString('base64url'));
  }

  static of(cookies: ReadonlyMap<string, string>, handle: string, hash: Buffer | null): BrowserHalf | null {
    const claimed = BrowserHalf.claimed(cookies, handle);
    return claimed !== null && hash !== null && sameHash(claimed.hash, hash) ? claimed : null;
  }

  /** Returns the secret that the cookies claim for a handle, not compared with the stored hash. */
  static claimed(cookies: ReadonlyMap<string, string>, handle: string): BrowserHalf | null {
    const secret = isHandle(handle) ? cookies.get(cookieName(handle)) : undefined;
    return secret === undefined ? null : new BrowserHalf(secret);
  }

  get hash(): Buffer {
    return hashToken(this.secret);
  }

  /** 43 characters (OIDC Core §15.5.2). */
  get nonce(): string {
    return this.derive('nonce');
  }

  /** 43 characters (RFC 7636 §4.1). */
  get codeVerifier(): string {
    return this.derive('pkce');
  }

  /** A SAML answer is a form of another site, which needs `None`. The cookie lives for ten minutes and is useless alone. */
  cookie(handle: string, sameSite: 'Lax' | 'None'): string {
    return hostCookie(cookieName(handle), this.secret, sameSite, SIGN_IN_SECONDS);
  }

  private derive(purpose: string): string {
    return createHmac('sha256', this.secret).update(purpose).digest('base64url');
  }
}

/** Whether the cookies show, without a query, that a browser may have begun a sign-in. */
export function mayHaveBegun(cookies: ReadonlyMap<string, string>, handle: string): boolean {
  return isHandle(handle) && cookies.has(cookieName(handle));
}

export function forgetCookie(handle: string): string {
  return hostCookie(cookieName(handle), '', 'Lax', 0);
}

export function giveUpOldest(cookies: ReadonlyMap<string, string>): string[] {
  const tabs = [...cookies.keys()].filter((name) => name.startsWith(PREFIX)).sort();
  return tabs
    .slice(0, Math.max(0, tabs.length - MAX_TABS + 1))
    .map((name) => hostCookie(name as `__Host-${string}`, '', 'Lax', 0));
}

function cookieName(handle: string): `__Host-${string}` {
  return `${PREFIX}${handle.slice(0, 17)}`;
}
