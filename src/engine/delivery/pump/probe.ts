import type { Channel } from '../channel.js';
import type { Destination } from '../destination.js';
import { probePause } from '../destination.rules.js';
import type { FailureRules } from '../failure.rules.js';
import type { LeasedLane } from '../lane-state.js';
import { claim } from '../lanes/claim.js';
import { endPauses } from '../lanes/return.js';
import { showsOf } from '../lanes/settlement.rules.js';
import type { Outcome } from '../outcome.js';
import type { DestinationWatch } from './destination-watch.js';
import { leaseMs, type PumpParts } from './pump-parts.js';

/** What a probe needs. */
interface ProbeParts extends PumpParts {
  rules: FailureRules;
}

/**
 * Asks a destination that is away whether it is back: with one real call at a time over all processes.
 *
 * @param send sends a lane, and answers once its outcome is written
 * @returns whether there is more to do at once
 */
export async function probe(
  destination: Destination,
  channel: Channel,
  watch: DestinationWatch,
  parts: ProbeParts,
  send: (lane: LeasedLane) => Promise<Outcome>,
): Promise<boolean> {
  const { db, states, rules, logger } = parts;
  if (destination.probeAt !== null && destination.probeAt > performance.now() + 50) return false;
  const turn = await states.mayProbe(destination, leaseMs(destination, parts));
  watch.forget();
  if (turn === null) return false;
  const lane = await laneToProbeWith(destination, channel, parts);
  if (lane === undefined) {
    await states.probeAgain(destination, rules.probe.firstMs, false, null);
    return false;
  }
  const outcome = await send(lane);
  watch.forget();
  if (outcome.kind === 'unavailable') {
    const { retryAfterMs, reason } = outcome;
    const pause = probePause(turn.probes + 1, watch.subjectsFailed, retryAfterMs, rules.probe, Math.random());
    await states.probeAgain(destination, pause, true, reason);
    return false;
  }
  if (showsOf(outcome) === 'alive') {
    watch.returned();
    // Before the first claim: it would pass over lanes that are locked, and leavers may be among them.
    await endPauses(db, destination);
    if (await states.close(destination, turn.probes)) {
      logger.info('destination.back', { tenant_id: destination.tenantId, channel: channel.name, probes: turn.probes });
    }
    return true;
  }
  // The lane had nothing to send, or the answer was a step on the way: the next step is the probe.
  await states.probeAgain(destination, 0, false, null);
  return outcome.kind !== 'stopped';
}

/** Prefers a lane that has not failed yet: one bad record must not make a good destination look away. */
async function laneToProbeWith(
  destination: Destination,
  channel: Channel,
  parts: ProbeParts,
): Promise<LeasedLane | undefined> {
  const policy = channel.policyOf(destination);
  const options = { limit: 1, leaseMs: leaseMs(destination, parts), mode: 'probe' as const, policy };
  const [lane] = await claim(parts.db, destination, options);
  if (lane !== undefined || !parts.rules.probesEarly) return lane;
  return (await claim(parts.db, destination, { ...options, early: true }))[0];
}
