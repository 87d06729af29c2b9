import type { LeasedLane } from '../call.js';
import type { Destination } from '../destinations/destination.js';
import { DestinationWatch } from './destination-watch.js';
import type { Outcome, Sent } from '../outcome.js';
import { probe } from './probe.js';
import { leaseMs, type PumpParts } from './pump-parts.js';
import { reportAttempts } from './report.js';
import { SettleQueue } from './settle-queue.js';
import { handBack, settlementOf, showsOf } from '../lanes/settlement.rules.js';

/** The most that is kept ready to be sent. */
const MOST_AHEAD = 240;

/**
 * Moves the lanes of one tenant: claims, sends, has settled. It knows nothing of other tenants, so that a platform
 * that hangs holds up nobody but its own tenant.
 */
export class TenantPump {
  private readonly watch: DestinationWatch;
  private readonly settling: SettleQueue;
  private readonly ready: LeasedLane[] = [];
  private out = 0;
  /** How long a call takes, roughly. */
  private averageMs = 20;
  private running = false;
  private again = false;
  /** The last claim did not take all there is. */
  private backlog = false;
  private claimedAt = -Infinity;
  private usedAt = performance.now();
  private stopping = false;
  private rateTimer: NodeJS.Timeout | null = null;
  private idle: (() => void)[] = [];

  constructor(
    readonly tenantId: string,
    private readonly parts: PumpParts,
  ) {
    this.watch = new DestinationWatch(tenantId, parts, () => this.handBackReady());
    this.settling = new SettleQueue(tenantId, parts, () => this.kick());
  }

  /**
   * There may be work: look for it, now or as soon as the present look is over. Never throws. `anew`: the destination
   * takes something, so if we believe otherwise we are wrong.
   */
  kick(anew = false): void {
    this.again = true;
    this.usedAt = performance.now();
    if (anew && !this.watch.isOk) this.watch.forget();
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
        await this.look();
      }
    } catch (error) {
      // The poll comes back to this tenant; nothing is lost but time.
      this.parts.logger.error('delivery.claim_failed', { tenant_id: this.tenantId, error });
      this.watch.forget();
    } finally {
      this.running = false;
      this.wakeIdle();
    }
  }

  /** One look: at the destination, and then at what may be sent there. */
  private async look(): Promise<void> {
    const destination = await this.watch.current();
    if (destination === null || destination.key === null || destination.state === 'paused') return;
    if (destination.state === 'open') {
      // Calls from before it was opened are still out: they may yet tell something.
      if (this.out > 0) return;
      this.again ||= await probe(destination, this.watch, this.parts, (lane) => this.sendAndSettle(lane, destination));
      return;
    }
    this.sendReady(destination);
    const room = this.room();
    this.backlog = room <= 0;
    if (this.backlog) return;
    const { activity, options } = this.parts;
    const busy = activity.isBusy();
    const limit = busy ? Math.min(room, options.courtesy.lanes) : room;
    // What arrives in the meantime is claimed together.
    const pause = busy ? options.courtesy.pauseMs : options.claimPauseMs;
    const rest = pause - (performance.now() - this.claimedAt);
    if (rest > 0) await new Promise((resolve) => setTimeout(resolve, rest));
    const lanes = await this.parts.claims.pass(() => {
      this.claimedAt = performance.now();
      const lease = leaseMs(destination, this.parts);
      return this.parts.lanes.claim(destination, { limit, leaseMs: lease, mode: 'normal' });
    });
    if (lanes.length === 0) this.watch.doubt();
    this.backlog = lanes.length === limit;
    this.queue(lanes);
    this.sendReady(destination);
    this.again ||= this.backlog && this.room() > 0;
  }

  /** As much as can be sent now, and as goes out while the next claim is on its way. */
  private room(): number {
    const { calls, aheadMs } = this.parts.options;
    const allowed = Math.min(this.watch.allowed, calls - this.parts.calls.out + this.out);
    const ahead = Math.min(MOST_AHEAD, Math.ceil((allowed * aheadMs) / this.averageMs));
    const room = allowed + ahead - this.out - this.ready.length;
    // Small claims cost as much as large ones: as long as there is enough to send, wait until one is worth it.
    return room < (allowed + ahead) / 3 && this.ready.length > 0 ? 0 : room;
  }

  /** Leavers go before everybody who waits here already. */
  private queue(lanes: readonly LeasedLane[]): void {
    const leaves = (lane: LeasedLane): boolean => lane.call.state !== 'active';
    this.ready.push(...lanes);
    if (lanes.some(leaves)) this.ready.sort((a, b) => Number(leaves(b)) - Number(leaves(a)));
  }

  private sendReady(destination: Destination): void {
    const { calls, options } = this.parts;
    while (this.ready.length > 0 && this.out < this.watch.allowed && calls.out < options.calls) {
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
      if (performance.now() - lane.claimedAt > options.queueMs) this.settling.add(handBack(lane), []);
      else void this.sendNext(lane, destination);
    }
  }

  /** Sends one lane, and then whatever its place is free for. Never throws. */
  private async sendNext(lane: LeasedLane, destination: Destination): Promise<void> {
    try {
      await this.send(lane, destination);
    } catch (error) {
      // A fault of ours: the lane is left to its lease, so that it cannot spin.
      this.parts.logger.error('delivery.failed', { tenant_id: this.tenantId, user_id: lane.userId, error });
    }
    this.sendReady(destination);
    if (this.backlog && this.room() > 0) this.kick();
    this.wakeIdle();
  }

  private async sendAndSettle(lane: LeasedLane, destination: Destination): Promise<Outcome> {
    const outcome = await this.send(lane, destination);
    await this.settling.flush();
    return outcome;
  }

  private async send(lane: LeasedLane, destination: Destination): Promise<Outcome> {
    this.out++;
    this.parts.calls.out++;
    try {
      const sent = await this.parts.sender.send(lane, destination, destination.settings.timeout_ms);
      for (const { ms } of sent.attempts) this.averageMs += (Math.min(Math.max(ms, 1), 1_000) - this.averageMs) / 20;
      reportAttempts(this.tenantId, lane, sent, this.parts);
      await this.took(lane, destination, sent);
      return sent.outcome;
    } finally {
      this.out--;
      this.parts.calls.out--;
    }
  }

  /** Draws the conclusions of an answer: for the destination first, then for the lane. */
  private async took(lane: LeasedLane, destination: Destination, { outcome, attempts }: Sent): Promise<void> {
    if (showsOf(outcome) === 'alive') this.watch.succeeded(destination);
    if (outcome.kind === 'delivered') this.settling.touch ||= this.watch.mustTouch();
    if (outcome.kind === 'unavailable') await this.watch.failed(lane, destination, outcome);
    if (outcome.kind === 'stopped') await this.watch.stopped(destination, outcome);
    this.settling.add(settlementOf(lane, outcome, this.parts.options, Math.random()), attempts);
    if (outcome.kind !== 'refused') return;
    // Only with the refusal, and with all successes before it, written down can it be judged what it means.
    await this.settling.flush();
    if (await this.watch.refused(lane, outcome)) this.settling.tell(lane.userId, lane.call.through, 'refused');
  }

  private handBackReady(): void {
    for (const lane of this.ready.splice(0)) this.settling.add(handBack(lane), []);
  }

  private wakeIdle(): void {
    for (const resolve of this.idle.splice(0)) resolve();
  }
}
