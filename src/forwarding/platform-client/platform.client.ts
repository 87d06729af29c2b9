import { hash, randomFillSync } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { urlOf } from '../../base/url.js';
import { Outbound, type OutboundAnswer, type OutboundRequest } from '../../base/http/outbound.js';
import type { PlatformConnection, PlatformRequest } from './platform.types.js';

/** An address has at most 2 000 characters. */
const MOST_BASES = 1_000;

/** A client of the hiring platform's users API. Returns every answer, and throws for none. */
@Injectable()
export class PlatformClient {
  constructor(private readonly outbound: Outbound) {}

  private readonly bases = new Map<string, { origin: string; prefix: string } | null>();

  /** Sends one request. A connection with an invalid address returns `blocked`. */
  send(connection: PlatformConnection, request: PlatformRequest): Promise<OutboundAnswer> {
    const base = this.baseOf(connection.baseUrl);
    if (base === null) {
      return Promise.resolve({
        kind: 'failed',
        reason: 'blocked',
        detail: 'the address cannot be read',
        ms: 0,
        address: null,
      });
    }
    const { method, path, query, body, timeoutMs, maxBytes, keptHeaders } = request;
    const search = query === undefined ? '' : `?${new URLSearchParams(query).toString()}`;
    const headers = headersOf(connection, request);
    const { owner } = connection;
    const call: OutboundRequest = {
      method,
      origin: base.origin,
      path: base.prefix + path + search,
      owner,
      headers,
      timeoutMs,
    };
    if (body !== undefined) call.body = body;
    if (maxBytes !== undefined) call.maxBytes = maxBytes;
    if (keptHeaders !== undefined) call.keptHeaders = keptHeaders;
    return this.outbound.call(call, connection.trusted);
  }

  /** Cached: there are few addresses and many calls. */
  private baseOf(baseUrl: string): { origin: string; prefix: string } | null {
    let base = this.bases.get(baseUrl);
    if (base === undefined) {
      const url = urlOf(baseUrl);
      base = url === null ? null : { origin: url.origin, prefix: url.pathname.replace(/\/$/, '') };
      if (this.bases.size >= MOST_BASES) this.bases.clear();
      this.bases.set(baseUrl, base);
    }
    return base;
  }
}

function headersOf({ key }: PlatformConnection, request: PlatformRequest): Record<string, string> {
  const headers: Record<string, string> = {
    accept: 'application/json',
    'user-agent': 'talent-bridge',
    traceparent: traceparent(request.idempotencyKey),
  };
  if (key !== null) headers['authorization'] = `Bearer ${key}`;
  if (request.idempotencyKey !== undefined) headers['idempotency-key'] = request.idempotencyKey;
  if (request.body !== undefined) headers['content-type'] = 'application/json';
  return headers;
}

/** Returns a W3C Trace Context: one trace over all repetitions of a call, one span for each. */
function traceparent(key: string | undefined): string {
  const trace = key === undefined ? randomHex() + randomHex() : hash('sha256', key, 'hex').slice(0, 32);
  return `00-${trace}-${randomHex()}-01`;
}

// Eight random bytes cost as much as many.
const POOL = Buffer.allocUnsafe(4096);
let used = POOL.length;

function randomHex(): string {
  if (used === POOL.length) {
    randomFillSync(POOL);
    used = 0;
  }
  used += 8;
  return POOL.toString('hex', used - 8, used);
}
