import type { Outbound } from '../../../../../src/base/http/outbound.js';
import { Channel } from '../../../../../src/engine/delivery/channel.js';
import type { Destination } from '../../../../../src/engine/delivery/destination.js';
import type { LeasedLane, Policy } from '../../../../../src/engine/delivery/lane-state.js';
import { deliveryId, type Outcome, type Sent } from '../../../../../src/engine/delivery/outcome.js';
import { judge } from '../../../../../src/engine/delivery/retry.rules.js';

/** Posts each message to a receiver: every message is kept, nothing is folded, and there is no order. */
export class ReceiverChannel extends Channel {
  readonly name = 'receiver';
  readonly folds = false;

  constructor(private readonly outbound: Outbound) {
    super();
  }

  policyOf(): Policy {
    return { active: 'post', inactive: 'post', deleted: 'post' };
  }

  async send({ subject, call }: LeasedLane, destination: Destination, timeoutMs: number): Promise<Sent> {
    const { origin, pathname: path } = new URL(`${destination.baseUrl}/messages`);
    const headers = { 'content-type': 'application/json', 'idempotency-key': deliveryId(subject, call) };
    const sentAt = new Date();
    const request = { method: 'POST', origin, path, owner: null, headers, body: call.person, timeoutMs } as const;
    const answer = await this.outbound.call(request, true);
    const verdict = judge(answer, new Date());
    const outcome: Outcome =
      verdict.kind === 'ok'
        ? { kind: 'delivered' }
        : verdict.kind === 'unavailable'
          ? { ...verdict }
          : { kind: 'refused', status: verdict.status ?? 0, detail: verdict.words };
    const told = { status: verdict.status, outcome: outcome.kind, detail: null, answer: null };
    return { outcome, attempts: [{ method: 'POST', path, ...told, ms: Math.round(answer.ms), sentAt }] };
  }
}
