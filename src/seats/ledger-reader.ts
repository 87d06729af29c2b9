import { Injectable } from '@nestjs/common';
import { cutAtBytes, cutRowsOf, type CutRows } from '../base/database/byte-cut.js';
import { Database } from '../base/database/database.js';
import { csvLine } from '../base/http/export.js';
import { SeatReportsRepository, type Holder } from './seat-reports.repository.js';
import { SeatHolders } from './ledger/seat-holders.js';
import { Holders } from './usage.rules.js';
import type { SealedEntry } from './ledger/chain.rules.js';
import { ALL_EVENTS, EVENT_COLUMNS, eventCells, type EventFilter } from './ledger/event.mapping.js';
import { SEALED_ENTRY_COLUMNS } from './seat-chain.js';

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

/** Reads the sealed ledger: pages, and exports of any length. */
@Injectable()
export class LedgerReader {
  constructor(
    private readonly db: Database,
    private readonly reports: SeatReportsRepository,
    private readonly users: SeatHolders,
  ) {}

  /** Entries that meet the filter, newest first, before the given sequence. */
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

  /** The entries that meet the filter, oldest first. The whole chain as NDJSON can be verified without the service. */
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

  /** All holders at a moment. Before the first line of the ledger it is not known whether there are any: one row says so. */
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

  /** Returns the users who held a seat just before a moment, read in batches. */
  async holdersBefore(tenantId: string, moment: string): Promise<Holders> {
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
}

/** The condition of a filter; its values are `$2` to `$6`. */
const MEETS = `($2::text is null or user_id = $2) and ($3::text is null or kind = $3)
  and ($4::text is null or coalesce(directory_id, 'none') = $4)
  and ($5::timestamptz is null or effective_at >= $5) and ($6::timestamptz is null or effective_at < $6)`;

function valuesOf({ user, kind, directory, since, until }: EventFilter): (string | null)[] {
  return [user, kind, directory, since, until];
}
