import { createHash, randomBytes } from 'node:crypto';
import { SimRefusal, type SimAnswer, type SimRequest } from './http.js';

/** How a vendor's OAuth differs. */
export interface GrantRules {
  authorizePath: string;
  tokenPath: string;
  revokePath: string | null;
  clientAuth: 'body' | 'basic';
  accessSeconds: number;
  refreshSeconds: number;
  /** `expires_at` as ISO text, or `expires_in` in seconds. */
  expiry: 'at' | 'in';
  /** Seconds after which codes end. */
  codeSeconds: number;
  /** What `audience` has to be; null: it is not asked for. */
  audience: string | null;
  /** A refresh token is used again and again, and no answer to it has one. */
  keepsRefresh?: boolean;
  /** The status of a refused grant, 400 unless set. */
  refusedStatus?: number;
  /** The word for a refused code or refresh token, `invalid_grant` unless set. */
  refusedWord?: string;
  /** Further parameters of the answer to an authorization. */
  answer?(): Readonly<Record<string, string>>;
}

/** The partner's client at the vendor. */
export interface SimClient {
  id: string;
  secret: string;
  /** Exact redirect addresses; any while the list is empty. */
  redirects: string[];
}

interface Grant {
  id: string;
  scopes: string;
  live: boolean;
}

/** Grants of a vendor: codes, access tokens, and refresh tokens that are used once. */
export class Grants {
  readonly client: SimClient;
  /** The scopes that are granted to every request; null: those that were asked for. */
  grantOnly: readonly string[] | null = null;
  /** How often a refresh was answered with tokens. */
  refreshes = 0;
  /** How often the token address was asked to exchange a code. */
  exchanges = 0;
  /** While set, the token address answers this. */
  tokenFault: SimAnswer | null = null;
  private readonly codes = new Map<string, { grant: Grant; redirect: string; challenge: string; until: number }>();
  private readonly access = new Map<string, { grant: Grant; until: number }>();
  private readonly refresh = new Map<string, { grant: Grant; until: number; used: boolean }>();
  private readonly grants: Grant[] = [];
  private made = 0;

  constructor(
    readonly rules: GrantRules,
    client: Partial<SimClient>,
    private readonly now: () => number,
    private readonly prefix: string,
  ) {
    this.client = { id: `${prefix}_client`, secret: `${prefix}_client_secret`, redirects: [], ...client };
  }

  get isConnected(): boolean {
    return this.grants.some(({ live }) => live);
  }

  /** Handles the addresses of OAuth; null: it is another one. */
  answer(request: SimRequest, title: string): SimAnswer | null {
    const { authorizePath, tokenPath, revokePath } = this.rules;
    if (request.path === authorizePath && request.method === 'GET') return this.page(request, title);
    if (request.path === authorizePath && request.method === 'POST') return this.decide(request);
    if (request.path === tokenPath && request.method === 'POST') return this.tokenFault ?? this.token(request);
    if (request.path === revokePath && request.method === 'POST') return this.revoke(request);
    return null;
  }

  /** Returns the scopes of a live access token. */
  scopesOf(token: string): string | null {
    const known = this.access.get(token);
    if (known === undefined || !known.grant.live || known.until <= this.now()) return null;
    return known.grant.scopes;
  }

  /** A grant without a browser, for tests of what comes after. */
  mint(scopes: string): { accessToken: string; refreshToken: string; expiresAt: string } {
    const tokens = this.tokens(this.newGrant(scopes));
    const expiresAt = new Date(this.now() + this.rules.accessSeconds * 1_000).toISOString();
    return { accessToken: tokens.access, refreshToken: tokens.refresh, expiresAt };
  }

  /** The customer removes the app: calls are 401, refreshes are refused. */
  revokeAll(): void {
    for (const grant of this.grants) grant.live = false;
  }

  /** All access tokens end now; refresh tokens stay. */
  expireAccess(): void {
    this.access.clear();
  }

  /** Approves or denies as the person would; returns where the browser goes. */
  decide(request: SimRequest): SimAnswer {
    const field = (name: string): string => request.form.get(name) ?? '';
    const redirect = this.redirectOf(field('redirect_uri'));
    const target = new URL(redirect);
    target.searchParams.set('state', field('state'));
    for (const [name, value] of Object.entries(this.rules.answer?.() ?? {})) target.searchParams.set(name, value);
    if (field('decision') === 'approve') {
      const code = this.random('code');
      const grant = this.newGrant((this.grantOnly ?? field('scope').split(/[ ,]/)).join(' '));
      const challenge = field('code_challenge');
      this.codes.set(code, { grant, redirect, challenge, until: this.now() + this.rules.codeSeconds * 1_000 });
      target.searchParams.set('code', code);
    } else {
      target.searchParams.set('error', 'access_denied');
      target.searchParams.set('error_description', 'The user denied the request.');
    }
    return { status: 302, headers: { location: target.href } };
  }

  private page({ query }: SimRequest, title: string): SimAnswer {
    const get = (name: string): string => query.get(name) ?? '';
    const refused = this.problemOf(query);
    if (refused !== null) return { status: 400, html: pageOf(title, `<p role="alert">${escaped(refused)}</p>`) };
    const hidden = ['client_id', 'redirect_uri', 'state', 'scope', 'code_challenge']
      .map((name) => `<input type="hidden" name="${name}" value="${escaped(get(name))}">`)
      .join('');
    const scopes = get('scope')
      .split(' ')
      .map((scope) => `<li><code>${escaped(scope)}</code></li>`)
      .join('');
    const form = `<form method="post">${hidden}<button name="decision" value="approve">Approve</button>
      <button name="decision" value="deny">Deny</button></form>`;
    return { status: 200, html: pageOf(title, `<p>Hiring platform asks for:</p><ul>${scopes}</ul>${form}`) };
  }

  private problemOf(query: URLSearchParams): string | null {
    if (query.get('client_id') !== this.client.id) return 'Unknown client.';
    if (query.get('response_type') !== 'code') return 'response_type must be code.';
    if ((query.get('state') ?? '') === '') return 'state is missing.';
    const { audience } = this.rules;
    if (audience !== null && query.get('audience') !== audience) return `audience must be ${audience}.`;
    return this.admits(query.get('redirect_uri') ?? '') ? null : 'The redirect address is not registered.';
  }

  private admits(redirect: string): boolean {
    const { redirects } = this.client;
    return URL.canParse(redirect) && (redirects.length === 0 || redirects.includes(redirect));
  }

  private redirectOf(redirect: string): string {
    if (this.admits(redirect)) return redirect;
    throw new SimRefusal({ status: 400, html: 'The redirect address is not registered.' });
  }

  private token(request: SimRequest): SimAnswer {
    const { form } = request;
    if (!this.isClient(request)) return refusal(401, 'invalid_client');
    switch (form.get('grant_type')) {
      case 'authorization_code':
        return this.exchange(form);
      case 'refresh_token':
        return this.renew(form.get('refresh_token') ?? '');
      case 'client_credentials':
        return this.issued(this.newGrant(this.grantOnly?.join(' ') ?? 'all'), false);
      default:
        return refusal(400, 'unsupported_grant_type');
    }
  }

  private isClient({ form, headers }: SimRequest): boolean {
    const { id, secret } = this.client;
    if (this.rules.clientAuth === 'body') return form.get('client_id') === id && form.get('client_secret') === secret;
    const [name, given] = Buffer.from((headers['authorization'] ?? '').replace(/^Basic /, ''), 'base64')
      .toString('utf8')
      .split(':')
      .map(decodeURIComponent);
    return name === id && given === secret;
  }

  private exchange(form: URLSearchParams): SimAnswer {
    this.exchanges++;
    const code = form.get('code') ?? '';
    const known = this.codes.get(code);
    this.codes.delete(code);
    if (known === undefined || known.until <= this.now()) return this.refused();
    const proof = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (known.challenge !== '' && known.challenge !== proof) return this.refused();
    return known.redirect === form.get('redirect_uri') ? this.issued(known.grant, true) : this.refused();
  }

  private renew(token: string): SimAnswer {
    const known = this.refresh.get(token);
    if (known === undefined || known.used || !known.grant.live || known.until <= this.now()) {
      return this.refused();
    }
    known.used = this.rules.keepsRefresh !== true;
    this.refreshes++;
    return this.issued(known.grant, known.used);
  }

  private refused(): SimAnswer {
    return refusal(this.rules.refusedStatus ?? 400, this.rules.refusedWord ?? 'invalid_grant');
  }

  private revoke(request: SimRequest): SimAnswer {
    if (!this.isClient(request)) return refusal(401, 'invalid_client');
    const token = request.form.get('token') ?? '';
    const known = this.refresh.get(token) ?? this.access.get(token);
    if (known !== undefined) known.grant.live = false;
    return { status: 200 };
  }

  private issued(grant: Grant, withRefresh: boolean): SimAnswer {
    const { access, refresh } = this.tokens(grant);
    const { accessSeconds, expiry } = this.rules;
    const end = new Date(this.now() + accessSeconds * 1_000).toISOString();
    return {
      status: 200,
      json: {
        access_token: access,
        ...(withRefresh ? { refresh_token: refresh } : {}),
        token_type: 'Bearer',
        scope: grant.scopes,
        ...(expiry === 'in' ? { expires_in: accessSeconds } : { expires_at: end }),
      },
    };
  }

  private tokens(grant: Grant): { access: string; refresh: string } {
    const access = this.random('at');
    const refresh = this.random('rt');
    this.access.set(access, { grant, until: this.now() + this.rules.accessSeconds * 1_000 });
    this.refresh.set(refresh, { grant, until: this.now() + this.rules.refreshSeconds * 1_000, used: false });
    return { access, refresh };
  }

  private newGrant(scopes: string): Grant {
    const grant = { id: `grant_${++this.made}`, scopes, live: true };
    this.grants.push(grant);
    return grant;
  }

  private random(kind: string): string {
    return `${this.prefix}_${kind}_${randomBytes(12).toString('hex')}`;
  }
}

/** Returns a page of the vendor. */
export function pageOf(title: string, body: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title><style>
    body { font: 16px/1.5 system-ui, sans-serif; max-width: 40rem; margin: 3rem auto; padding: 0 1rem }
    button, a.button { font: inherit; padding: .5rem 1rem; border: 1px solid #444; border-radius: .4rem;
      background: #fff; color: #111; text-decoration: none; cursor: pointer }
    </style></head><body><h1>${title}</h1>${body}</body></html>`;
}

/** Returns text for HTML. */
export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

function refusal(status: number, error: string): SimAnswer {
  return { status, json: { error, error_description: 'The token is invalid or was already used.' } };
}
