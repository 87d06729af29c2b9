import { createHmac, randomBytes } from 'node:crypto';
import { hashToken, sameHash } from '../../base/crypto/tokens.js';
import { hostCookie } from '../../base/http/cookies.js';

// Each sign-in has two halves: a handle that travels through the IdP (`state`, `RelayState`), and a secret that stays
// in a cookie of the browser that began it. What an IdP sends back is only taken from the browser that has both.

const PREFIX = '__Host-signin-';
/** Seconds that an IdP and a person may take. */
export const SIGN_IN_SECONDS = 600;
/** Tabs with a sign-in under way; the oldest ones are given up, so that the cookies never outgrow a request. */
const MAX_TABS = 8;

/** A new handle: at most 60 characters of which any may stand in an XML ID; later ones sort later. */
export function newHandle(now: Date): string {
  return `${now.getTime().toString(36).padStart(9, '0')}${randomBytes(32).toString('base64url')}`;
}

/** Whether a text can be a handle of ours at all. */
export function isHandle(text: string): boolean {
  return /^[0-9a-z]{9}[\w-]{43}$/.test(text);
}

/** The secret of one sign-in in one browser, and what is made of it. Nonce and PKCE verifier are stored nowhere. */
export class BrowserHalf {
  private constructor(private readonly secret: string) {}

  static create(): BrowserHalf {
    return new BrowserHalf(randomBytes(32).toString('base64url'));
  }

  /** The half of a request's sign-in from its cookies, if they hold it. */
  static of(cookies: ReadonlyMap<string, string>, handle: string, hash: Buffer | null): BrowserHalf | null {
    const secret = cookies.get(cookieName(handle));
    if (secret === undefined || hash === null || !sameHash(hashToken(secret), hash)) return null;
    return new BrowserHalf(secret);
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

  /**
   * The `Set-Cookie` line. SAML's answer is a form that another site posts, with which only `None` comes along; it
   * lives for ten minutes and opens nothing by itself.
   */
  cookie(handle: string, sameSite: 'Lax' | 'None'): string {
    return hostCookie(cookieName(handle), this.secret, sameSite, SIGN_IN_SECONDS);
  }

  private derive(purpose: string): string {
    return createHmac('sha256', this.secret).update(purpose).digest('base64url');
  }
}

/** Whether a browser may have begun this sign-in, as far as can be seen without looking it up. */
export function mayHaveBegun(cookies: ReadonlyMap<string, string>, handle: string): boolean {
  return isHandle(handle) && cookies.has(cookieName(handle));
}

/** The `Set-Cookie` line that ends a sign-in in its browser. */
export function forgetCookie(handle: string): string {
  return hostCookie(cookieName(handle), '', 'Lax', 0);
}

/** The `Set-Cookie` lines that give up the oldest sign-ins of a browser with too many of them. */
export function giveUpOldest(cookies: ReadonlyMap<string, string>): string[] {
  const tabs = [...cookies.keys()].filter((name) => name.startsWith(PREFIX)).sort();
  return tabs
    .slice(0, Math.max(0, tabs.length - MAX_TABS + 1))
    .map((name) => hostCookie(name as `__Host-${string}`, '', 'Lax', 0));
}

function cookieName(handle: string): `__Host-${string}` {
  return `${PREFIX}${handle.slice(0, 17)}`;
}
