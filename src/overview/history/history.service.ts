import { Injectable } from '@nestjs/common';
import { cutAtBytes, cutRowsOf, type CutRows } from '../../base/database/byte-cut.js';
import { Database } from '../../base/database/database.js';
import { NotFound } from '../../base/errors/domain-error.js';
import type { PageRequest } from '../../base/http/page.js';
import {
  type EntryRow,
  ENTRY_KINDS,
  keyBound,
  timelineMoment,
  type EntryKind,
  type Order,
  type TimelinePlace,
  readTimelinePlace,
} from './entry.mapping.js';
import { timelineSql } from './timeline.sql.js';

export interface HistoryFilter {
  kinds?: readonly EntryKind[] | undefined;
  since?: Date | undefined;
  until?: Date | undefined;
  order: Order;
}

const BATCH = 500;

@Injectable()
export class HistoryService {
  constructor(private readonly db: Database) {}

  /** @throws {NotFound} when the tenant never had such a user */
  async demandKnown(tenantId: string, userId: string): Promise<void> {
    const { rows } = await this.db.query<{ known: boolean }>(
      `select exists (select 1 from users where tenant_id = $1 and id = $2)
         or exists (select 1 from deleted_users where tenant_id = $1 and id = $2)
         or exists (select 1 from changes where tenant_id = $1 and user_id = $2) as known`,
      [tenantId, userId],
    );
    if (!rows[0]!.known) throw new NotFound('user');
  }

  page(tenantId: string, userId: string, filter: HistoryFilter, page: PageRequest): Promise<CutRows<EntryRow>> {
    return this.readEntries(tenantId, userId, filter, readTimelinePlace(page.after), page.limit + 1);
  }

  async *all(tenantId: string, userId: string, filter: HistoryFilter): AsyncGenerator<EntryRow[]> {
    let place: TimelinePlace | null = null;
    for (;;) {
      const { rows, cut }: CutRows<EntryRow> = await this.readEntries(tenantId, userId, filter, place, BATCH);
      if (rows.length > 0) yield rows;
      if (!cut && rows.length < BATCH) return;
      place = rows.at(-1)!;
    }
  }

  /** Returns up to `count` entries after a place; null means the beginning. */
  private async readEntries(
    tenantId: string,
    userId: string,
    filter: HistoryFilter,
    place: TimelinePlace | null,
    count: number,
  ): Promise<CutRows<EntryRow>> {
    const { order, kinds = ENTRY_KINDS } = filter;
    const found = await this.db.shaped<EntryRow>(cutAtBytes(timelineSql(kinds, order)), [
      tenantId,
      userId,
      filter.since?.toISOString() ?? '-infinity',
      filter.until?.toISOString() ?? 'infinity',
      timelineMoment(place, order),
      count,
      ...kinds.map((kind) => keyBound(place, kind, order)),
    ]);
    return cutRowsOf(found);
  }
}
