import { plainAddress } from '../base/http/address.js';
import { readCookies } from '../base/http/cookies.js';
import type { BridgeRequest } from '../base/http/request.js';
import type { Connection } from '../connections/connection.js';
import type { PendingOidcSignIn } from './callback/oidc.strategy.js';
import type { BrowserHalf } from './requests/browser-half.js';
import type { SignInRequest } from './requests/sign-in-requests.repository.js';
import type { PendingSamlSignIn } from './callback/saml.strategy.js';
import type { Origin } from './log/sign-in-log.js';
import type { VerifiedSignIn } from './verified-sign-in.js';

/** What a callback has been found to be about, noted on its request as far as it is known. */
export interface SignInContext {
  connection: Connection;
  /** null: nobody began it here (IdP-initiated), or it is not known. */
  request: SignInRequest | null;
  /** The half of the browser that began it; null where this is another one. */
  browser: BrowserHalf | null;
  /** What it is before there is a request, or without one; unless said, what the request is. */
  kind?: 'logout' | 'test';
  /** The IdP answers a logout that was begun here, where it is over already. */
  answersLogout?: boolean;
  /** The sign-in is still open, and the browser has sent no cookie at all: it blocks them. */
  lacksCookies?: boolean;
}

/** A request of the sign-in routes. */
export type SignInHttpRequest = BridgeRequest & {
  signInContext?: SignInContext;
  /** What the strategies judge by. */
  signIn?: PendingOidcSignIn | PendingSamlSignIn;
  user?: VerifiedSignIn;
};

/** Where a request came from, as log and sessions keep it. */
export function originOf(req: BridgeRequest): Origin {
  return { ip: plainAddress(req.ip), userAgent: req.headers['user-agent'] ?? null, requestId: req.id };
}

/** Returns the cookies of a request. */
export function cookiesOf(req: BridgeRequest): ReadonlyMap<string, string> {
  return readCookies(req.headers.cookie);
}
