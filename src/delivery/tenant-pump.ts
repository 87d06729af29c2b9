import type { Logger } from '../base/log/logger.js';
import { deliveryId, type LeasedLane } from './call.js';
import type { DeliveryMetrics } from './delivery.metrics.js';
import type { DeliveryObserver } from './delivery.observer.js';
import type { DeliveryOptions } from './delivery.options.js';
import type { Destination } from './destination.js';
import { afterFailure, afterSuccess, isAway, newHealth, probePause, type Health } from './destination.rules.js';
import type { DestinationsRepository } from './destinations.repository.js';
import type { LanesRepository } from './lanes.repository.js';
import type { Outcome, Sent } from './outcome.js';
import { Rate } from './rate.js';
import type { Sender } from './sender.js';
import { SettleQueue } from './settle-queue.js';
import { handBack, settlementOf, showsOf } from './settle.rules.js';
import type { Turnstile } from './turnstile.js';

/** What all pumps of a worker share. */
export interface PumpParts {
  lanes: LanesRepository;
  destinations: DestinationsRepository;
  sender: Sender;
  options: DeliveryOptions;
  metrics: DeliveryMetrics;
  observer: DeliveryObserver;
  logger: Logger;
  claims: Turnstile;
  /** Calls that are out, over all tenants. */
  calls: { out: number };
}

/** The most that is kept ready to be sent. */
const MOST_AHEAD = 240;
/** A copy of a destination is good for so long; a claim that finds it outdated throws it away at once. */
const FRESH_MS = 1_000;

/**
 * Moves the lanes of one tenant: claims, sends, has settled. It knows nothing of other tenants, so that a platform
 * that hangs holds up nobody but its own tenant.
 */
export class TenantPump {
  private destination: Destination | null = null;
  private readAt = -Infinity;
  private health: Health = newHealth();
  private healthOf = '';
  private readonly ready: LeasedLane[] = [];
  private readonly settling: SettleQueue;
  private out = 0;
  private averageMs = 20;
  private running = false;
  private again = false;
  /** The last claim did not take all there is. */
  private backlog = false;
  private usedAt = performance.now();
  private claimedAt = -Infinity;
  private stopping = false;
  private rate: Rate | null = null;
  private rateTimer: NodeJS.Timeout | null = null;
  private idle: (() => void)[] = [];
  private touchedAt = -Infinity;

  constructor(
    readonly tenantId: string,
    private readonly parts: PumpParts,
  ) {
    this.settling = new SettleQueue(tenantId, parts, () => this.kick());
  }

  /**
   * There may be work: look for it, now or as soon as the present look is over. Never throws. `anew`: the destination
   * takes something, so if we believe otherwise we are wrong.
   */
  kick(anew = false): void {
    this.again = true;
    if (anew && this.destination?.state !== 'ok') this.forgetDestination();
    this.usedAt = performance.now();
    if (this.running || this.stopping) return;
    this.running = true;
    void this.run();
  }

  /** Nothing is out, ready or unsettled, and nothing was for so long. */
  quietFor(ms: number): boolean {
    const busy = this.out > 0 || this.ready.length > 0 || !this.settling.empty || this.running;
    return !busy && performance.now() - this.usedAt > ms;
  }

  /** Claims no more, hands back what was not begun, and waits for what is out. */
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
        await this.step();
      }
    } catch (error) {
      // The poll comes back to this tenant; nothing is lost but time.
      this.parts.logger.error('delivery.claim_failed', { tenant_id: this.tenantId, error });
      this.readAt = -Infinity;
    } finally {
      this.running = false;
      this.wakeIdle();
    }
    if (this.again && !this.stopping && this.room() > 0) this.kick();
  }

  /** One look: at the destination, and then at what may be sent there. */
  private async step(): Promise<void> {
    const destination = await this.current();
    if (destination === null || destination.key === null || destination.state === 'paused') return;
    if (destination.state === 'open') return this.probe(destination);
    this.sendReady(destination);
    const room = this.room();
    this.backlog = room <= 0;
    if (this.backlog) return;
    const rest = this.parts.options.claimPauseMs - (performance.now() - this.claimedAt);
    if (rest > 0) await new Promise((resolve) => setTimeout(resolve, rest));
    const lanes = await this.parts.claims.pass(() => {
      this.claimedAt = performance.now();
      return this.parts.lanes.claim(destination, { limit: room, leaseMs: this.leaseMs(destination), mode: 'normal' });
    });
    if (lanes.length === 0) this.readAt = Math.min(this.readAt, performance.now() - FRESH_MS + 100);
    this.backlog = lanes.length === room;
    this.ready.push(...lanes);
    this.sendReady(destination);
    this.again ||= this.backlog && this.room() > 0;
  }

  /** As much as can be sent now, and as goes out while the next claim is on its way. */
  private room(): number {
    if (this.destination?.state === 'open') return 1;
    const { calls, aheadMs } = this.parts.options;
    const allowed = Math.min(this.health.allowed, calls - this.parts.calls.out + this.out);
    const ahead = Math.min(MOST_AHEAD, Math.ceil((allowed * aheadMs) / this.averageMs));
    const room = allowed + ahead - this.out - this.ready.length;
    // Small claims cost as much as large ones: as long as there is enough to send, wait until one is worth it.
    return room < (allowed + ahead) / 3 && this.ready.length > 0 ? 0 : room;
  }

  private sendReady(destination: Destination): void {
    while (this.ready.length > 0 && this.out < this.health.allowed && this.parts.calls.out < this.parts.options.calls) {
      if (this.stopping) return this.handBackReady();
      const wait = this.rate?.take(performance.now()) ?? 0;
      if (wait > 0) {
        this.rateTimer ??= setTimeout(() => {
          this.rateTimer = null;
          this.sendReady(destination);
        }, wait);
        return;
      }
      const lane = this.ready.shift()!;
      if (performance.now() - lane.claimedAt > this.parts.options.queueMs) this.settling.add(handBack(lane), []);
      else void this.send(lane, destination);
    }
  }

  private async send(lane: LeasedLane, destination: Destination): Promise<Outcome['kind']> {
    this.out++;
    this.parts.calls.out++;
    try {
      const sent = await this.parts.sender.send(lane, destination, destination.settings.timeout_ms);
      this.report(lane, sent);
      return await this.took(lane, destination, sent);
    } catch (error) {
      // A fault of ours: the lane is left to its lease, so that it cannot spin.
      this.parts.logger.error('delivery.failed', { tenant_id: this.tenantId, user_id: lane.userId, error });
      return 'stopped';
    } finally {
      this.out--;
      this.parts.calls.out--;
      this.sendReady(destination);
      if (this.backlog && this.room() > 0) this.kick();
      this.wakeIdle();
    }
  }

  /** Draws the conclusions of an answer: for the destination first, then for the lane. */
  private async took(lane: LeasedLane, destination: Destination, { outcome, attempts }: Sent): Promise<Outcome['kind']> {
    const { options, destinations } = this.parts;
    const shows = showsOf(outcome);
    if (shows === 'alive') this.health = afterSuccess(this.health, destination.settings.concurrency);
    if (outcome.kind === 'delivered') this.settling.touch = this.mustTouch(destination);
    if (outcome.kind === 'stopped' && (await destinations.pauseIfUnchanged(destination, outcome.reason, outcome.detail))) {
      this.paused(outcome.reason, outcome.detail);
    }
    if (outcome.kind === 'unavailable') await this.failed(lane, destination, outcome);
    const settlement = settlementOf(lane, outcome, options, Math.random());
    const rows = attempts.map((attempt) => ({
      ...attempt,
      userId: lane.userId,
      deliveryId: deliveryId(lane.userId, lane.call),
      first: lane.call.first,
      through: lane.call.through,
    }));
    this.settling.add(settlement, rows);
    if (outcome.kind === 'refused') await this.refused(lane, outcome);
    return outcome.kind;
  }

  /**
   * Somebody was refused, and is parked. Only with that, and with all successes before it, written down is it judged
   * whether it was the person or the settings: in the second case everybody who was parked on the way is taken back.
   */
  private async refused(lane: LeasedLane, { status, detail }: Outcome & { kind: 'refused' }): Promise<void> {
    await this.settling.flush();
    const { park, pausedNow } = await this.parts.destinations.refused(this.tenantId, lane.userId, status);
    if (pausedNow) this.paused('looks_misconfigured', `refused with ${status}: ${detail}`);
    else if (this.destination) this.destination.hasRefusals = true;
    if (park) this.settling.tell(lane.userId, lane.call.through, 'refused');
  }

  private async failed(lane: LeasedLane, destination: Destination, outcome: Outcome & { kind: 'unavailable' }): Promise<void> {
    this.health = afterFailure(this.health, lane.userId, outcome.retryAfterMs !== null || outcome.reason === 'status_429');
    if (destination.state === 'open' || !isAway(this.health)) return;
    const people = this.health.failures.size;
    const opened = await this.parts.destinations.open(destination, outcome.reason, (probes) =>
      probePause(probes, people, outcome.retryAfterMs, this.parts.options.probe, Math.random()),
    );
    this.forgetDestination();
    this.handBackReady();
    if (opened) this.parts.logger.warn('destination.open', { tenant_id: this.tenantId, reason: outcome.reason, people });
  }

  /** Sends one lane to a destination that is away, if it is this process's turn and time. */
  private async probe(destination: Destination): Promise<void> {
    const { destinations, lanes, options } = this.parts;
    if (this.out > 0 || (destination.nextProbeAt?.getTime() ?? 0) > Date.now() + 100) return;
    const turn = await destinations.mayProbe(destination, this.leaseMs(destination));
    if (turn === null) return this.forgetDestination();
    const claim = { limit: 1, leaseMs: this.leaseMs(destination), mode: 'probe' as const };
    // Somebody who has not failed yet, so that one bad record cannot make a good platform look dead.
    let [lane] = await lanes.claim(destination, claim);
    if (lane === undefined) [lane] = await lanes.claim(destination, { ...claim, early: true });
    if (lane === undefined) return destinations.probeAgain(destination, options.probe.firstMs, false, null);
    let outcome: Outcome | null = null;
    this.out++;
    this.parts.calls.out++;
    try {
      const sent = await this.parts.sender.send(lane, destination, destination.settings.timeout_ms);
      this.report(lane, sent);
      outcome = sent.outcome;
      await this.took(lane, destination, sent);
    } finally {
      this.out--;
      this.parts.calls.out--;
      this.wakeIdle();
    }
    await this.settling.flush();
    if (outcome.kind === 'unavailable') {
      const { retryAfterMs, reason } = outcome;
      const people = this.health.failures.size;
      const pause = probePause(turn.probes + 1, people, retryAfterMs, options.probe, Math.random());
      await destinations.probeAgain(destination, pause, true, reason);
    } else if (showsOf(outcome) === 'alive') {
      this.health = newHealth();
      if (await destinations.close(destination)) {
        await lanes.forgetPauses(this.tenantId);
        this.parts.logger.info('destination.back', { tenant_id: this.tenantId, probes: turn.probes });
      }
      this.again = true;
    } else {
      // The lane had nothing to say, or the answer was a step on the way: the next one is the probe.
      await destinations.probeAgain(destination, 0, false, null);
      this.again = outcome.kind !== 'stopped';
    }
    this.forgetDestination();
  }

  private async current(): Promise<Destination | null> {
    if (performance.now() - this.readAt < FRESH_MS) return this.destination;
    const destination = await this.parts.destinations.read(this.tenantId);
    this.readAt = performance.now();
    this.destination = destination;
    const now = destination === null ? '' : `${destination.version}`;
    if (now !== this.healthOf) {
      // Changed, back, or seen for the first time: begin carefully. While it is away, who failed is remembered.
      if (destination?.state !== 'open') this.health = newHealth();
      this.rate = destination?.settings.rate ? new Rate(destination.settings.rate, performance.now()) : null;
      this.healthOf = now;
    }
    return destination;
  }

  private forgetDestination(): void {
    this.readAt = -Infinity;
  }

  private leaseMs(destination: Destination): number {
    return destination.settings.timeout_ms + this.parts.options.leaseMarginMs;
  }

  /** The time of the last success is written every now and then, or at once where refusals have to be forgotten. */
  private mustTouch(destination: Destination): boolean {
    const now = performance.now();
    const refusals = this.destination?.hasRefusals ?? destination.hasRefusals;
    if (!refusals && now - this.touchedAt < this.parts.options.touchMs) return this.settling.touch;
    if (this.destination) this.destination.hasRefusals = false;
    this.touchedAt = now;
    return true;
  }

  private paused(reason: string, detail: string): void {
    this.forgetDestination();
    this.handBackReady();
    this.parts.logger.warn('destination.paused', { tenant_id: this.tenantId, reason });
    this.parts.observer.destinationPaused(this.tenantId, reason, detail);
  }

  private handBackReady(): void {
    for (const lane of this.ready.splice(0)) this.settling.add(handBack(lane), []);
  }

  private report(lane: LeasedLane, { outcome, attempts }: Sent): void {
    const { metrics, logger } = this.parts;
    for (const attempt of attempts) {
      if (attempt.method === 'NONE') continue;
      metrics.attempts.inc({ outcome: attempt.outcome });
      metrics.duration.observe(attempt.ms / 1000);
      this.averageMs += (Math.min(attempt.ms, 1_000) - this.averageMs) / 20;
      if (!logger.infoEnabled) continue;
      logger.line({
        message: 'delivery.attempted',
        tenant_id: this.tenantId,
        user_id: lane.userId,
        delivery_id: deliveryId(lane.userId, lane.call),
        through: lane.call.through,
        method: attempt.method,
        status: attempt.status,
        outcome: outcome.kind,
        reason: attempt.outcome,
        ms: attempt.ms,
      });
    }
    if (this.averageMs < 1) this.averageMs = 1;
  }

  private wakeIdle(): void {
    for (const resolve of this.idle.splice(0)) resolve();
  }
}
