import { Injectable } from '@nestjs/common';
import { cutAtBytes, cutRowsOf, type CutRows } from '../base/database/byte-cut.js';
import { Database } from '../base/database/database.js';
import { InvalidFields } from '../base/errors/domain-error.js';
import { csvLine } from '../base/http/export.js';
import { queryTime } from '../base/http/query.js';
import type { SealedEntry } from './ledger/chain.rules.js';
import { ALL_EVENTS, EVENT_COLUMNS, eventCells, type EventFilter } from './ledger/event.mapping.js';
import { SeatHolders } from './ledger/seat-holders.js';
import { SEALED_ENTRY_COLUMNS, SeatChain } from './seat-chain.js';
import { SeatReportsRepository, type Holder, type LedgerStep, type ReportMoment } from './seat-reports.repository.js';
import { Holders, UsageMeter, type Usage } from './usage.rules.js';

const BATCH = 1000;
const HOLDERS = 10_000;
const HOLDER_COLUMNS = [
  'user_id',
  'name',
  'email',
  'external_id',
  'since',
  'role',
  'directory_id',
  'directory',
  'cost_center',
  'reason',
] as const;

/** `$2` to `$6` are the values of the filter. */
const MEETS = `($2::text is null or user_id = $2) and ($3::text is null or kind = $3)
  and ($4::text is null or coalesce(directory_id, 'none') = $4)
  and ($5::timestamptz is null or effective_at >= $5) and ($6::timestamptz is null or effective_at < $6)`;

function valuesOf({ user, kind, directory, since, until }: EventFilter): (string | null)[] {
  return [user, kind, directory, since, until];
}

export interface UsageDay extends Usage {
  day: string;
  limit: number | null;
  final: boolean;
}

const DAY_MS = 86_400_000;
const CHUNK = 400;

interface Reading {
  count: number | null;
  limit: number | null;
  limitEntry: number;
  readonly holders: Holders;
  readonly steps: Steps;
}

class Steps {
  private batch: LedgerStep[] = [];
  private place = 0;
  private over = false;

  constructor(
    private readonly read: (after: number) => Promise<LedgerStep[]>,
    private after: number,
  ) {}

  async peek(): Promise<LedgerStep | null> {
    if (this.place === this.batch.length && !this.over) {
      this.batch = await this.read(this.after);
      this.place = 0;
      this.over = this.batch.length === 0;
      this.after = this.batch.at(-1)?.sequence ?? this.after;
    }
    return this.batch[this.place] ?? null;
  }

  next(): Promise<LedgerStep | null> {
    this.place++;
    return this.peek();
  }
}

/** Returns the day `days` later, but at most `last`: a day of the year 10000 has no text of ten characters. */
function later(day: string, days: number, last: string): string {
  const time = Math.min(Date.parse(day) + days * DAY_MS, Date.parse(last));
  return new Date(time).toISOString().slice(0, 10);
}

/** Returns whether a text is an existing day, such as `2026-01-31`. */
export function isDay(text: string | undefined): boolean {
  if (text === undefined || !/^\d{4}-\d\d-\d\d$/.test(text) || text < '0001') return false;
  const day = new Date(`${text}T00:00:00Z`);
  // A day that does not exist, such as 30 February, becomes one of the next month.
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

/** Returns `as_of` for the database: a date unchanged, a time in UTC with all its digits. */
function asOfText(text: string): string {
  return isDay(text) ? text : momentText('as_of', text);
}

/** @throws {InvalidFields} that names the option, for a text that is no time */
function momentText(name: string, text: string): string {
  const time = queryTime(name, isDay(text.slice(0, 10)) ? text : 'no such day')!;
  const digits = /\.(\d+)/.exec(text)?.[1] ?? '';
  return `${time.toISOString().slice(0, 19)}.${digits.padEnd(6, '0').slice(0, 6)}Z`;
}

/**
 * Reads the sealed ledger: pages, exports and usage of any length, in batches. Seals it up to the moment of a report.
 */
@Injectable()
export class LedgerReader {
  constructor(
    private readonly db: Database,
    private readonly reports: SeatReportsRepository,
    private readonly users: SeatHolders,
    private readonly chain: SeatChain,
  ) {}

  async page(
    tenantId: string,
    filter: EventFilter,
    before: number | null,
    limit: number,
  ): Promise<CutRows<SealedEntry>> {
    const found = await this.db.query<SealedEntry>(
      cutAtBytes(`select ${SEALED_ENTRY_COLUMNS} from seat_entries
       where tenant_id = $1 and sequence is not null and ${MEETS}
         and ($7::bigint is null or sequence < $7) order by seat_entries.sequence desc limit $8`),
      [tenantId, ...valuesOf(filter), before, limit],
    );
    return cutRowsOf(found);
  }

  /** Returns matching entries, oldest first. The whole chain as NDJSON can be verified without the service. */
  async *export(tenantId: string, format: 'csv' | 'ndjson', filter: EventFilter = ALL_EVENTS): AsyncGenerator<string> {
    if (format === 'csv') yield csvLine([...EVENT_COLUMNS]);
    for await (const rows of this.all(tenantId, filter)) {
      if (format === 'ndjson') yield rows.map((row) => `${JSON.stringify(row)}\n`).join('');
      else {
        const ids = new Set(rows.flatMap((row) => row.user_id ?? []));
        const people = await this.users.shown(tenantId, [...ids]);
        yield rows.map((row) => csvLine(eventCells(row, people.get(row.user_id ?? '')))).join('');
      }
    }
  }

  /** Returns all holders at a moment. One row `unknown` where the moment is before the first line of the ledger. */
  async *holders(tenantId: string, asOf: string, format: 'csv' | 'ndjson', known: boolean): AsyncGenerator<string> {
    if (format === 'csv') yield csvLine([...HOLDER_COLUMNS]);
    if (!known) {
      yield format === 'csv'
        ? csvLine(HOLDER_COLUMNS.map((column) => (column === 'user_id' ? 'unknown' : null)))
        : `${JSON.stringify({ known, as_of: asOf })}\n`;
      return;
    }
    let after: string | null = null;
    for (;;) {
      const { rows, cut }: CutRows<Holder> = await this.reports.holdersAt(tenantId, asOf, after, BATCH);
      yield rows
        .map((row) =>
          format === 'csv' ? csvLine(HOLDER_COLUMNS.map((column) => row[column])) : `${JSON.stringify(row)}\n`,
        )
        .join('');
      if (!cut && rows.length < BATCH) return;
      after = rows.at(-1)!.user_id;
    }
  }

  private async holdersBefore(tenantId: string, moment: string): Promise<Holders> {
    const holders = new Holders();
    let after = '';
    for (;;) {
      const { rows } = await this.db.query<{ user_id: string; net: number }>(
        `select user_id, sum(delta)::int as net from seat_entries
         where tenant_id = $1 and user_id > $3 and delta <> 0 and effective_at < $2::timestamptz
         group by user_id having sum(delta) <> 0 order by user_id limit ${HOLDERS}`,
        [tenantId, moment, after],
      );
      for (const { user_id: userId, net } of rows) holders.add(userId, net);
      if (rows.length < HOLDERS) return holders;
      after = rows.at(-1)!.user_id;
    }
  }

  private async *all(tenantId: string, filter: EventFilter): AsyncGenerator<SealedEntry[]> {
    let after = 0;
    for (;;) {
      const found = await this.db.query<SealedEntry>(
        cutAtBytes(`select ${SEALED_ENTRY_COLUMNS} from seat_entries where tenant_id = $1 and sequence > $7 and ${MEETS}
          order by seat_entries.sequence limit ${BATCH}`),
        [tenantId, ...valuesOf(filter), after],
      );
      const { rows, cut } = cutRowsOf(found);
      if (rows.length > 0) yield rows;
      if (!cut && rows.length < BATCH) return;
      after = rows.at(-1)!.sequence;
    }
  }

  /** Returns the days from `from` (2026-01-31) until before `to`. Days after `moment` have no figures. */
  async *usageDays(tenantId: string, from: string, to: string, moment: ReportMoment): AsyncGenerator<UsageDay[]> {
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
      holders: await this.holdersBefore(tenantId, from),
      steps: new Steps((after) => this.reports.stepsAfter(tenantId, after), last?.sequence ?? 0),
    };
  }

  async sealNow(tenantId: string): Promise<void> {
    await this.chain.sealNow(tenantId);
  }

  /**
   * Returns the moment of a report, after sealing.
   *
   * @param text a time, or a date: the end of that day in the tenant's time zone; undefined means now
   * @throws {InvalidFields} for other texts, and for a moment after today
   */
  async momentOf(tenantId: string, text: string | undefined): Promise<ReportMoment> {
    const asOf = text === undefined ? undefined : asOfText(text);
    if (asOf !== undefined) await this.demandNotAhead(tenantId, 'as_of', asOf);
    await this.sealNow(tenantId);
    const moment = await this.reports.moment(tenantId, asOf);
    // "Now" is the moment up to which the ledger has just been sealed.
    if (text !== undefined || moment.sealed_through === null) return moment;
    return { ...moment, as_of: moment.sealed_through, final: true };
  }

  /**
   * Returns a time, or the start of a date in the tenant's time zone, as RFC 3339.
   *
   * @throws {InvalidFields} that names the option, for other texts
   */
  async startOfMoment(tenantId: string, name: string, text: string | undefined): Promise<string | null> {
    if (text === undefined) return null;
    return isDay(text) ? this.reports.startOfDay(tenantId, text) : momentText(name, text);
  }

  /**
   * Admits a time later today, since clocks differ.
   *
   * @throws {InvalidFields} that names the option, for a date or time in UTC after the tenant's current day
   */
  async demandNotAhead(tenantId: string, name: string, moment: string): Promise<void> {
    const { day, end } = await this.reports.today(tenantId);
    if (isDay(moment) ? moment <= day : Date.parse(moment) <= Date.parse(end)) return;
    const next = name === 'as_of' ? 'leave as_of out for the seats of now' : `begin at ${day} or before`;
    const message = `must not be after today (${day}): the ledger knows nothing of later days; ${next}`;
    throw new InvalidFields([{ field: name, message }]);
  }
}
