import type { LeasedLane } from '../call.js';
import type { Destination } from '../destinations/destination.js';
import type { DestinationWatch } from './destination-watch.js';
import { probePause } from '../destinations/destination.rules.js';
import type { Outcome } from '../outcome.js';
import { leaseMs, type PumpParts } from './pump-parts.js';
import { showsOf } from '../lanes/settlement.rules.js';

/**
 * Asks a destination that is away whether it is back: with one real call, and one only over all processes. In: how
 * to send a lane, which answers once its outcome is written down. Out: whether there is more to do at once.
 */
export async function probe(
  destination: Destination,
  watch: DestinationWatch,
  parts: PumpParts,
  send: (lane: LeasedLane) => Promise<Outcome>,
): Promise<boolean> {
  const { states, lanes, options, logger } = parts;
  if (destination.probeAt !== null && destination.probeAt > performance.now() + 50) return false;
  const turn = await states.mayProbe(destination, leaseMs(destination, parts));
  watch.forget();
  if (turn === null) return false;
  const claim = { limit: 1, leaseMs: leaseMs(destination, parts), mode: 'probe' as const };
  // Somebody who has not failed yet, so that one bad record cannot make a good platform look dead.
  let [lane] = await lanes.claim(destination, claim);
  if (lane === undefined) [lane] = await lanes.claim(destination, { ...claim, early: true });
  if (lane === undefined) {
    await states.probeAgain(destination, options.probe.firstMs, false, null);
    return false;
  }
  const outcome = await send(lane);
  watch.forget();
  if (outcome.kind === 'unavailable') {
    const { retryAfterMs, reason } = outcome;
    const pause = probePause(turn.probes + 1, watch.peopleFailed, retryAfterMs, options.probe, Math.random());
    await states.probeAgain(destination, pause, true, reason);
    return false;
  }
  if (showsOf(outcome) === 'alive') {
    watch.returned();
    if (await states.close(destination)) {
      await lanes.forgetPauses(destination.tenantId);
      logger.info('destination.back', { tenant_id: destination.tenantId, probes: turn.probes });
    }
    return true;
  }
  // The lane had nothing to say, or the answer was a step on the way: the next one is the probe.
  await states.probeAgain(destination, 0, false, null);
  return outcome.kind !== 'stopped';
}
