import { Injectable } from '@nestjs/common';
import { Clock } from '../../../base/clock.js';
import { Config } from '../../../base/config/config.js';
import { Outbound } from '../../../base/http/outbound.js';
import { retryAfterOf } from '../api/ats-answer.rules.js';
import { type Credential, AtsFailure } from '../api/ats-api.js';
import type { Connector, Region } from '../connectors/connector.js';

const SIMULATOR = 'simulator';

export interface OAuthClient {
  id: string;
  secret: string;
}

function moved(region: Region, origin: string): Region {
  const at = (text: string): string => {
    const { pathname } = new URL(text);
    return origin + (pathname === '/' ? '' : pathname);
  };
  return {
    ...region,
    api: at(region.api),
    ...(region.authorize === undefined ? {} : { authorize: at(region.authorize) }),
    ...(region.token === undefined ? {} : { token: at(region.token) }),
  };
}

export interface Grant {
  credential: Extract<Credential, { kind: 'oauth' }>;
  scopes: string[] | null;
}

/** Tokens are visible ASCII (RFC 6749 appendix A.12), and no vendor's is longer. */
const TOKEN = /^[\x20-\x7e]{1,8192}$/;
/** The life of an access token without `expires_in`. */
const USUAL_SECONDS = 3_600;
const LONGEST_SECONDS = 366 * 86_400;

/**
 * Returns the grant of a token answer (RFC 6749 §5.1), or null. Greenhouse sends the end of a token (`expires_at`),
 * others its seconds.
 *
 * @param before the used refresh token: it stays valid where the answer has no new one
 */
export function grantOf(answer: unknown, before: string | null, now: Date): Grant | null {
  if (answer === null || typeof answer !== 'object') return null;
  const { access_token: access, refresh_token: refresh, scope } = answer as Record<string, unknown>;
  if (!isToken(access)) return null;
  if (refresh !== undefined && refresh !== null && !isToken(refresh)) return null;
  return {
    credential: {
      kind: 'oauth',
      accessToken: access,
      expiresAt: endOf(answer as Record<string, unknown>, now).toISOString(),
      refreshToken: typeof refresh === 'string' ? refresh : before,
      refreshedAt: now.toISOString(),
    },
    scopes: typeof scope === 'string' ? scope.split(/[ +,]/).filter((one) => one !== '') : null,
  };
}

function isToken(value: unknown): value is string {
  return typeof value === 'string' && TOKEN.test(value);
}

function endOf({ expires_in: seconds, expires_at: at }: Record<string, unknown>, now: Date): Date {
  const latest = now.getTime() + LONGEST_SECONDS * 1_000;
  const parsed = typeof at === 'string' ? Date.parse(at) : NaN;
  if (!Number.isNaN(parsed)) return new Date(Math.min(parsed, latest));
  const told = Number(seconds);
  const life = Number.isFinite(told) && told > 0 ? told : USUAL_SECONDS;
  return new Date(Math.min(now.getTime() + life * 1_000, latest));
}

/** The part of its life after which an access token is renewed. */
const RENEWED_AT = 0.8;

export function isDue({ expiresAt, refreshedAt }: { expiresAt: string; refreshedAt: string }, now: Date): boolean {
  const from = Date.parse(refreshedAt);
  return now.getTime() >= from + (Date.parse(expiresAt) - from) * RENEWED_AT;
}

/** Renewal comes at half of the time in which an unused refresh token ends; null when it does not end. */
export function keepAliveAt(credential: Credential, refreshIdleMs: number | null): Date | null {
  if (credential.kind !== 'oauth' || credential.refreshToken === null || refreshIdleMs === null) return null;
  return new Date(Date.parse(credential.refreshedAt) + refreshIdleMs / 2);
}

const TIMEOUT_MS = 15_000;
const MOST_BYTES = 64 * 1024;

interface TokenRequest {
  tenantId: string;
  connector: Connector;
  region: Region;
  client: OAuthClient;
  fields: Readonly<Record<string, string>>;
}

/**
 * Requests grants at token addresses of vendors (RFC 6749 §4.1.3, §4.4, §6), and revokes them (RFC 7009). Knows the
 * OAuth clients of this installation, and the regions of vendors for it.
 */
@Injectable()
export class TokenClient {
  constructor(
    private readonly outbound: Outbound,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  async exchange(
    ask: Omit<TokenRequest, 'fields'>,
    code: string,
    { redirectUri, verifier }: { redirectUri: string; verifier: string },
  ): Promise<Grant> {
    const fields = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier };
    return this.grant({ ...ask, fields }, null);
  }

  /** Renews a grant. @throws {AtsFailure} `refused` (`grant_revoked`) where the vendor refuses it, `away` else */
  async refresh(ask: Omit<TokenRequest, 'fields'>, refreshToken: string): Promise<Grant> {
    return this.grant({ ...ask, fields: { grant_type: 'refresh_token', refresh_token: refreshToken } }, refreshToken);
  }

  /** Gets an access token for a client that the customer made. @throws {AtsFailure} */
  async ofClient(
    ask: Omit<TokenRequest, 'fields' | 'client'>,
    credential: Extract<Credential, { kind: 'client_credentials' }>,
  ): Promise<Grant> {
    const { clientId: id, clientSecret: secret, sub } = credential;
    const fields = { grant_type: 'client_credentials', ...(sub === null ? {} : { sub }) };
    return this.grant({ ...ask, client: { id, secret }, fields }, null, 'basic');
  }

  /** Revokes a grant. @returns false where the vendor has no address for it, or does not take it */
  async revoke(ask: Omit<TokenRequest, 'fields'>, token: string): Promise<boolean> {
    const address = ask.connector.oauth?.revokePath(ask.region) ?? null;
    if (address === null) return false;
    const answer = await this.post({ ...ask, fields: { token } }, address, ask.connector.oauth!.clientAuth);
    return answer.kind === 'answer' && answer.status < 300;
  }

  private async grant(ask: TokenRequest, before: string | null, auth?: 'basic'): Promise<Grant> {
    const { connector, region } = ask;
    if (region.token === undefined) throw new Error(`${connector.provider} has no token address`);
    const answer = await this.post(ask, region.token, auth ?? connector.oauth?.clientAuth ?? 'basic');
    const where = `The token address of ${connector.title}`;
    if (answer.kind === 'failed') throw new AtsFailure('away', answer.reason, `${where} gives no answer.`);
    const { status } = answer;
    if (status >= 500 || status === 429 || status === 408) {
      const pause = retryAfterOf(answer.retryAfter, this.clock.now());
      throw new AtsFailure('away', `status_${status}`, `${where} answers with status ${status}.`, pause);
    }
    const body = parsed(answer.body);
    if (status >= 400 || isRefusal(body)) throw refusal(where, status, body);
    const grant = status < 300 && !answer.truncated ? grantOf(body, before, this.clock.now()) : null;
    if (grant === null) throw new AtsFailure('away', 'token_answer_invalid', `${where} answers with no token.`);
    return grant;
  }

  private post({ tenantId, client, fields }: TokenRequest, address: string, auth: 'basic' | 'body') {
    const url = new URL(address);
    const form = new URLSearchParams(fields);
    if (auth === 'body') {
      form.set('client_id', client.id);
      form.set('client_secret', client.secret);
    }
    const basic = Buffer.from(`${encodeURIComponent(client.id)}:${encodeURIComponent(client.secret)}`).toString(
      'base64',
    );
    return this.outbound.call(
      {
        method: 'POST',
        origin: url.origin,
        path: url.pathname + url.search,
        owner: tenantId,
        headers: {
          accept: 'application/json',
          'content-type': 'application/x-www-form-urlencoded',
          ...(auth === 'basic' ? { authorization: `Basic ${basic}` } : {}),
        },
        body: form.toString(),
        timeoutMs: TIMEOUT_MS,
        maxBytes: MOST_BYTES,
      },
      this.config.allowPrivateDestinations,
    );
  }

  /** Returns the client at a provider, or null if the operator has set none. */
  clientOf(provider: string): OAuthClient | null {
    return this.config.ats.clients.find((client) => client.provider === provider) ?? null;
  }

  /** Returns the region where new connections by OAuth are made: the simulator's, where there is one. */
  usualRegion({ provider, regions }: Connector): string {
    return this.config.ats.simulators[provider] === undefined ? Object.keys(regions)[0]! : SIMULATOR;
  }

  /** Returns the names of a connector's regions here, the usual one first. */
  regionNames(connector: Connector): string[] {
    return [...new Set([this.usualRegion(connector), ...Object.keys(connector.regions)])];
  }

  /**
   * Returns the region of an account from the answer of the ATS, or null. The answer comes through a browser, and the
   * client's secret goes to the token address: only origins of the list count.
   *
   * @param tokenOrigin null when the answer has none, and the region is the usual one
   */
  answeredRegion(connector: Connector, tokenOrigin: string | null): string | null {
    if (tokenOrigin === null) return this.usualRegion(connector);
    const origin = tokenOrigin.replace(/\/$/, '');
    const found = this.regionNames(connector).find((name) => {
      const token = this.region(connector, name)?.token;
      return token !== undefined && new URL(token).origin === origin;
    });
    return found ?? null;
  }

  /** Returns a region, or undefined if the connector has no such one. */
  region({ provider, regions }: Connector, name: string): Region | undefined {
    if (name !== SIMULATOR) return regions[name];
    const origin = this.config.ats.simulators[provider];
    const usual = Object.values(regions)[0];
    return origin === undefined || usual === undefined ? undefined : moved(usual, origin);
  }
}

/** The codes that end a grant (RFC 6749 §5.2). Other refusals are those of our client: the operator can end them. */
const ENDS = new Set(['invalid_grant', 'invalid_code', 'access_denied', 'unauthorized_client']);

/** Codes are words. Other text could be a token that the host repeats, and would get into logs and answers. */
const CODE = /^[a-z]+(_[a-z]+){0,7}$/;

/** Zoho answers a refusal with status 200. */
function isRefusal(body: unknown): boolean {
  const { error, access_token: token } = (body ?? {}) as Record<string, unknown>;
  return typeof error === 'string' && token === undefined;
}

function refusal(where: string, status: number, body: unknown): AtsFailure {
  const { error } = (body ?? {}) as Record<string, unknown>;
  const code = typeof error === 'string' && error.length <= 60 && CODE.test(error) ? error : null;
  const message = `${where} refuses: ${code ?? `status ${status}`}.`;
  if (code !== null && ENDS.has(code)) return new AtsFailure('refused', 'grant_revoked', message);
  return new AtsFailure('away', code ?? `status_${status}`, message);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null; // A body without JSON has no token.
  }
}
