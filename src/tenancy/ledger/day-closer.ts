import { Injectable } from '@nestjs/common';
import { Logger } from '../../base/log/logger.js';
import { Background } from '../../base/loop.js';
import { Chains } from './chain.js';
import { DayClosing } from './day-closing.js';

const EVERY_MS = 60_000;

/** Closes the days of all chains: at the start, and once after the end of each day (UTC). */
@Injectable()
export class DayCloser extends Background {
  private closedBefore = '';

  constructor(
    private readonly closing: DayClosing,
    private readonly sources: Chains,
    logger: Logger,
  ) {
    super(EVERY_MS, 'closing the day of the chains', logger);
  }

  /** Closes every day that is over; does nothing when that was done today. */
  override async run(): Promise<void> {
    const today = this.closing.today();
    if (this.closedBefore === today) return;
    for (const source of this.sources.all) await this.closing.closeAll(source);
    this.closedBefore = today;
  }
}
