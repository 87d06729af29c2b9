import { Injectable } from '@nestjs/common';
import { Outbound, type OutboundAnswer } from '../../base/http/outbound.js';
import type { Endpoint } from './endpoint.js';
import type { Message } from './message.js';
import { WebhookAddresses } from './webhook-addresses.js';

/** One clock over connecting, TLS, headers and body. */
export const TIMEOUT_MS = 15_000;
const MOST_BYTES = 64 * 1024;

/** Sends messages to endpoints. Every request to one goes through here, so the rule of addresses has no second path. */
@Injectable()
export class EndpointClient {
  constructor(
    private readonly outbound: Outbound,
    private readonly addresses: WebhookAddresses,
  ) {}

  /** Sends one message and returns the answer of any status. An address that is not admitted returns `blocked`. */
  async send(
    { tenantId, url: text }: Pick<Endpoint, 'tenantId' | 'url'>,
    { body, headers }: Message,
    timeoutMs = TIMEOUT_MS,
  ): Promise<OutboundAnswer> {
    const problem = await this.addresses.problemOf(text);
    if (problem !== null) return { kind: 'failed', reason: 'blocked', detail: problem, ms: 0, address: null };
    const url = new URL(text);
    return this.outbound.call(
      {
        method: 'POST',
        origin: url.origin,
        path: url.pathname + url.search,
        owner: tenantId,
        headers,
        body,
        timeoutMs,
        maxBytes: MOST_BYTES,
        statusDecides: true,
        notesAddress: true,
      },
      this.addresses.anyPrivate,
    );
  }
}
