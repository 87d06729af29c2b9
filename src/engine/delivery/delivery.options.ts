import { PROBE_TIMES, type ProbeTimes } from './destination.rules.js';

/** The pace of the delivery; tests run it faster. */
export class DeliveryOptions {
  /** How often a worker looks for calls that are to be repeated, and for work that it was not told of. */
  pollMs = 200;
  /** The same while nothing happens; other processes tell of what they commit. */
  quietPollMs = 1_000;
  /** The pause between two claims of one destination, so that what arrives meanwhile is claimed together. */
  claimPauseMs = 4;
  /** Outcomes that arrive within this time are settled together: 128 at once cost PostgreSQL an eighth less than 48. */
  gatherMs = 8;
  /** While this process is busy with requests it sends this number of lanes in this time, leavers first. */
  courtesy = { lanes: 12, pauseMs: 100 };
  /** How much longer a lease holds than the deadline of its call. */
  leaseMarginMs = 5_000;
  /** A leased lane that was not begun within this time is handed back. */
  queueMs = 2_000;
  /** The number of lanes that go out in this time is kept ready. */
  aheadMs = 60;
  /** Pauses of one lane after its own failures. */
  backoff = { firstMs: 1_000, maxMs: 60_000 };
  /** The number of own failures that parks a lane. */
  ownFailureLimit = 8;
  /** How often it is written that a destination took something; a failure counts as a lane's own only after that. */
  touchMs = 1_000;
  probe: ProbeTimes = PROBE_TIMES;
  /** Claims at the same time, over all destinations. */
  claims = 4;
  /** Calls at the same time, over all destinations. */
  calls = 1_000;
  /** The same for the destinations of one tenant. */
  callsOfTenant = 250;

  constructor(values: Partial<DeliveryOptions> = {}) {
    Object.assign(this, values);
  }
}
