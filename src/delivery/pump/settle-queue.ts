import type { Attempt } from '../outcome.js';
import type { PumpParts } from './pump-parts.js';
import type { Settlement, SettledStep } from '../settle.sql.js';

const MOST = 500;
const ENOUGH = 64;

/** Collects what became of the lanes of one tenant and writes it down in batches: the next one while one is written. */
export class SettleQueue {
  private steps: SettledStep[] = [];
  private writing: Promise<void> | null = null;
  /** The next batch also notes that the destination took something. */
  touch = false;
  private hurry: () => void = () => undefined;

  constructor(
    private readonly tenantId: string,
    private readonly parts: PumpParts,
    private readonly onMore: () => void,
  ) {}

  get empty(): boolean {
    return this.writing === null && this.steps.length === 0;
  }

  add(settlement: Settlement, attempts: readonly Attempt[]): void {
    this.steps.push({ settlement, attempts });
    this.writing ??= this.write();
    if (this.steps.length >= ENOUGH) this.hurry();
  }

  /** Waits until all that was added so far is written, at once. */
  async flush(): Promise<void> {
    while (this.writing !== null) {
      this.hurry();
      await this.writing;
    }
  }

  /** Somebody's change is parked. */
  tell(userId: string, through: number, reason: string): void {
    const { observer, metrics, logger } = this.parts;
    metrics.parked.inc({ reason });
    logger.warn('change.parked', { tenant_id: this.tenantId, user_id: userId, through, reason });
    observer.changeParked(this.tenantId, userId, through, reason);
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

  /** One statement for many costs little more than for one: waits a moment for others, unless there are enough. */
  private gather(): Promise<void> {
    if (this.steps.length >= ENOUGH) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, this.parts.options.gatherMs);
      this.hurry = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  private async writeBatch(): Promise<void> {
    const steps = this.steps.splice(0, MOST);
    const touch = this.touch;
    this.touch = false;
    const { lanes, options, logger } = this.parts;
    for (let attempt = 1; ; attempt++) {
      try {
        const settled = await lanes.settle(this.tenantId, steps, { poisonAfter: options.poisonAfter, touch });
        for (const { userId, reason } of settled.parked) {
          const step = steps.find(({ settlement }) => settlement.lane.userId === userId);
          const through = step?.settlement.lane.call.through ?? 0;
          // Whether a refusal is about the person is judged after this; until then nobody is told.
          if (reason !== 'refused') this.tell(userId, through, reason);
        }
        if (settled.more > 0) this.onMore();
        return;
      } catch (error) {
        logger.error('delivery.settle_failed', { tenant_id: this.tenantId, lanes: steps.length, attempt, error });
        // The leases run out, and the same calls are repeated under the same names.
        if (attempt === 4) return;
        await new Promise((resolve) => setTimeout(resolve, 100 * 4 ** attempt));
      }
    }
  }
}
