import type { LeasedLane } from '../call.js';
import type { Destination } from '../destinations/destination.js';
import {
  afterFailure,
  afterSuccess,
  isAway,
  newHealth,
  probePause,
  type Health,
} from '../destinations/destination.rules.js';
import type { Outcome } from '../outcome.js';
import type { PumpParts } from './pump-parts.js';
import { Rate } from './rate.js';

/** A copy of a destination is good for so long; a claim that finds it outdated throws it away at once. */
const FRESH_MS = 1_000;
/** After a claim that found nothing, which may be because the copy is outdated. */
const DOUBTFUL_MS = 100;

/** What this process knows about the destination of one tenant, and the conclusions that it draws from answers. */
export class DestinationWatch {
  private destination: Destination | null = null;
  private readUntil = -Infinity;
  private seenVersion: number | null = null;
  private health: Health = newHealth();
  private rate: Rate | null = null;
  private touchedAt = -Infinity;

  constructor(
    private readonly tenantId: string,
    private readonly parts: PumpParts,
    /** Nothing more may be sent there: what is ready has to be handed back. */
    private readonly onClosed: () => void,
  ) {}

  /** How many calls may be out at the same time. */
  get allowed(): number {
    return this.health.allowed;
  }

  /** How many different people failed since the last success. */
  get peopleFailed(): number {
    return this.health.failures.size;
  }

  get isOk(): boolean {
    return this.destination?.state === 'ok';
  }

  /** The destination as it was at most a second ago. */
  async current(): Promise<Destination | null> {
    if (performance.now() < this.readUntil) return this.destination;
    const destination = await this.parts.destinations.read(this.tenantId);
    this.readUntil = performance.now() + FRESH_MS;
    this.destination = destination;
    const version = destination?.version ?? null;
    if (version !== this.seenVersion) {
      this.seenVersion = version;
      this.rate = destination?.settings.rate ? new Rate(destination.settings.rate, performance.now()) : null;
      // Changed, back, or seen for the first time: begin carefully. While it is away, who failed is remembered.
      if (destination?.state !== 'open') this.health = newHealth();
    }
    return destination;
  }

  /** Reads it anew at the next look. */
  forget(): void {
    this.readUntil = -Infinity;
  }

  doubt(): void {
    this.readUntil = Math.min(this.readUntil, performance.now() + DOUBTFUL_MS);
  }

  /** Takes one call from the rate. Out: 0, or the milliseconds to wait. */
  takeTurn(): number {
    return this.rate?.take(performance.now()) ?? 0;
  }

  /** An answer that shows the other side at work. */
  succeeded(destination: Destination): void {
    this.health = afterSuccess(this.health, destination.settings.concurrency);
  }

  /** It is back after an outage: begin with one call. */
  returned(): void {
    this.health = newHealth();
    this.forget();
  }

  /** An answer that shows it in trouble. Opens the destination if it is not only this one person. */
  async failed(lane: LeasedLane, destination: Destination, outcome: Outcome & { kind: 'unavailable' }): Promise<void> {
    const { reason, retryAfterMs } = outcome;
    this.health = afterFailure(this.health, lane.userId, retryAfterMs !== null || reason === 'status_429');
    if (destination.state === 'open' || !isAway(this.health)) return;
    const people = this.peopleFailed;
    const opened = await this.parts.states.open(destination, reason, (probes) =>
      probePause(probes, people, retryAfterMs, this.parts.options.probe, Math.random()),
    );
    this.forget();
    this.onClosed();
    if (opened) this.parts.logger.warn('destination.open', { tenant_id: this.tenantId, reason, people });
  }

  /** Nobody's call can succeed before a person has changed the settings. */
  async stopped(destination: Destination, { reason, detail }: Outcome & { kind: 'stopped' }): Promise<void> {
    if (await this.parts.states.pauseIfUnchanged(destination, reason, detail)) this.paused(reason, detail);
    else this.forget();
  }

  /** Somebody was refused and is parked. Out: whether that stays so, for it may be the settings and not the person. */
  async refused(lane: LeasedLane, { status, detail }: Outcome & { kind: 'refused' }): Promise<boolean> {
    const { park, pausedNow } = await this.parts.states.refused(this.tenantId, lane.userId, status);
    if (pausedNow) this.paused('looks_misconfigured', `refused with ${status}: ${detail}`);
    else if (this.destination) this.destination.hasRefusals = true;
    return park;
  }

  /**
   * Whether a success has to be written down: every now and then, so that others' failures can be told from an outage,
   * and at once where refusals have to be forgotten.
   */
  mustTouch(): boolean {
    const now = performance.now();
    if (!this.destination?.hasRefusals && now - this.touchedAt < this.parts.options.touchMs) return false;
    if (this.destination) this.destination.hasRefusals = false;
    this.touchedAt = now;
    return true;
  }

  private paused(reason: string, detail: string): void {
    this.forget();
    this.onClosed();
    this.parts.logger.warn('destination.paused', { tenant_id: this.tenantId, reason });
    this.parts.observer.destinationPaused(this.tenantId, reason, detail);
  }
}
