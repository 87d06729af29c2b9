import type { Channel } from '../channel.js';
import type { Destination, DestinationKey } from '../destination.js';
import { probePause } from '../destination.rules.js';
import type { LeasedLane } from '../lane-state.js';
import { endPauses } from '../lanes/admin.js';
import { claim } from '../lanes/claim.js';
import { showsOf, settlementOf } from '../lanes/settlement.rules.js';
import type { Outcome, Sent } from '../outcome.js';
import type { FailureRules } from '../retry.rules.js';
import { DestinationWatch } from './destination-watch.js';
import { leaseMs, type PumpParts } from './pump-parts.js';
import { reportAttempts, subjectField, SettleQueue } from './settle-queue.js';

interface ProbeParts extends PumpParts {
  rules: FailureRules;
}

/**
 * Asks a destination that is away whether it is back: with one real call at a time over all processes.
 *
 * @param send sends a lane, and resolves once its outcome is written
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

const FIRST_MS = 200;
const MOST_MS = 30_000;

/**
 * When lanes with a pause (`ASIDE`) are looked for. A look reads all of them, and mostly finds none due: so the time between
 * two looks grows while they find nothing. Pauses that this process has set are known, and met.
 */
export class AsideTurns {
  private nextAt = -Infinity;
  private pauseMs = FIRST_MS;

  isTime(now: number): boolean {
    return now >= this.nextAt;
  }

  /** `found`: there may be more due lanes. */
  looked(now: number, found: boolean): void {
    this.pauseMs = found ? FIRST_MS : Math.min(this.pauseMs * 2, MOST_MS);
    this.nextAt = now + this.pauseMs;
  }

  /** Notes that a lane stands aside for so long from now on. */
  waits(now: number, ms: number): void {
    this.nextAt = Math.min(this.nextAt, now + ms);
  }
}

class DestinationClaims {
  readonly aside = new AsideTurns();
  private claimedAt = -Infinity;

  constructor(
    private readonly channel: Channel,
    private readonly rules: FailureRules,
    private readonly parts: PumpParts,
  ) {}

  /** Waits a moment, so that lanes that become due are claimed together. Returns how many lanes to claim. */
  async pace(room: number): Promise<number> {
    const { activity, options } = this.parts;
    const pause = activity.isBusy() ? options.courtesy.pauseMs : options.claimPauseMs;
    const rest = pause - (performance.now() - this.claimedAt);
    if (rest > 0) await new Promise((resolve) => setTimeout(resolve, rest));
    return activity.isBusy() ? Math.min(room, options.courtesy.lanes) : room;
  }

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

const MOST_AHEAD = 240;

/**
 * Moves the lanes of one destination: claims, sends, has settled. It knows no other destinations, so a destination that hangs
 * delays only its own lanes.
 *
 * Modes:
 * - *asleep*: nothing to do. Left by `wake`: the poll found something due, a change was committed, a batch left lanes due.
 * - *looking* (`running`): reads the destination, then claims or probes, until no further look is asked for (`again`).
 * - *sending* (`out` > 0): calls are out, also while asleep. Each answer sends the next ready lanes, and wakes the pump if the
 *   last claim left more (`backlog`).
 * - *throttled* (`rateTimer`): the rate of the destination is used up; left by the timer.
 * - *closed*: the destination opened or paused; ready lanes are handed back, and a look ends at once. Left by `wake(true)`.
 * - *stopping*: claims nothing more; left when nothing is out and all is settled.
 */
export class DestinationPump {
  private readonly rules: FailureRules;
  private readonly claims: DestinationClaims;
  private readonly watch: DestinationWatch;
  private readonly settling: SettleQueue;
  private readonly ready: LeasedLane[] = [];
  private out = 0;
  private averageMs = 20;
  private running = false;
  private again = false;
  private backlog = false;
  private usedAt = performance.now();
  private stopping = false;
  private rateTimer: NodeJS.Timeout | null = null;
  private idle: (() => void)[] = [];

  constructor(
    private readonly key: DestinationKey,
    private readonly channel: Channel,
    private readonly parts: PumpParts,
  ) {
    this.rules = channel.rulesOf(parts.options);
    this.claims = new DestinationClaims(channel, this.rules, parts);
    this.watch = new DestinationWatch(key, this.rules, parts, () => this.handBackReady());
    this.settling = new SettleQueue(key, channel, parts, (due) => {
      if (due > 0 || this.backlog) this.wake();
    });
  }

  /**
   * Looks for work, now or after the present look. Never throws.
   *
   * @param anew the database shows that the destination takes calls: a copy that does not is read again
   */
  wake(anew = false): void {
    this.again = true;
    this.usedAt = performance.now();
    if (anew && !this.watch.isOk) this.watch.forget();
    if (this.running || this.stopping) return;
    this.running = true;
    void this.run();
  }

  /** Wakes only when it is time to look for lanes aside, where no other lane is pending. */
  wakeAside(): void {
    if (this.claims.aside.isTime(performance.now())) this.wake(true);
  }

  quietFor(ms: number): boolean {
    const busy = this.out > 0 || this.ready.length > 0 || !this.settling.empty || this.running;
    return !busy && performance.now() - this.usedAt > ms;
  }

  async stop(): Promise<void> {
    this.stopping = true;
    if (this.rateTimer) clearTimeout(this.rateTimer);
    this.handBackReady();
    while (this.out > 0 || this.running) await new Promise<void>((resolve) => this.idle.push(resolve));
    this.handBackReady();
    await this.settling.flush();
  }

  private async run(): Promise<void> {
    try {
      while (this.again && !this.stopping) {
        this.again = false;
        await this.look();
      }
    } catch (error) {
      // The poll comes back to this destination.
      const { tenantId, channel } = this.key;
      this.parts.logger.error('delivery.claim_failed', { tenant_id: tenantId, channel, error });
      this.watch.forget();
    } finally {
      this.running = false;
      this.wakeIdle();
    }
  }

  private async look(): Promise<void> {
    if (this.watch.isClosing) return;
    const generation = this.watch.generation;
    const destination = await this.watch.current();
    if (destination === null || destination.state === 'paused') return;
    if (!this.channel.canSend(destination)) return;
    if (destination.state === 'open') {
      // The answers of calls that are still out may show that it is back.
      if (this.out > 0) return;
      this.again ||= await probe(destination, this.channel, this.watch, { ...this.parts, rules: this.rules }, (lane) =>
        this.sendAndSettle(lane, destination),
      );
      return;
    }
    this.sendReady(destination);
    const room = this.room();
    this.backlog = room <= 0;
    if (this.backlog) return;
    const limit = await this.claims.pace(room);
    const lanes = await this.claims.take(destination, limit);
    if (lanes.length === 0) this.watch.expireSoon();
    this.backlog = lanes.length === limit;
    this.queue(lanes);
    // An answer that arrived during the claim may have closed the destination.
    if (generation === this.watch.generation && !this.watch.isClosing) this.sendReady(destination);
    else this.handBackReady();
    this.again ||= this.backlog && this.room() > 0;
  }

  private room(): number {
    if (this.settling.full) return 0;
    const { options, calls } = this.parts;
    const allowed = Math.min(this.watch.allowed, calls.roomFor(this.key.tenantId) + this.out);
    const ahead = Math.min(MOST_AHEAD, Math.ceil((allowed * options.aheadMs) / this.averageMs));
    const room = allowed + ahead - this.out - this.ready.length;
    // A lane of a claim of 128 costs PostgreSQL a fifth less than one of 48: while there is enough to send, claims wait.
    return room < (allowed + ahead) / 2 && this.ready.length > 0 ? 0 : room;
  }

  /** Leavers go before all ready lanes. */
  private queue(lanes: readonly LeasedLane[]): void {
    const leaves = (lane: LeasedLane): boolean => lane.call.state !== 'active';
    this.ready.push(...lanes);
    if (lanes.some(leaves)) this.ready.sort((a, b) => Number(leaves(b)) - Number(leaves(a)));
  }

  private sendReady(destination: Destination): void {
    const { calls, options } = this.parts;
    const { tenantId } = this.key;
    while (this.ready.length > 0 && this.out < this.watch.allowed && calls.roomFor(tenantId) > 0) {
      if (this.stopping) return this.handBackReady();
      const wait = this.watch.takeTurn();
      if (wait > 0) {
        this.rateTimer ??= setTimeout(() => {
          this.rateTimer = null;
          this.sendReady(destination);
        }, wait);
        return;
      }
      const lane = this.ready.shift()!;
      if (performance.now() - lane.claimedAt > options.queueMs) this.handBack(lane);
      else void this.sendNext(lane, destination);
    }
  }

  /** Sends one lane, and then the next ready ones. Never throws. */
  private async sendNext(lane: LeasedLane, destination: Destination): Promise<void> {
    try {
      await this.send(lane, destination);
    } catch (error) {
      // A fault of this program: the lane is left to its lease, so that it cannot spin.
      const where = { tenant_id: this.key.tenantId, ...subjectField(this.key.channel, lane.subject) };
      this.parts.logger.error('delivery.failed', { ...where, error });
    }
    this.sendReady(destination);
    if (this.backlog && this.room() > 0) this.wake();
    this.wakeIdle();
  }

  private async sendAndSettle(lane: LeasedLane, destination: Destination): Promise<Outcome> {
    const outcome = await this.send(lane, destination);
    await this.settling.flush();
    return outcome;
  }

  private async send(lane: LeasedLane, destination: Destination): Promise<Outcome> {
    this.out++;
    this.parts.calls.take(this.key.tenantId);
    try {
      const sent = await this.channel.send(lane, destination, destination.settings.timeout_ms);
      for (const { ms } of sent.attempts) this.averageMs += (Math.min(Math.max(ms, 1), 1_000) - this.averageMs) / 20;
      reportAttempts(this.key, lane, sent, this.parts);
      await this.conclude(lane, destination, sent);
      return sent.outcome;
    } finally {
      this.out--;
      this.parts.calls.release(this.key.tenantId);
    }
  }

  private async conclude(lane: LeasedLane, destination: Destination, { outcome, attempts }: Sent): Promise<void> {
    const recovered = showsOf(outcome) === 'alive' ? this.watch.succeeded(destination) : null;
    if (recovered !== null) await recovered;
    if (outcome.kind === 'delivered') this.settling.countDelivered(this.watch.mustTouch());
    if (outcome.kind === 'unavailable') await this.watch.failed(lane, destination, outcome);
    if (outcome.kind === 'stopped') await this.watch.stopped(destination, outcome);
    const event = settlementOf(lane, outcome, this.rules, Math.random());
    this.settling.add({ lane, event, attempts });
    if (event.aside === true) this.claims.aside.waits(performance.now(), event.waitMs!);
    if (outcome.kind !== 'refused') return;
    // A refusal is judged by the refusals and successes before it, so all of them have to be written.
    await this.settling.flush();
    if (await this.watch.refused(lane, outcome)) {
      this.settling.reportParked({ subject: lane.subject, through: lane.call.through, reason: 'refused' });
    }
  }

  private handBackReady(): void {
    for (const lane of this.ready.splice(0)) this.handBack(lane);
  }

  private handBack(lane: LeasedLane): void {
    this.settling.add({ lane, event: { kind: 'handed_back', token: lane.token }, attempts: [] });
  }

  private wakeIdle(): void {
    for (const resolve of this.idle.splice(0)) resolve();
  }
}
