import type { Destination, DestinationKey } from '../destination.js';
import { afterFailure, afterSuccess, isAway, newHealth, probePause, type Health } from '../destination.rules.js';
import type { LeasedLane } from '../lane-state.js';
import type { Outcome } from '../outcome.js';
import { stageOf, type FailureRules } from '../retry.rules.js';
import type { PumpParts } from './pump-parts.js';

/** A limit of calls a second: a token bucket that holds a tenth of a second's worth. */
export class Rate {
  private tokens: number;
  private at: number;

  constructor(
    private readonly perSecond: number,
    now: number,
  ) {
    this.tokens = Math.max(1, perSecond / 10);
    this.at = now;
  }

  /** Takes one call. Returns 0, or how many milliseconds to wait before the next try. */
  take(now: number): number {
    this.tokens = Math.min(Math.max(1, this.perSecond / 10), this.tokens + ((now - this.at) * this.perSecond) / 1000);
    this.at = now;
    if (this.tokens >= 1) {
      this.tokens -= 1;
      return 0;
    }
    return Math.ceil(((1 - this.tokens) * 1000) / this.perSecond);
  }
}

/** How long a copy of a destination is used; a claim that finds it outdated ends it sooner. */
const FRESH_MS = 1_000;
/** How long a copy is used after a claim that found nothing: it may be outdated. */
const SOON_MS = 100;

/**
 * The knowledge of this process about one destination, and the conclusions that it draws from answers.
 *
 * Modes of the copy: *fresh* (left after a second, or by `forget`), *expiring* (a claim found nothing; left after 100 ms),
 * *expired* (left by the read of the next look). Modes of the health: *ramping* (each success allows one more call; left at the
 * concurrency of the destination), *steady*, *failing* (failures in a row are counted; left by a success, or by opening the
 * destination).
 */
export class DestinationWatch {
  private destination: Destination | null = null;
  private readUntil = -Infinity;
  private seenVersion: number | null = null;
  private health: Health = newHealth();
  private rate: Rate | null = null;
  private touchedAt = -Infinity;
  private closingNow = 0;
  private forgotten = 0;

  constructor(
    private readonly key: DestinationKey,
    private readonly rules: FailureRules,
    private readonly parts: PumpParts,
    /** Called when nothing more may be sent: ready lanes have to be handed back. */
    private readonly onClosed: () => void,
  ) {}

  get allowed(): number {
    return this.health.allowed;
  }

  get subjectsFailed(): number {
    return this.health.failures.size;
  }

  get isOk(): boolean {
    return this.destination?.state === 'ok';
  }

  /** Whether an answer has closed the destination, and the database does not show it yet. */
  get isClosing(): boolean {
    return this.closingNow > 0;
  }

  /** How often the copy was given up. Lanes claimed before the last time must not go out. */
  get generation(): number {
    return this.forgotten;
  }

  async current(): Promise<Destination | null> {
    if (performance.now() < this.readUntil) return this.destination;
    const generation = this.forgotten;
    const destination = await this.parts.destinations.read(this.key);
    // A copy that was given up while it was read is read again at the next look.
    this.readUntil = generation === this.forgotten ? performance.now() + FRESH_MS : -Infinity;
    this.destination = destination;
    const version = destination?.version ?? null;
    if (version !== this.seenVersion) {
      this.seenVersion = version;
      this.rate = destination?.settings.rate ? new Rate(destination.settings.rate, performance.now()) : null;
      // A destination that changed, came back or is new begins with one call. While it is away, failures are kept.
      if (destination?.state !== 'open') this.health = newHealth();
    }
    return destination;
  }

  forget(): void {
    this.forgotten++;
    this.readUntil = -Infinity;
  }

  expireSoon(): void {
    this.readUntil = Math.min(this.readUntil, performance.now() + SOON_MS);
  }

  takeTurn(): number {
    return this.rate?.take(performance.now()) ?? 0;
  }

  /** Notes an answer that shows the destination at work. Returns a promise where a streak of failures ends. */
  succeeded(destination: Destination): Promise<void> | null {
    this.health = afterSuccess(this.health, destination.settings.concurrency);
    if (this.destination?.failingSince == null) return null;
    this.destination.failingSince = null;
    return this.parts.states.recovered(destination);
  }

  /** Notes that the destination is back after an outage: it begins with one call. */
  returned(): void {
    this.health = newHealth();
    this.forget();
  }

  /** Notes an answer that shows the destination in trouble. Opens it unless only this subject fails. */
  async failed(lane: LeasedLane, destination: Destination, outcome: Outcome & { kind: 'unavailable' }): Promise<void> {
    const { reason, retryAfterMs } = outcome;
    this.health = afterFailure(this.health, lane.subject, retryAfterMs !== null || reason === 'status_429');
    const away = destination.state === 'open' || isAway(this.health, this.rules.away);
    const isHeld = this.rules.retryAfterHolds === true && retryAfterMs !== null && retryAfterMs > 0;
    const opens = destination.state !== 'open' && (away || isHeld);
    if (opens) {
      // No call goes out while the database is still writing why.
      this.closingNow++;
      this.onClosed();
    }
    try {
      if (this.rules.endsAfterMs !== null && outcome.notTheirs !== true) await this.failing(destination, reason, away);
      if (opens) await this.open(destination, reason, retryAfterMs);
    } finally {
      if (opens) {
        this.closingNow--;
        this.forget();
      }
    }
  }

  private async open(destination: Destination, reason: string, retryAfterMs: number | null): Promise<void> {
    const subjects = this.subjectsFailed;
    const opened = await this.parts.states.open(destination, reason, (probes) =>
      probePause(probes, subjects, retryAfterMs, this.rules.probe, Math.random()),
    );
    if (opened) this.parts.logger.warn('destination.open', { ...this.fields, reason, subjects });
  }

  private async failing(destination: Destination, reason: string, away: boolean): Promise<void> {
    const known = this.destination ?? destination;
    const now = new Date();
    const stage = stageOf(known.failingSince, this.rules.endsAfterMs!, away, now);
    if (known.failingSince !== null && stage <= known.failingStage) return;
    known.failingSince ??= now;
    known.failingStage = stage;
    if (await this.parts.states.failing(destination, stage, reason)) this.paused('failing');
  }

  async stopped(destination: Destination, { reason, detail }: Outcome & { kind: 'stopped' }): Promise<void> {
    if (await this.parts.states.pauseIfUnchanged(destination, reason, detail)) this.paused(reason);
    else this.forget();
  }

  /** Judges a refusal of a parked subject. Returns false where the settings may be the cause, and the subject is sent again. */
  async refused(lane: LeasedLane, { status }: Outcome & { kind: 'refused' }): Promise<boolean> {
    const { park, pausedNow } = await this.parts.states.refused(this.key, lane.subject, lane.call.through, status);
    if (pausedNow) this.paused('looks_misconfigured');
    else if (this.destination) this.destination.hasRefusals = true;
    return park;
  }

  /**
   * Returns whether a success has to be written: about every second, so that failures of single subjects differ from an outage,
   * and at once where refusals have to be forgotten.
   */
  mustTouch(): boolean {
    const now = performance.now();
    if (!this.destination?.hasRefusals && now - this.touchedAt < this.parts.options.touchMs) return false;
    if (this.destination) this.destination.hasRefusals = false;
    this.touchedAt = now;
    return true;
  }

  private get fields(): Record<string, string> {
    const { tenantId, channel, id } = this.key;
    return { tenant_id: tenantId, channel, destination: id };
  }

  private paused(reason: string): void {
    this.forget();
    this.onClosed();
    this.parts.logger.warn('destination.paused', { ...this.fields, reason });
  }
}
