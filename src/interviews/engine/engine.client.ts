import { Injectable } from '@nestjs/common';
import type { OutboundAnswer } from '../../base/http/outbound.js';
import type { Destination } from '../../delivery/destinations/destination.js';
import { Connections } from '../../forwarding/platform/connections.js';
import { PlatformClient } from '../../platform-client/platform.client.js';
import type { EngineCall } from './engine-call.rules.js';

const MOST_BYTES = 64 * 1024;

/** A call, or a question about an interview. */
type EngineRequest = Pick<EngineCall, 'method' | 'path' | 'body' | 'idempotencyKey'> | EngineQuestion;

interface EngineQuestion {
  method: 'GET';
  path: string;
  body?: undefined;
  idempotencyKey?: undefined;
}

/** Calls the interview engine of a tenant, by the rules of addresses that hold for its platform. */
@Injectable()
export class EngineClient {
  constructor(
    private readonly client: PlatformClient,
    private readonly connections: Connections,
  ) {}

  /** Sends one request and returns the answer of any status. */
  send(
    destination: Destination,
    { method, path, body, idempotencyKey }: EngineRequest,
    timeoutMs: number,
  ): Promise<OutboundAnswer> {
    return this.client.send(this.connections.of(destination), {
      method,
      path,
      ...(body === undefined ? {} : { body }),
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
      timeoutMs,
      maxBytes: MOST_BYTES,
    });
  }
}
