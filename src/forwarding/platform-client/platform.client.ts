import { hash, randomFillSync } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Outbound, type OutboundAnswer, type OutboundRequest } from '../../base/http/outbound.js';
import { urlOf } from '../../base/url.js';

/** The address and the credential of a tenant's platform. */
export interface PlatformConnection {
  baseUrl: string;
  key: string | null;
  paths: { users: string; resolve: string };
  /** The tenant that configured the address; null when the operator did. */
  owner: string | null;
  /** The operator chose the address, or allows private ones: it may be private, and plain http. */
  trusted: boolean;
}

/** One request to the users API. The body is text, because a repetition must have the same bytes. */
export interface PlatformRequest {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below the base address, without a query. */
  path: string;
  query?: Record<string, string>;
  body?: string;
  idempotencyKey?: string;
  timeoutMs: number;
  maxBytes?: number;
  keptHeaders?: readonly string[];
}

/** A user as the platform returns it. Every field can be missing, since it comes from another system. */
export interface PlatformUser {
  id: string;
  email: string | null;
  first_name: string | null;
  last_name: string | null;
  role: string | null;
  external_id: string | null;
  status: string | null;
}

/** An address has at most 2 000 characters. */
const MOST_BASES = 1_000;

/** A client of the hiring platform's users API. Returns every answer, and throws for none. */
@Injectable()
export class PlatformClient {
  constructor(private readonly outbound: Outbound) {}

  private readonly bases = new Map<string, { origin: string; prefix: string } | null>();

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
