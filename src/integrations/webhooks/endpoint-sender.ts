import { isIP } from 'node:net';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../base/clock.js';
import { Config } from '../../base/config/config.js';
import {
  DestinationNetworks,
  bare,
  isPublicAddress,
  PRIVATE_HINT,
  refusalOfUrl,
  type Admission,
} from '../../base/http/destination-networks.js';
import { Outbound, type OutboundAnswer } from '../../base/http/outbound.js';
import type { Attempt } from '../../engine/delivery/outcome.js';
import type { StoredEvent } from '../../engine/events/event-reader.js';
import { eventId } from '../../engine/events/event-recorder.js';
import { TenantAddresses } from '../../tenancy/tenants/tenant-addresses.js';
import type { Endpoint } from './endpoint.store.js';
import { endpointVerdictOf, type EndpointVerdict } from './endpoint.rules.js';
import { withoutHeaders } from './headers.rules.js';
import { type Message, messageOf } from './signed-message.js';

const UNREACHABLE = 'cannot be reached: its name cannot be looked up';

/** Many services share a private host or `localhost`: there the port tells them apart. */
function isPublicHost(hostname: string): boolean {
  const host = bare(hostname);
  return isIP(host) === 0 ? host.includes('.') && !host.endsWith('.localhost') : isPublicAddress(host);
}

function portOf({ port, protocol }: URL): string {
  if (port !== '') return port;
  return protocol === 'https:' ? '443' : '80';
}

/** One clock over connecting, TLS, headers and body. */
export const TIMEOUT_MS = 15_000;
const MOST_BYTES = 64 * 1024;

export interface Tried {
  verdict: EndpointVerdict;
  attempt: Attempt;
}

/** An event for sending; a test has an id of its own, and no place in the order. */
export type SentEvent = StoredEvent & { id?: string };

/**
 * Sends messages to endpoints: deliveries, tests and repetitions by hand. Every request and every check of an address
 * goes through here, at save, change, test and delivery, so the rule of addresses has no second path.
 */
@Injectable()
export class EndpointSender {
  private readonly admission: Admission;
  private readonly own: readonly URL[];

  constructor(
    private readonly clock: Clock,
    private readonly outbound: Outbound,
    config: Config,
    private readonly tenants: TenantAddresses,
  ) {
    this.admission = {
      anyPrivate: config.allowPrivateDestinations,
      networks: new DestinationNetworks(config.destinationNetworks),
    };
    this.own = [config.baseUrl, config.apiBaseUrl, config.appUrl].map((text) => new URL(text));
  }

  /** Sends one signed request, and judges the answer. The secrets of the endpoint have to be readable. */
  async send(endpoint: Endpoint, event: SentEvent, timeoutMs: number): Promise<Tried> {
    const sentAt = this.clock.now();
    const id = event.id ?? eventId(event.sequence);
    const message = messageOf({ ...event, id }, endpoint, sentAt);
    const answer = await this.post(endpoint, message, timeoutMs);
    const judged = endpointVerdictOf(answer, this.clock.now());
    // A receiver that echoes its request would put the endpoint's own credentials into the attempts.
    const verdict = { ...judged, answer: withoutHeaders(judged.answer, endpoint.headers) };
    const path = new URL(endpoint.url).pathname;
    return { verdict, attempt: attemptOf(answer, verdict, { id, sequence: event.sequence, path, sentAt }) };
  }

  /** Sends one message and returns the answer of any status. A refused address returns `blocked`. */
  private async post(
    { tenantId, url: text }: Pick<Endpoint, 'tenantId' | 'url'>,
    { body, headers }: Message,
    timeoutMs = TIMEOUT_MS,
  ): Promise<OutboundAnswer> {
    const problem = await this.problemOf(text);
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
      this.admission.anyPrivate,
    );
  }

  /** Returns why the text of an address is refused, or null. `Outbound` checks the IP address of each connection. */
  private async problemOf(text: string): Promise<string | null> {
    const refusal = refusalOfUrl(text, 'webhook', this.admission);
    if (refusal !== null) return refusal;
    const url = new URL(text);
    if (url.hash !== '') return 'must not have a fragment';
    if (url.hostname.endsWith('.')) return 'must not end its host name with a dot';
    return (await this.isOurs(url)) ? 'must not be an address of this service' : null;
  }

  /** Checks also every IP address that the name has now. */
  async problemOfName(text: string, tenantId: string): Promise<string | null> {
    const problem = await this.problemOf(text);
    if (problem !== null) return problem;
    const refusal = await this.outbound.refusalOf(new URL(text), tenantId, this.admission.anyPrivate);
    if (refusal === null) return null;
    return refusal === 'unknown_name' ? UNREACHABLE : `must lead to public addresses alone (${PRIVATE_HINT})`;
  }

  private async isOurs(url: URL): Promise<boolean> {
    const ours = this.own.some(
      (own) => own.hostname === url.hostname && (isPublicHost(own.hostname) || portOf(own) === portOf(url)),
    );
    return ours || (await this.tenants.has(url.host));
  }
}

/** The query of an address can hold a credential, so it is not stored. */
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
