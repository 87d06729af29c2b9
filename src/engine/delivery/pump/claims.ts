import type { Channel } from '../channel.js';
import type { Destination } from '../destination.js';
import type { FailureRules } from '../failure.rules.js';
import type { LeasedLane } from '../lane-state.js';
import { claim } from '../lanes/claim.js';
import { AsideTurns } from './aside-turns.js';
import { leaseMs, type PumpParts } from './pump-parts.js';

/** The claims of one destination: how often, how many, and when those that stand aside are looked for. */
export class DestinationClaims {
  /** When the lanes that stand aside are looked for. */
  readonly aside = new AsideTurns();
  private claimedAt = -Infinity;

  constructor(
    private readonly channel: Channel,
    private readonly rules: FailureRules,
    private readonly parts: PumpParts,
  ) {}

  /** Waits a moment, so that what arrives meanwhile is claimed together. Returns how many lanes to claim. */
  async pace(room: number): Promise<number> {
    const { activity, options } = this.parts;
    const pause = activity.isBusy() ? options.courtesy.pauseMs : options.claimPauseMs;
    const rest = pause - (performance.now() - this.claimedAt);
    if (rest > 0) await new Promise((resolve) => setTimeout(resolve, rest));
    return activity.isBusy() ? Math.min(room, options.courtesy.lanes) : room;
  }

  /** Leases lanes, with what their calls need. */
  async take(destination: Destination, limit: number): Promise<LeasedLane[]> {
    const inLineOnly = this.rules.waitsAside && !this.aside.isTime(performance.now());
    const lanes = await this.parts.claims.run(async () => {
      this.claimedAt = performance.now();
      const policy = this.channel.policyOf(destination);
      const options = { limit, leaseMs: leaseMs(destination, this.parts), mode: 'normal' as const, policy, inLineOnly };
      const found = await claim(this.parts.db, destination, options);
      if (found.length > 0) await this.channel.prepare(found, destination);
      return found;
    });
    if (!inLineOnly) this.aside.looked(performance.now(), lanes.length === limit || lanes.some(hasFailed));
    return lanes;
  }
}

function hasFailed({ failureCount }: LeasedLane): boolean {
  return failureCount > 0;
}
