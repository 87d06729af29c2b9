import { Injectable } from '@nestjs/common';
import { Clock } from '../../../base/clock.js';
import { Config } from '../../../base/config/config.js';
import { Outbound } from '../../../base/http/outbound.js';
import { retryAfterOf } from '../api/ats-answer.rules.js';
import { AtsFailure } from '../api/ats-api.js';
import type { Connector, Region } from '../connectors/connector.js';
import type { Credential } from '../api/credential.js';
import type { OAuthClient } from './oauth-clients.js';
import { grantOf, type Grant } from './token-answer.mapping.js';

const TIMEOUT_MS = 15_000;
const MOST_BYTES = 64 * 1024;

/** One request to a token address. */
interface TokenRequest {
  tenantId: string;
  connector: Connector;
  region: Region;
  client: OAuthClient;
  fields: Readonly<Record<string, string>>;
}

/** Asks token addresses of vendors for grants (RFC 6749 §4.1.3, §4.4, §6), and revokes them (RFC 7009). */
@Injectable()
export class TokenClient {
  constructor(
    private readonly outbound: Outbound,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /** Exchanges the code of an authorization. @throws {AtsFailure} */
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
}

/** The codes with which a grant ends (RFC 6749 §5.2). Other refusals are those of our client: the operator can end them. */
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
    return null; // No JSON is no token.
  }
}
