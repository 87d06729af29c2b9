import type { Channel } from '../channel.js';
import type { DestinationKey } from '../destination.js';
import type { LeasedLane, SettledStep } from '../lane-state.js';
import { settle, type ParkedLane } from '../lanes/settle.js';
import { deliveryId, type Sent } from '../outcome.js';
import type { PumpParts } from './pump-parts.js';

/** Writes one line and one count for each request that went out: ids and figures, no names. */
export function reportAttempts(
  { tenantId, channel, id }: DestinationKey,
  { subject, call }: LeasedLane,
  { outcome, attempts }: Sent,
  { metrics, logger }: Pick<PumpParts, 'metrics' | 'logger'>,
): void {
  for (const attempt of attempts) {
    if (attempt.method === 'NONE') continue;
    metrics.attempts.inc({ channel, outcome: attempt.outcome });
    metrics.duration.observe({ channel }, attempt.ms / 1000);
    if (!logger.infoEnabled) continue;
    logger.line({
      message: 'delivery.attempted',
      tenant_id: tenantId,
      channel,
      destination: id,
      user_id: isUser(channel) ? subject : undefined,
      subject: isUser(channel) ? undefined : subject,
      delivery_id: deliveryId(subject, call),
      through: call.through,
      method: attempt.method,
      status: attempt.status,
      outcome: outcome.kind,
      reason: attempt.outcome,
      ms: attempt.ms,
    });
  }
}

export function subjectField(channel: string, subject: string): Record<string, string> {
  return isUser(channel) ? { user_id: subject } : { subject };
}

const isUser = (channel: string): boolean => channel === 'platform';

const MOST = 500;
const ENOUGH = 128;
/** With this number of steps waiting for a batch the database is late, and the pump claims nothing. */
const MANY = 256;
const TRIES = 4;

/**
 * Collects the outcomes of lanes of one destination and writes them in batches.
 *
 * Modes: *empty* (left by the first step), *gathering* (waits for more steps; left after `gatherMs`, with enough steps, or by
 * `flush`), *writing* (one batch is being written while the next one collects; left when no step is left). A batch that cannot
 * be written is tried again; after the last try its lanes are left to the end of their leases.
 */
export class SettleQueue {
  private steps: SettledStep[] = [];
  private writing: Promise<void> | null = null;
  /** The calls that the destination took and that are not noted yet, and whether the next batch notes them. */
  private delivered = 0;
  private touch = false;
  private endGathering: () => void = () => undefined;

  constructor(
    private readonly key: DestinationKey,
    private readonly channel: Channel,
    private readonly parts: PumpParts,
    /** A batch was written: the queue has room again, or lanes of the batch are due. */
    private readonly onWritten: (due: number) => void,
  ) {}

  get empty(): boolean {
    return this.writing === null && this.steps.length === 0;
  }

  /** Steps that are sent and not yet written would be sent once more after a crash, so their number is limited. */
  get full(): boolean {
    return this.steps.length >= MANY;
  }

  add(step: SettledStep): void {
    this.steps.push(step);
    this.writing ??= this.write();
    if (this.steps.length >= ENOUGH) this.endGathering();
  }

  /** Counts a call that the destination took; the next batch notes it with `touch`. */
  countDelivered(touch: boolean): void {
    this.delivered++;
    this.touch ||= touch;
  }

  async flush(): Promise<void> {
    while (this.writing !== null) {
      this.endGathering();
      await this.writing;
    }
  }

  reportParked({ subject, through, reason }: ParkedLane): void {
    const { metrics, logger } = this.parts;
    const { tenantId, channel, id } = this.key;
    metrics.parked.inc({ channel, reason });
    const where = { tenant_id: tenantId, channel, destination: id, ...subjectField(channel, subject) };
    logger.warn('change.parked', { ...where, through, reason });
  }

  private async write(): Promise<void> {
    try {
      while (this.steps.length > 0) {
        await this.gather();
        await this.writeBatch();
      }
    } finally {
      this.writing = null;
    }
  }

  /** One statement for many lanes costs little more than for one. */
  private gather(): Promise<void> {
    if (this.steps.length >= ENOUGH) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, this.parts.options.gatherMs);
      this.endGathering = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  private async writeBatch(): Promise<void> {
    const steps = this.steps.splice(0, MOST);
    const delivered = this.touch ? this.delivered : 0;
    if (this.touch) this.delivered = 0;
    this.touch = false;
    for (let tries = 1; ; tries++) {
      try {
        this.onWritten(await this.settle(steps, delivered));
        return;
      } catch (error) {
        const { tenantId, channel } = this.key;
        const where = { tenant_id: tenantId, channel, lanes: steps.length };
        this.parts.logger.error('delivery.settle_failed', { ...where, attempt: tries, error });
        if (tries === TRIES) return;
        await new Promise((resolve) => setTimeout(resolve, 100 * 4 ** tries));
      }
    }
  }

  private async settle(steps: readonly SettledStep[], delivered: number): Promise<number> {
    const { db, events, options } = this.parts;
    const settled = await settle(db, this.key, steps, {
      ownFailureLimit: options.ownFailureLimit,
      folds: this.channel.folds,
      delivered,
      events,
    });
    for (const one of settled.parked) this.reportParked(one);
    return settled.due;
  }
}
