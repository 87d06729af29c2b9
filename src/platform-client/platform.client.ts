import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Outbound, type OutboundAnswer } from '../base/http/outbound.js';
import type { PlatformConnection, PlatformRequest } from './platform.types.js';

/** The hiring platform's users API. Returns what came back, whatever it is; never throws for an answer. */
@Injectable()
export class PlatformClient {
  constructor(private readonly outbound: Outbound) {}

  /** Sends one request. A connection whose address cannot be read answers as blocked. */
  send(connection: PlatformConnection, request: PlatformRequest): Promise<OutboundAnswer> {
    const url = addressOf(connection, request);
    if (url === null) {
      return Promise.resolve({ kind: 'failed', reason: 'blocked', detail: 'the address cannot be read', ms: 0 });
    }
    return this.outbound.call(
      {
        method: request.method,
        url,
        headers: headersOf(connection, request),
        ...(request.body === undefined ? {} : { body: request.body }),
        timeoutMs: request.timeoutMs,
        ...(request.maxBytes === undefined ? {} : { maxBytes: request.maxBytes }),
      },
      connection.trusted,
    );
  }
}

function addressOf({ baseUrl }: PlatformConnection, { path, query }: PlatformRequest): URL | null {
  const search = query === undefined ? '' : `?${new URLSearchParams(query).toString()}`;
  const text = baseUrl + path + search;
  return URL.canParse(text) ? new URL(text) : null;
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

/** W3C Trace Context: one trace over all repetitions of a call, one span for each. */
function traceparent(key: string | undefined): string {
  const trace = key === undefined ? randomBytes(16) : createHash('sha256').update(key).digest().subarray(0, 16);
  return `00-${trace.toString('hex')}-${randomBytes(8).toString('hex')}-01`;
}
