import { Injectable } from '@nestjs/common';
import { Clock } from '../base/clock.js';
import { Channel } from '../engine/delivery/channel.js';
import type { Destination } from '../engine/delivery/destination.js';
import type { LeasedLane, Policy } from '../engine/delivery/lane-state.js';
import { deliveryId, type Sent } from '../engine/delivery/outcome.js';
import { judge } from '../engine/delivery/retry.rules.js';
import { AccountFinder, attemptOf, nothingSaid } from './account-finder.js';
import { callStepOf, type Write, outcomeOf } from './call.rules.js';
import { Connections, PLATFORM } from './connections.js';
import { PlatformClient, type PlatformRequest } from './platform-client/platform.client.js';

/** The channel to the platform's users API. A lane is a user: newer changes replace waiting ones. */
@Injectable()
export class PlatformChannel extends Channel {
  readonly name = PLATFORM;
  readonly folds = true;

  constructor(
    private readonly client: PlatformClient,
    private readonly finder: AccountFinder,
    private readonly connections: Connections,
    private readonly clock: Clock,
  ) {
    super();
  }

  policyOf({ settings }: Destination): Policy {
    return { active: 'inactive', inactive: settings.on_deactivate, deleted: settings.on_delete };
  }

  async send(lane: LeasedLane, destination: Destination, timeoutMs: number): Promise<Sent> {
    const step = callStepOf(lane.call);
    if (step.kind === 'nothing') return { outcome: { kind: 'nothing' }, attempts: [nothingSaid(this.clock.now())] };
    if (step.kind === 'look') return this.finder.find(lane, destination, timeoutMs);
    const othersAccount = await this.finder.verify(lane, destination);
    if (othersAccount !== null) return { outcome: othersAccount, attempts: [] };
    const request = requestOf(step, lane, destination, timeoutMs);
    const sentAt = this.clock.now();
    const answer = await this.client.send(this.connections.of(destination), request);
    const verdict = judge(answer, this.clock.now());
    const outcome = outcomeOf(step, lane.call, verdict);
    return { outcome, attempts: [attemptOf(request, verdict, outcome, answer.ms, sentAt)] };
  }
}

/** A pure function of the call, except for the paths, which belong to the address. */
function requestOf(step: Write, lane: LeasedLane, { settings }: Destination, timeoutMs: number): PlatformRequest {
  const { users } = settings.paths;
  const idempotencyKey = deliveryId(lane.subject, lane.call);
  if (step.kind === 'create') return { method: 'POST', path: users, body: step.body, idempotencyKey, timeoutMs };
  const path = `${users}/${encodeURIComponent(step.id)}`;
  if (step.kind === 'delete') return { method: 'DELETE', path, idempotencyKey, timeoutMs };
  return { method: 'PATCH', path, body: step.body, idempotencyKey, timeoutMs };
}
