import { plainAddress } from '../../../base/http/allowed-networks.js';
import { readCookies } from '../../../base/http/cookies.js';
import type { BridgeRequest } from '../../../base/http/request.js';
import type { Connection } from '../../connections/connection.js';
import type { VerifiedSignIn } from '../accounts/verified-sign-in.js';
import type { Origin } from '../log/sign-in-log.js';
import type { BrowserHalf } from './browser-half.js';
import type { SignInRequest } from './sign-in-requests.repository.js';

/** What a browser with an open sign-in has not sent. */
export type MissingCookies = 'cookies' | 'cookie' | null;

/** What is known of a sign-in while its request is handled. */
export interface SignInContext {
  connection: Connection;
  /** null: the IdP began the sign-in, or the request is not known. */
  request: SignInRequest | null;
  /** Where the IdP that began the sign-in wants the browser to go (RelayState), as posted. */
  returnTo?: string | null;
  /** The secret of the browser that began it; null in another browser. */
  browser: BrowserHalf | null;
  /** The kind of a request without a stored sign-in request; else the kind of that one. */
  kind?: 'logout' | 'test';
  /** The IdP responds to a logout that began here. The session here has ended before. */
  answersLogout?: boolean;
  /** The sign-in is open, and the browser has sent no cookie at all (it blocks them), or not that of the sign-in. */
  lacks?: MissingCookies;
}

/** A request of the sign-in routes. */
export type SignInHttpRequest = BridgeRequest & {
  signInContext?: SignInContext;
  /** What a strategy runs: reads the answer, takes its sign-in request, and verifies it. */
  signIn?: () => Promise<VerifiedSignIn>;
  user?: VerifiedSignIn;
};

/** Returns where a request came from, for the log and for sessions. */
export function originOf(req: BridgeRequest): Origin {
  return { ip: plainAddress(req.ip), userAgent: req.headers['user-agent'] ?? null, requestId: req.id };
}

/** Returns the cookies of a request. */
export function cookiesOf(req: BridgeRequest): ReadonlyMap<string, string> {
  return readCookies(req.headers.cookie);
}
