import { Injectable } from '@nestjs/common';
import type { CutRows } from '../../base/database/byte-cut.js';
import type { PageRequest } from '../../base/http/page.js';
import type { LeaverRow } from './leaver.mapping.js';
import { LeaversRepository, type LeaverFilter } from './leavers.repository.js';

const BATCH = 500;

/** Lists leavers with the times of the request and of its effects. */
@Injectable()
export class LeaversService {
  constructor(private readonly repository: LeaversRepository) {}

  list(tenantId: string, filter: LeaverFilter, page: PageRequest): Promise<CutRows<LeaverRow>> {
    return this.repository.list(tenantId, filter, page);
  }

  /** Returns all matching records, newest first, in batches. */
  async *all(tenantId: string, filter: LeaverFilter): AsyncGenerator<LeaverRow[]> {
    let after: string | null = null;
    for (;;) {
      const { rows, cut }: CutRows<LeaverRow> = await this.repository.list(tenantId, filter, {
        limit: BATCH - 1,
        after,
      });
      if (rows.length > 0) yield rows;
      if (!cut && rows.length < BATCH) return;
      after = rows.at(-1)!.sequence;
    }
  }
}
