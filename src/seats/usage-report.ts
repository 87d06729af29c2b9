import { Injectable } from '@nestjs/common';
import { LedgerReader } from './ledger-reader.js';
import { SeatReportsRepository, type LedgerStep, type ReportMoment } from './seat-reports.repository.js';
import { UsageMeter, type Holders, type Usage } from './usage.rules.js';

/** Usage of one day of the tenant's time zone. */
export interface UsageDay extends Usage {
  day: string;
  limit: number | null;
  final: boolean;
}

const DAY_MS = 86_400_000;
/** Days that are worked out between two looks at the reader. */
const CHUNK = 400;

/** Usage by day over a range of any length: entries and days are read in batches, and none is kept. */
@Injectable()
export class UsageReport {
  constructor(
    private readonly reports: SeatReportsRepository,
    private readonly ledger: LedgerReader,
  ) {}

  /**
   * The days of a half-open range, some hundred at a time.
   *
   * @param from the first day, as 2026-01-31
   * @param to the day after the last one
   * @param moment now; days after it have no figures yet
   */
  async *days(tenantId: string, from: string, to: string, moment: ReportMoment): AsyncGenerator<UsageDay[]> {
    let state: Reading | null = null;
    for (let start = from; start < to;) {
      const end = later(start, CHUNK, to);
      const days = await this.reports.days(tenantId, start, end);
      start = end;
      state ??= await this.begin(tenantId, days[0]!.from);
      const shown: UsageDay[] = [];
      for (const day of days) shown.push(await this.day(day, moment, state));
      yield shown;
    }
  }

  private async day(
    { day, from, to }: { day: string; from: string; to: string },
    moment: ReportMoment,
    state: Reading,
  ): Promise<UsageDay> {
    if (from > moment.as_of) {
      return { day, peak: null, average: null, end: null, distinct_holders: null, limit: null, final: false };
    }
    const meter = new UsageMeter(from, state.count, state.holders);
    for (let row = await state.steps.peek(); row !== null && row.effective_at < to; row = await state.steps.next()) {
      meter.take(row);
      state.count = row.count_after;
      // The newest limit is the one that was written last.
      if (row.details !== null && row.entry_id > state.limitEntry) {
        state.limit = row.details.limit;
        state.limitEntry = row.entry_id;
      }
    }
    const usage = meter.end(to < moment.as_of ? to : moment.as_of);
    return {
      day,
      ...usage,
      limit: state.limit,
      final: moment.sealed_through !== null && to <= moment.sealed_through,
    };
  }

  private async begin(tenantId: string, from: string): Promise<Reading> {
    const last = await this.reports.lastBefore(tenantId, from);
    const limit = await this.reports.limitAt(tenantId, from);
    return {
      count: last?.count_after ?? null,
      limit: limit?.limit ?? null,
      limitEntry: limit?.entry_id ?? 0,
      holders: await this.ledger.holdersBefore(tenantId, from),
      steps: new Steps((after) => this.reports.stepsAfter(tenantId, after), last?.sequence ?? 0),
    };
  }
}

/** How far a report has come. The ids of those who hold a seat are all that it keeps. */
interface Reading {
  count: number | null;
  limit: number | null;
  /** The entry that has set the limit. */
  limitEntry: number;
  readonly holders: Holders;
  readonly steps: Steps;
}

/** The entries of a ledger one by one, read in batches. */
class Steps {
  private batch: LedgerStep[] = [];
  private place = 0;
  private over = false;

  constructor(
    private readonly read: (after: number) => Promise<LedgerStep[]>,
    private after: number,
  ) {}

  /** The present entry; null: there are no more. */
  async peek(): Promise<LedgerStep | null> {
    if (this.place === this.batch.length && !this.over) {
      this.batch = await this.read(this.after);
      this.place = 0;
      this.over = this.batch.length === 0;
      this.after = this.batch.at(-1)?.sequence ?? this.after;
    }
    return this.batch[this.place] ?? null;
  }

  /** Moves to the next entry and returns it. */
  next(): Promise<LedgerStep | null> {
    this.place++;
    return this.peek();
  }
}

/** The day a number of days later, but at most `last`: a day of the year 10000 has no text of ten characters. */
function later(day: string, days: number, last: string): string {
  const time = Math.min(Date.parse(day) + days * DAY_MS, Date.parse(last));
  return new Date(time).toISOString().slice(0, 10);
}
