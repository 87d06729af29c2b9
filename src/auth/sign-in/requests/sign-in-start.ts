import { Injectable } from '@nestjs/common';
import { Clock } from '../../../base/clock.js';
import type { SqlRunner } from '../../../base/database/database.js';
import { InvalidFields } from '../../../base/errors/domain-error.js';
import { queryText, type Query as QueryMap } from '../../../base/http/query.js';
import { parsedUrl } from '../../../base/url.js';
import { OidcProtocol } from '../../../protocols/oidc/oidc.protocol.js';
import { SamlProtocol } from '../../../protocols/saml/saml.protocol.js';
import type { Actor } from '../../../tenancy/identity/person.js';
import { AuthAddresses } from '../../connections/addresses.js';
import type { Connection } from '../../connections/connection.js';
import type { TestResult } from '../pages/pages.js';
import { SignInRefused } from '../sign-in.errors.js';
import { BrowserHalf, giveUpOldest, isHandle, newHandle } from './browser-half.js';
import { SignInRequestsRepository, type SignInRequest } from './sign-in-requests.repository.js';
import { cookiesOf, type SignInHttpRequest } from './sign-in.context.js';

interface ReturnRules {
  origin: string;
  home: string;
  allowed: readonly string[];
}

interface ReturnTarget {
  url: string;
  /** null for our own pages, which have the session's cookie. */
  application: string | null;
}

const MAX = 2_048;

/**
 * Reads `return_to`: a path of ours, or an address of a permitted origin; null for any other text. The text is resolved as a
 * browser would and compared by origin. The result is absolute, because a path that begins with two slashes is another site.
 */
export function returnTarget(text: string | null, rules: ReturnRules): ReturnTarget | null {
  if (text === null || text === '') return { url: rules.home, application: null };
  // Browsers drop tabs and line breaks and read a backslash as a slash, so such an address is an attack.
  if (text.length > MAX || /[\s\\\p{Cc}]/u.test(text)) return null;
  const url = parsedUrl(text, rules.origin);
  if (url === null || url.username !== '' || url.password !== '') return null;
  // A text without a scheme that resolves to another site: `//evil.example`.
  const relative = !/^[a-z][a-z0-9+.-]*:/i.test(text);
  const whole = relative ? text.startsWith('/') && url.origin === rules.origin : /^https?:\/\//i.test(text);
  if (!whole) return null;
  if (url.origin === rules.origin) return { url: url.href, application: null };
  if (!rules.allowed.includes(url.origin)) return null;
  return { url: url.href, application: url.origin };
}

export interface NextStep {
  cookies: string[];
  step: { kind: 'redirect'; url: string } | { kind: 'form'; action: string; fields: Record<string, string> };
}

export interface StartAsk {
  returnTo: string | null;
  /** Of the application that will exchange the one-time code (RFC 7636, S256). */
  codeChallenge: string | null;
  prompt: 'select_account' | 'login' | null;
  loginHint: string | null;
}

const NO_CHALLENGE = {
  field: 'code_challenge',
  message:
    'is required where return_to is of another origin: the S256 challenge of a verifier, with code_challenge_method=S256 (RFC 7636)',
};

export const START_FIELDS = [
  'return_to',
  'target_link_uri',
  'login_hint',
  'prompt',
  'code_challenge',
  'code_challenge_method',
] as const;

/**
 * Reads the wishes for a sign-in from the query of the login. A parameter without a value is absent.
 *
 * @throws {InvalidFields} for an invalid field
 */
export function startAsk(query: QueryMap): StartAsk {
  const given = (name: (typeof START_FIELDS)[number]): string | null => queryText(query, name) || null;
  const prompt = given('prompt');
  const codeChallenge = given('code_challenge');
  const method = given('code_challenge_method');
  if (prompt !== null && prompt !== 'select_account' && prompt !== 'login') {
    throw new InvalidFields([{ field: 'prompt', message: 'must be one of: select_account, login' }]);
  }
  if (codeChallenge !== null && (method !== 'S256' || !/^[\w-]{43}$/.test(codeChallenge))) {
    const message = 'must be the S256 challenge of a verifier, with code_challenge_method=S256';
    throw new InvalidFields([{ field: 'code_challenge', message }]);
  }
  return {
    returnTo: given('return_to') ?? given('target_link_uri'),
    codeChallenge,
    prompt,
    loginHint: given('login_hint')?.slice(0, 320) ?? null,
  };
}

export function startQuery(ask: StartAsk): Record<string, string> {
  return {
    ...(ask.returnTo === null ? {} : { return_to: ask.returnTo }),
    ...(ask.codeChallenge === null ? {} : { code_challenge: ask.codeChallenge, code_challenge_method: 'S256' }),
    ...(ask.prompt === null ? {} : { prompt: ask.prompt }),
    ...(ask.loginHint === null ? {} : { login_hint: ask.loginHint }),
  };
}

/**
 * The results of test sign-ins. Each is shown for ten minutes, to the browser that made the test.
 */
@Injectable()
export class SignInStart {
  constructor(
    private readonly requests: SignInRequestsRepository,
    private readonly oidc: OidcProtocol,
    private readonly saml: SamlProtocol,
    private readonly addresses: AuthAddresses,
    private readonly clock: Clock,
  ) {}

  /**
   * @throws {SignInRefused} when the connection is disabled or its IdP cannot be reached
   * @throws {InvalidFields} when `return_to` is not permitted, or is of another origin without a PKCE challenge
   */
  async begin(connection: Connection, ask: StartAsk, cookies: ReadonlyMap<string, string>): Promise<NextStep> {
    if (!connection.enabled) throw new SignInRefused('connection_disabled', 'the connection is disabled');
    const { application } = this.target(connection, ask.returnTo);
    // The code is visible in the address of the browser, so it needs a verifier (RFC 9700 §2.1.1).
    if (application !== null && ask.codeChallenge === null) throw new InvalidFields([NO_CHALLENGE]);
    const handle = newHandle(this.clock.now());
    const browser = BrowserHalf.create();
    const step = await this.ask(connection, handle, browser, ask);
    await this.requests.insert(connection.tenantId, connection.id, {
      id: handle,
      kind: 'sign-in',
      browser_hash: browser.hash,
      return_to: ask.returnTo,
      code_challenge: ask.codeChallenge,
      asked_anew: ask.prompt === 'login',
      actor: null,
    });
    return { step, cookies: [...giveUpOldest(cookies), this.cookie(connection, handle, browser)] };
  }

  async prepareTest(tx: SqlRunner, connection: Connection, actor: Actor): Promise<string> {
    const handle = newHandle(this.clock.now());
    const request = {
      id: handle,
      kind: 'test' as const,
      browser_hash: null,
      return_to: null,
      code_challenge: null,
      asked_anew: false,
      actor,
    };
    await this.requests.insert(connection.tenantId, connection.id, request, tx);
    return handle;
  }

  async isTest(connection: Connection, handle: string): Promise<boolean> {
    const request = isHandle(handle) ? await this.requests.find(connection.tenantId, handle) : null;
    return request?.connection_id === connection.id && request.kind === 'test';
  }

  async isOpenTest(connection: Connection, handle: string): Promise<boolean> {
    const request = await this.requests.find(connection.tenantId, handle);
    return request !== null && request.browser_hash === null && !request.used && !request.expired;
  }

  /** Begins a prepared test in the first browser that presses its button; null when the test has begun or expired. */
  async beginTest(
    connection: Connection,
    handle: string,
    cookies: ReadonlyMap<string, string>,
  ): Promise<NextStep | null> {
    const browser = BrowserHalf.create();
    const ask: StartAsk = { returnTo: null, codeChallenge: null, prompt: null, loginHint: null };
    // Before the link is used up: an IdP that is not available must not cost the link.
    const step = await this.ask(connection, handle, browser, ask);
    if (!(await this.requests.claim(connection.tenantId, handle, browser.hash))) return null;
    return { step, cookies: [...giveUpOldest(cookies), this.cookie(connection, handle, browser)] };
  }

  async ofBrowser(
    connection: Connection,
    handle: string,
    cookies: ReadonlyMap<string, string>,
  ): Promise<SignInRequest | null> {
    const request = isHandle(handle) ? await this.requests.find(connection.tenantId, handle) : null;
    if (request?.connection_id !== connection.id) return null;
    return BrowserHalf.of(cookies, handle, request.browser_hash) === null ? null : request;
  }

  /** Returns the target of a sign-in; the home page when its `return_to` is no longer permitted. */
  targetOrHome(connection: Connection, returnTo: string | null): ReturnTarget {
    return this.allowed(connection, returnTo) ?? { url: this.addresses.home, application: null };
  }

  target(connection: Connection, returnTo: string | null): ReturnTarget {
    const target = this.allowed(connection, returnTo);
    if (target !== null) return target;
    throw new InvalidFields([
      {
        field: 'return_to',
        message: 'must be a path of this site, or an address of an origin that the connection allows',
      },
    ]);
  }

  private allowed(connection: Connection, returnTo: string | null): ReturnTarget | null {
    return returnTarget(returnTo, {
      origin: this.addresses.origin,
      home: this.addresses.home,
      allowed: connection.returnOrigins,
    });
  }

  private ask(connection: Connection, handle: string, browser: BrowserHalf, ask: StartAsk): Promise<NextStep['step']> {
    if (connection.type === 'saml') {
      // The ID of an XML document must not begin with a digit.
      return this.saml.begin(connection, {
        requestId: `_${handle}`,
        relayState: handle,
        forceAuthn: ask.prompt !== null,
        loginHint: ask.loginHint,
      });
    }
    const { nonce, codeVerifier } = browser;
    return this.oidc
      .begin(connection, { state: handle, nonce, codeVerifier, prompt: ask.prompt, loginHint: ask.loginHint })
      .then((url) => ({ kind: 'redirect', url }));
  }

  private cookie(connection: Connection, handle: string, browser: BrowserHalf): string {
    return browser.cookie(handle, connection.type === 'saml' ? 'None' : 'Lax');
  }

  /** Returns the cookie with which the browser can load the result again; null when another browser began the test. */
  async keepTestResult(req: SignInHttpRequest, result: TestResult): Promise<string | null> {
    const { connection, request, browser } = req.signInContext!;
    if (request === null || browser === null || request.kind !== 'test') return null;
    await this.requests.keepResult(connection.tenantId, request.id, result);
    return browser.cookie(request.id, connection.type === 'saml' ? 'None' : 'Lax');
  }

  async testResultOf(req: SignInHttpRequest, connection: Connection, handle: string): Promise<TestResult | null> {
    if (!isHandle(handle)) return null;
    const kept = await this.requests.keptResult(connection.tenantId, connection.id, handle);
    if (kept === null || BrowserHalf.of(cookiesOf(req), handle, kept.browser_hash) === null) return null;
    return kept.result as TestResult;
  }
}
