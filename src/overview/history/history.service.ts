import { Injectable } from '@nestjs/common';
import { NotFound } from '../../base/errors/domain-error.js';
import type { CutRows } from '../../base/database/byte-cut.js';
import type { PageRequest } from '../../base/http/page.js';
import type { EntryRow } from './entry.mapping.js';
import { HistoryRepository, type HistoryFilter } from './history.repository.js';
import { readTimelinePlace, type TimelinePlace } from './timeline.rules.js';

const BATCH = 500;

/** Returns the history of a user, also of a deleted one. */
@Injectable()
export class HistoryService {
  constructor(private readonly repository: HistoryRepository) {}

  /**
   * Checks that the tenant has, or ever had, a user with this id.
   *
   * @throws {NotFound} when it never had
   */
  async demandKnown(tenantId: string, userId: string): Promise<void> {
    if (!(await this.repository.isKnown(tenantId, userId))) throw new NotFound('user');
  }

  /** Returns a page and one more entry, which shows whether a page follows. */
  page(tenantId: string, userId: string, filter: HistoryFilter, page: PageRequest): Promise<CutRows<EntryRow>> {
    return this.repository.read(tenantId, userId, filter, readTimelinePlace(page.after), page.limit + 1);
  }

  /** Returns all matching entries, in batches. */
  async *all(tenantId: string, userId: string, filter: HistoryFilter): AsyncGenerator<EntryRow[]> {
    let place: TimelinePlace | null = null;
    for (;;) {
      const { rows, cut }: CutRows<EntryRow> = await this.repository.read(tenantId, userId, filter, place, BATCH);
      if (rows.length > 0) yield rows;
      if (!cut && rows.length < BATCH) return;
      place = rows.at(-1)!;
    }
  }
}
