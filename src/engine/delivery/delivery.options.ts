import { PROBE_TIMES, type ProbeTimes } from './destination.rules.js';

/** The pace of the delivery; tests run it faster. */
export class DeliveryOptions {
  /** How often a worker looks for calls to repeat, and for work without a notification. */
  pollMs = 200;
  /** `pollMs` in quiet times. Other processes notify of their commits. */
  quietPollMs = 1_000;
  /** The pause between two claims of one destination: lanes that become due in it are claimed together. */
  claimPauseMs = 4;
  /** Outcomes that arrive within this time are settled together: 128 at once cost PostgreSQL an eighth less than 48. */
  gatherMs = 8;
  /** While this process is busy with requests it sends this number of lanes in this time, leavers first. */
  courtesy = { lanes: 12, pauseMs: 100 };
  leaseMarginMs = 5_000;
  /** A leased lane that was not begun within this time is handed back. */
  queueMs = 2_000;
  /** The lanes that are sent within this time are kept ready. */
  aheadMs = 60;
  backoff = { firstMs: 1_000, maxMs: 60_000 };
  ownFailureLimit = 8;
  /** How often a success of a destination is written. A failure counts as a lane's own only after a success. */
  touchMs = 1_000;
  probe: ProbeTimes = PROBE_TIMES;
  /** Claims at the same time, over all destinations. */
  claims = 4;
  /** Calls at the same time, over all destinations. */
  calls = 1_000;
  /** Calls at the same time to the destinations of one tenant. */
  callsOfTenant = 250;

  constructor(values: Partial<DeliveryOptions> = {}) {
    Object.assign(this, values);
  }
}
