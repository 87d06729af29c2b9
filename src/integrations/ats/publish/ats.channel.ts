import { Injectable } from '@nestjs/common';
import { Clock } from '../../../base/clock.js';
import { Channel } from '../../../engine/delivery/channel.js';
import type { DeliveryOptions } from '../../../engine/delivery/delivery.options.js';
import type { FailureRules } from '../../../engine/delivery/retry.rules.js';
import type { Destination } from '../../../engine/delivery/destination.js';
import type { LeasedLane, Policy } from '../../../engine/delivery/lane-state.js';
import type { Attempt, Outcome, Sent } from '../../../engine/delivery/outcome.js';
import { AtsConnectionStore } from '../connections/ats-connections.store.js';
import { AtsWritesRepository } from './ats-writes.repository.js';
import { ATS, type AtsWriteRow } from './write.js';
import { WriteSender, type AtsWriteResult } from './write-sender.js';

/**
 * The channel to ATSs. A lane is a candidate, whose writes follow each other; the oldest waiting one is sent. An ATS
 * that is away, or has withdrawn the access, is asked again without end, one write at a time.
 */
@Injectable()
export class AtsChannel extends Channel {
  readonly name = ATS;
  readonly folds = false;
  override readonly needsKey = false;

  constructor(
    private readonly connections: AtsConnectionStore,
    private readonly writes: AtsWritesRepository,
    private readonly sender: WriteSender,
    private readonly clock: Clock,
  ) {
    super();
  }

  /** After `Retry-After` the pace of the connection holds all its calls. A full own limit asks for pauses as well. */
  override rulesOf(options: DeliveryOptions): FailureRules {
    return { ...super.rulesOf(options), retryAfterHolds: false };
  }

  policyOf(): Policy {
    return { active: 'write', inactive: 'write', deleted: 'write' };
  }

  async send(lane: LeasedLane, { tenantId, id, lastSuccessAt }: Destination): Promise<Sent> {
    const write = await this.writes.next(tenantId, id, lane.subject);
    // The connection may have been made a moment before this process knows of it.
    const connection = (await this.connections.get(tenantId, id)) ?? (await this.connections.fresh(tenantId, id));
    if (write === undefined || connection === undefined) return { outcome: { kind: 'nothing' }, attempts: [] };
    const sentAt = this.clock.now();
    const began = performance.now();
    const result = await this.sender.send(connection, write, { failures: lane.failureCount, lastSuccessAt });
    const took = { sentAt, ms: Math.round(performance.now() - began) };
    return { outcome: outcomeOf(result, write), attempts: [attemptOf(result, write, took)] };
  }
}

/** A refused write ends, and the next one of the candidate follows. */
function outcomeOf(result: AtsWriteResult, { sequence }: AtsWriteRow): Outcome {
  const through = Number(sequence);
  if (result.kind === 'ended') return { kind: 'delivered', through };
  const { reason, retryAfterMs, ours = false } = result;
  return { kind: 'unavailable', reason, ownFault: false, retryAfterMs, notTheirs: ours, through };
}

function attemptOf(
  result: AtsWriteResult,
  { id, sequence, kind, action }: AtsWriteRow,
  { sentAt, ms }: { sentAt: Date; ms: number },
): Attempt {
  const { outcome, detail } =
    result.kind === 'wait'
      ? { outcome: result.reason, detail: result.detail }
      : { outcome: result.end.state === 'written' ? 'delivered' : result.end.state, detail: result.end.detail ?? null };
  return {
    method: action === 'put' ? 'POST' : 'DELETE',
    path: `/${kind}`,
    status: null,
    outcome,
    detail,
    answer: null,
    ms,
    sentAt,
    deliveryId: id,
    sequence: Number(sequence),
  };
}
