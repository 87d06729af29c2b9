import { Injectable } from '@nestjs/common';
import { Clock } from '../../base/clock.js';
import { Config } from '../../base/config/config.js';
import { Outbound, type OutboundAnswer } from '../../base/http/outbound.js';
import type { Attempt } from '../../delivery/outcome.js';
import { eventId } from '../../events/event-id.js';
import type { StoredEvent } from '../../events/event-reader.js';
import type { Endpoint } from '../endpoint.js';
import { messageOf } from '../message.js';
import { verdictOf, type Verdict } from '../verdict.rules.js';

/** What became of one request to an endpoint, and how it is kept. */
export interface Tried {
  verdict: Verdict;
  attempt: Attempt;
}

/** The bytes of an answer that are read; its status decides. */
const MOST_BYTES = 64 * 1024;

/** Sends an event to an endpoint: the one way for deliveries, tests and repetitions by hand. */
@Injectable()
export class EndpointSender {
  constructor(
    private readonly outbound: Outbound,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /**
   * Sends one signed request, and judges the answer. It does not throw for an answer, whatever it is.
   *
   * @param endpoint one whose secrets can be read
   */
  async send(endpoint: Endpoint, event: StoredEvent, timeoutMs: number): Promise<Tried> {
    const sentAt = this.clock.now();
    const id = eventId(event.sequence);
    const { origin, pathname, search } = new URL(endpoint.url);
    const { body, headers } = messageOf({ ...event, id }, endpoint, sentAt);
    const answer = await this.outbound.call(
      {
        method: 'POST',
        origin,
        path: pathname + search,
        owner: endpoint.tenantId,
        headers,
        body,
        timeoutMs,
        maxBytes: MOST_BYTES,
        statusDecides: true,
      },
      this.config.allowPrivateDestinations,
    );
    const verdict = verdictOf(answer, this.clock.now());
    return { verdict, attempt: attemptOf(answer, verdict, { id, sequence: event.sequence, path: pathname, sentAt }) };
  }
}

/** The query of an address can hold a credential, so it is not kept. */
function attemptOf(
  answer: OutboundAnswer,
  { reason, fault, answer: kept }: Verdict,
  { id, sequence, path, sentAt }: { id: string; sequence: string; path: string; sentAt: Date },
): Attempt {
  return {
    method: 'POST',
    path,
    status: answer.kind === 'answer' ? answer.status : null,
    outcome: reason,
    detail: null,
    answer: kept,
    ms: Math.round(answer.ms),
    sentAt,
    deliveryId: id,
    sequence: Number(sequence),
    address: answer.address,
    fault,
  };
}
