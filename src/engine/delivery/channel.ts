import { Injectable } from '@nestjs/common';
import type { DeliveryOptions } from './delivery.options.js';
import type { Destination } from './destination.js';
import { steadyRules, type FailureRules } from './retry.rules.js';
import type { LeasedLane, Policy } from './lane-state.js';
import type { Sent } from './outcome.js';

/**
 * A kind of destination that changes are delivered to. The engine brings leases, order, retries, health, pace, fairness,
 * attempts and metrics. A channel brings its rows (it calls `enqueue` beside the fact that it reports), its request, and its
 * judgement of the answer.
 *
 * A lane is delivered in order. A channel that folds has one lane for each of its subjects: a newer change replaces a waiting
 * one. A channel that keeps every message makes each message a subject of its own: the lane is removed once the message is
 * delivered.
 */
export abstract class Channel {
  abstract readonly name: string;
  /** Whether newer changes of a subject replace waiting ones; else each message is a subject of its own. */
  abstract readonly folds: boolean;

  /** Whether nothing can be sent without the key of the destination. */
  readonly needsKey: boolean = true;

  canSend({ key }: Destination): boolean {
    return key !== null || !this.needsKey;
  }

  rulesOf(options: DeliveryOptions): FailureRules {
    return steadyRules(options);
  }

  /** Reads the bodies for the calls of claimed lanes, for all of them at once. */
  prepare(_lanes: readonly LeasedLane[], _destination: Destination): Promise<void> {
    return Promise.resolve();
  }

  /** Returns the action in each state, which the claim freezes in the call. */
  abstract policyOf(destination: Destination): Policy;

  /** Makes the request of a call and judges the answer. Does not throw for any answer. */
  abstract send(lane: LeasedLane, destination: Destination, timeoutMs: number): Promise<Sent>;
}

/** The channels of this process: a room that brings one adds it when its module is made. */
@Injectable()
export class Channels {
  private readonly byName = new Map<string, Channel>();

  add(channel: Channel): void {
    if (this.byName.has(channel.name)) throw new Error(`there are two channels named ${channel.name}`);
    this.byName.set(channel.name, channel);
  }

  get(name: string): Channel | undefined {
    return this.byName.get(name);
  }
}
