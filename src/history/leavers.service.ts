import { Injectable } from '@nestjs/common';
import type { CutRows } from '../base/database/byte-cut.js';
import type { PageRequest } from '../base/http/page.js';
import type { LeaverRow } from './leaver.mapping.js';
import { LeaversRepository, type LeaverFilter } from './leavers.repository.js';

const BATCH = 500;

/** Who left, when it was asked for, and when it was true everywhere. */
@Injectable()
export class LeaversService {
  constructor(private readonly repository: LeaversRepository) {}

  list(tenantId: string, filter: LeaverFilter, page: PageRequest): Promise<CutRows<LeaverRow>> {
    return this.repository.list(tenantId, filter, page);
  }

  /** All records that match, newest first, a batch at a time. */
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
