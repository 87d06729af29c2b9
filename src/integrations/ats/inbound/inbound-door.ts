import { Injectable } from '@nestjs/common';
import { Clock } from '../../../base/clock.js';
import { NotFound } from '../../../base/errors/domain-error.js';
import { proveCaller } from '../../../base/http/connection-bound.js';
import { TooManyRequests } from '../../../base/http/http.errors.js';
import { Buckets, FailedTries, limitRate, RATE_HEADERS, RateLimiter } from '../../../base/http/rate-limit.js';
import type { BridgeRequest, BridgeResponse } from '../../../base/http/request.js';
import { AtsConnectionStore, type AtsGate } from '../connections/ats-connections.store.js';
import type { Connector } from '../connectors/connector.js';
import { connectorOf } from '../providers/providers.js';
import { InboundRefused } from './inbound.errors.js';

/** Longer texts are no tokens, and are not hashed. */
const MAX_TOKEN = 512;

interface TokenBearer {
  readonly query: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/**
 * Returns the token of an inbound webhook: `api_token` of the query, which only these addresses read, `X-Api-Token`,
 * `Authorization: Bearer`, or the password of Basic, for ATSs that can send a header.
 *
 * @returns null where there is no token, or where two of them differ
 */
function inboundToken({ query, headers }: TokenBearer): string | null {
  const sent = [query['api_token'], headers['x-api-token'], authorizationToken(headers['authorization'])];
  const tokens = new Set(sent.filter((token) => token !== undefined && token !== null));
  const [token] = tokens;
  if (tokens.size !== 1) return null;
  return typeof token === 'string' && token !== '' && token.length <= MAX_TOKEN ? token : null;
}

function authorizationToken(header: string | string[] | undefined): string | null {
  if (typeof header !== 'string' || header.length > 2 * MAX_TOKEN) return null;
  const [scheme = '', value = ''] = header.split(' ', 2);
  if (scheme.toLowerCase() === 'bearer') return value;
  if (scheme.toLowerCase() !== 'basic') return null;
  const pair = Buffer.from(value, 'base64').toString('utf8');
  const colon = pair.indexOf(':');
  return colon < 0 ? null : pair.slice(colon + 1);
}

export interface Admitted {
  gate: AtsGate;
  connector: Connector;
  token: string;
}

/**
 * Bytes per second that the ATSs of a tenant may store, and those of a burst: about 20 GiB a day and process. Each
 * connection has its own allowance of requests, which the tenant's allowance does not include.
 */
const BYTES_PER_SECOND = 256 * 1024;
const BURST_BYTES = 16 * 1024 * 1024;

const PATH = /^\/api\/webhooks\/([^/]+)\/?$/;

/** Returns whether an address is that of inbound webhooks. */
export function isInboundPath(path: string): boolean {
  return PATH.test(path);
}

/** Lets inbound webhooks in before their body is read: first the provider, then the token. */
@Injectable()
export class InboundDoor {
  private readonly admitted = new WeakMap<object, Admitted>();
  private readonly bytes: Buckets;

  constructor(
    private readonly store: AtsConnectionStore,
    private readonly limiter: RateLimiter,
    private readonly tries: FailedTries,
    clock: Clock,
  ) {
    this.bytes = new Buckets(BYTES_PER_SECOND, BURST_BYTES, clock);
  }

  /**
   * Returns the tenant.
   *
   * @throws {NotFound} for an unknown provider
   * @throws {InboundRefused} when the token is missing or unknown, or when two tokens differ
   * @throws {TooManyRequests} when the connection sends too much, or its address has too many refusals
   */
  async admit(req: BridgeRequest, res: BridgeResponse): Promise<string> {
    const connector = connectorOf(decoded(PATH.exec(req.path)?.[1] ?? ''));
    if (connector === undefined) throw new NotFound('ATS');
    const token = inboundToken(req);
    const gate = token === null ? null : await this.store.gateOf(connector.provider, token);
    if (token === null || gate === null) throw this.refused(req, res, new InboundRefused('token'));
    const { tenantId, id } = gate.connection;
    req.tenantId = tenantId;
    req.credentialId = id;
    proveCaller(req);
    // The limit of the tenant's API is not touched: an ATS that sends much must not lock its customer out.
    limitRate(this.limiter, res, id, null);
    this.admitted.set(req, { gate, connector, token });
    return tenantId;
  }

  /** Counts a refusal as a wrong credential of its address. The error of the answer is the same for every refusal. */
  refused(req: BridgeRequest, res: BridgeResponse, refusal: InboundRefused): Error {
    for (const name of RATE_HEADERS) res.removeHeader(name);
    if (this.tries.take(req.ip ?? '', 'webhook')) return refusal;
    return new TooManyRequests('Too many wrong credentials of this kind came from this address.', 10);
  }

  /**
   * Returns the connection of an admitted request, and counts the bytes of the request.
   *
   * @throws {TooManyRequests} when the connections of the tenant together have sent too many bytes
   */
  enter(req: BridgeRequest): Admitted {
    const admitted = this.admitted.get(req);
    if (admitted === undefined) throw new Error('an inbound webhook passed no door');
    // A MiB costs as much as sixteen requests, and only its bytes show it.
    const { id, tenantId } = admitted.gate.connection;
    const sent = req.rawBody?.length ?? 0;
    this.limiter.chargeBytes(id, sent);
    if (this.limiter.enabled) {
      const { allowed, resetSeconds } = this.bytes.take(tenantId, sent);
      if (!allowed) throw new TooManyRequests('The ATS connections of this tenant send too many bytes.', resetSeconds);
    }
    return admitted;
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}
