import { plainAddress } from '../../base/http/allowed-networks.js';
import { readCookies } from '../../base/http/cookies.js';
import type { BridgeRequest } from '../../base/http/request.js';
import type { OidcSignIn } from '../../protocols/oidc/oidc-settings.js';
import type { NameId, SamlSignIn } from '../../protocols/saml/saml-settings.js';
import type { Connection } from '../connections/connection.js';
import type { Origin } from './log/sign-in-log.js';
import type { BrowserHalf } from './requests/browser-half.js';
import type { SignInRequest } from './requests/sign-in-requests.repository.js';

/** The claims of an IdP about a person: verified, and not matched with a user yet. */
export interface VerifiedSignIn {
  /** The IdP's name for the person, compared letter by letter: `sub` (OIDC), the NameID or the `subject_claim` (SAML). */
  subject: string;
  /** Claims by name (OIDC), or attributes by `Name` and `FriendlyName` (SAML): one value is a string, several are a list. */
  claims: Readonly<Record<string, unknown>>;
  /** SAML: the claims that came by a FriendlyName alone. They must not decide the identity. */
  unsureNames?: ReadonlySet<string>;
  /** SAML: the attributes that were left out, each with the reason. */
  leftOut?: readonly string[];
  /** OIDC: why the claims hold nothing of UserInfo although the connection wants it; null when they do. */
  userInfoProblem?: string | null;
  /** Why the answer does not prove the new authentication that was asked for; null when it does, or none was. */
  staleness?: string | null;
  /** Which part was signed and with which key: text for an admin. */
  signature?: string;
  /** By the clock of the IdP (`iat`, `IssueInstant`). */
  issuedAt: Date;
  /** By the clock of the IdP (`auth_time`, `AuthnInstant`); null when the IdP does not state it. */
  authenticatedAt: Date | null;
  /** The latest end of the session that the IdP wants (`SessionNotOnOrAfter`, `session_expiry`). */
  sessionEnds: Date | null;
  /** The IdP's own session: `sid` (OIDC), `SessionIndex` (SAML). */
  idpSession: string | null;
  /** SAML: further sessions of the IdP by which it may end this one. */
  otherIdpSessions?: readonly string[];
  /** How the person authenticated: `acr` (OIDC), `AuthnContextClassRef` (SAML). */
  authContext: string | null;
  /** As received, for RP-initiated logout; null for SAML. */
  idToken: string | null;
  /** null for OIDC. */
  nameId: NameId | null;
  /** The id to store until this time, which refuses a second use of the message; null for OIDC, whose code works once. */
  once: { id: string; until: Date } | null;
}

/** Cookies that a browser with an open sign-in has not sent: all (it blocks them), or that of the sign-in. */
export type MissingCookies = 'cookies' | 'cookie' | null;

export interface SignInContext {
  connection: Connection;
  /** null when the IdP began the sign-in, or the request is not known. */
  request: SignInRequest | null;
  /** Where the IdP that began the sign-in wants the browser to go (RelayState), as posted. */
  returnTo?: string | null;
  /** null in another browser than the one that began the sign-in. */
  browser: BrowserHalf | null;
  /** Of a request without a stored sign-in request, whose kind counts otherwise. */
  kind?: 'logout' | 'test';
  /** The IdP responds to a logout that began here. The session here has ended before. */
  answersLogout?: boolean;
  lacks?: MissingCookies;
}

/** A request of the sign-in routes. */
export type SignInHttpRequest = BridgeRequest & {
  signInContext?: SignInContext;
  signIn?: () => Promise<VerifiedSignIn>;
  user?: VerifiedSignIn;
};

export function originOf(req: BridgeRequest): Origin {
  return { ip: plainAddress(req.ip), userAgent: req.headers['user-agent'] ?? null, requestId: req.id };
}

/** Returns the cookies of a request. */
export function cookiesOf(req: BridgeRequest): ReadonlyMap<string, string> {
  return readCookies(req.headers.cookie);
}

export function fromOidc(signIn: OidcSignIn): VerifiedSignIn {
  // A code works once at the IdP, so no second use of the answer is possible.
  return { ...signIn, nameId: null, once: null };
}

export function fromSaml(signIn: SamlSignIn): VerifiedSignIn {
  return { ...signIn, idToken: null };
}
