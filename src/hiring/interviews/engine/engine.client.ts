import { Injectable } from '@nestjs/common';
import type { OutboundAnswer } from '../../../base/http/outbound.js';
import type { Destination } from '../../../engine/delivery/destination.js';
import { Connections } from '../../../forwarding/connections.js';
import { PlatformClient } from '../../../forwarding/platform-client/platform.client.js';
import { InstallationEngine } from '../installation-engine.js';
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
    private readonly installation: InstallationEngine,
  ) {}

  /**
   * Sends one request and returns the answer of any status.
   *
   * @param destination null: the engine of the installation
   */
  send(
    destination: Destination | null,
    { method, path, body, idempotencyKey }: EngineRequest,
    timeoutMs: number,
  ): Promise<OutboundAnswer> {
    const connection = this.installation.connectionFor(destination) ?? this.connections.of(destination!);
    return this.client.send(connection, {
      method,
      path,
      ...(body === undefined ? {} : { body }),
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
      timeoutMs,
      maxBytes: MOST_BYTES,
    });
  }
}
