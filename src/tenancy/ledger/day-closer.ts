import { Injectable } from '@nestjs/common';
import { again, IntervalWork, type TurnOutcome } from '../../base/work/work.js';
import { Chains } from './chain.js';
import { DayClosing } from './day-closing.js';

/** Closes the days of all chains, once after the end of each day (UTC). */
@Injectable()
export class DayCloser extends IntervalWork {
  override readonly kind = 'ledger.days';
  override readonly everyMs = 86_400_000;

  constructor(
    private readonly closing: DayClosing,
    private readonly sources: Chains,
  ) {
    super();
  }

  override async run(): Promise<TurnOutcome> {
    const untilMs = this.closing.untilEndOfDay();
    for (const source of this.sources.all) await this.closing.closeAll(source);
    return again(untilMs);
  }
}
