import { Injectable } from '@nestjs/common';
import { Clock } from '../../base/clock.js';
import type { OutboundAnswer } from '../../base/http/outbound.js';
import type { Attempt } from '../../engine/delivery/outcome.js';
import { eventId } from '../../engine/events/event-recorder.js';
import type { StoredEvent } from '../../engine/events/event-reader.js';
import type { Endpoint } from './endpoint.js';
import { EndpointClient } from './endpoint.client.js';
import { withoutHeaders } from './headers.rules.js';
import { messageOf } from './message.js';
import { endpointVerdictOf, type EndpointVerdict } from './verdict.rules.js';

/** What became of one request to an endpoint, and how it is kept. */
export interface Tried {
  verdict: EndpointVerdict;
  attempt: Attempt;
}

/** An event that is sent; a test has an id of its own, and no place in the order. */
export type SentEvent = StoredEvent & { id?: string };

/** Sends an event to an endpoint: the one way for deliveries, tests and repetitions by hand. */
@Injectable()
export class EndpointSender {
  constructor(
    private readonly client: EndpointClient,
    private readonly clock: Clock,
  ) {}

  /**
   * Sends one signed request, and judges the answer. It throws for no answer.
   *
   * @param endpoint one whose secrets can be read
   */
  async send(endpoint: Endpoint, event: SentEvent, timeoutMs: number): Promise<Tried> {
    const sentAt = this.clock.now();
    const id = event.id ?? eventId(event.sequence);
    const message = messageOf({ ...event, id }, endpoint, sentAt);
    const answer = await this.client.send(endpoint, message, timeoutMs);
    const judged = endpointVerdictOf(answer, this.clock.now());
    // A receiver that shows what it was sent would put the endpoint's own credentials into the attempts.
    const verdict = { ...judged, answer: withoutHeaders(judged.answer, endpoint.headers) };
    const path = new URL(endpoint.url).pathname;
    return { verdict, attempt: attemptOf(answer, verdict, { id, sequence: event.sequence, path, sentAt }) };
  }
}

/** The query of an address can hold a credential, so it is not kept. */
function attemptOf(
  answer: OutboundAnswer,
  { reason, fault, answer: kept }: EndpointVerdict,
  { id, sequence, path, sentAt }: { id: string; sequence: string; path: string; sentAt: Date },
): Attempt {
  return {
    method: 'POST',
    path,
    status: answer.kind === 'answer' ? answer.status : null,
    outcome: reason,
    detail: answer.kind === 'failed' ? answer.detail : null,
    answer: kept,
    ms: Math.round(answer.ms),
    sentAt,
    deliveryId: id,
    sequence: Number(sequence),
    address: answer.address,
    fault,
  };
}
