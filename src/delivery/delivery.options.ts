import { PROBE_TIMES, type ProbeTimes } from './destinations/destination.rules.js';

/** The pace of the delivery; tests run it faster. */
export class DeliveryOptions {
  /** How often a worker looks for work that nobody told it about. */
  pollMs = 200;
  /** Between two claims of one tenant, so that what arrives meanwhile is claimed together. */
  claimPauseMs = 4;
  /** What was said is written down together with what comes back within this time. */
  gatherMs = 4;
  /** While this process is busy with requests it sends this many lanes in this time: leavers go out, the rest trickles. */
  courtesy = { lanes: 12, pauseMs: 100 };
  /** A lease outlives the call's deadline by this much. */
  leaseMarginMs = 5_000;
  /** A leased lane that was not begun within this time is handed back. */
  queueMs = 2_000;
  /** What is kept ready to be sent is as much as goes out in this time. */
  aheadMs = 60;
  /** Pauses of one lane after its own failures. */
  backoff = { firstMs: 1_000, maxMs: 60_000 };
  /** So many failures of its own park a change. */
  poisonAfter = 8;
  /** How often it is written down that a destination took something; failures are charged only after such a time. */
  touchMs = 1_000;
  probe: ProbeTimes = PROBE_TIMES;
  /** Claims at the same time, over all tenants. */
  claims = 4;
  /** Calls at the same time, over all tenants. */
  calls = 1_000;

  constructor(values: Partial<DeliveryOptions> = {}) {
    Object.assign(this, values);
  }
}
