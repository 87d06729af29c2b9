import { Injectable } from '@nestjs/common';
import { cutAtBytes, cutRowsOf, type CutRows } from '../../../base/database/byte-cut.js';
import { Database } from '../../../base/database/database.js';
import type { PageRequest } from '../../../base/http/page.js';
import { Chain, Chains, type ChainKind } from '../../ledger/chain.js';
import { HeadsRepository } from '../../ledger/heads.repository.js';
import { AUDIT_COLUMNS, type AuditRow, sealedLines, auditChainLine } from './audit.rules.js';

export interface AuditFilter {
  action?: string | undefined;
  actor_id?: string | undefined;
  target_type?: string | undefined;
  target_id?: string | undefined;
  since?: Date | undefined;
  until?: Date | undefined;
}

const BATCH = 1_000;

const TARGET_IF_GIVEN = '($5::text is null or target_type = $5) and ($6::text is null or target_id = $6)';

@Injectable()
export class AuditReader {
  constructor(private readonly db: Database) {}

  /** Returns a page, newest first, with one row more than asked for where the list continues. */
  async list(
    tenantId: string,
    filter: AuditFilter,
    page: Pick<PageRequest, 'limit' | 'after'>,
  ): Promise<CutRows<AuditRow>> {
    // Matching lines may be anywhere in the log: a search.
    const filtered = Object.values(filter).some((value) => value !== undefined);
    // Lines of one target have an index; a condition that may be absent cannot use it.
    const ofTarget = filter.target_type !== undefined && filter.target_id !== undefined;
    const found = await this.db[filtered ? 'search' : 'query']<AuditRow>(
      cutAtBytes(`select ${AUDIT_COLUMNS} from audit_entries
       where tenant_id = $1 and ($2::bigint is null or entry_id < $2)
         and ($3::text is null or action = $3) and ($4::text is null or actor ->> 'id' = $4)
         and ${ofTarget ? 'target_type = $5 and target_id = $6' : TARGET_IF_GIVEN}
         and ($7::timestamptz is null or at >= $7) and ($8::timestamptz is null or at < $8)
       order by audit_entries.entry_id desc limit $9`),
      [
        tenantId,
        page.after,
        filter.action ?? null,
        filter.actor_id ?? null,
        filter.target_type ?? null,
        filter.target_id ?? null,
        filter.since ?? null,
        filter.until ?? null,
        page.limit + 1,
      ],
    );
    return cutRowsOf(found);
  }

  async *all(tenantId: string, filter: AuditFilter): AsyncGenerator<AuditRow[]> {
    let after: string | null = null;
    for (;;) {
      const { rows, cut }: CutRows<AuditRow> = await this.list(tenantId, filter, { limit: BATCH - 1, after });
      if (rows.length > 0) yield rows;
      if (!cut && rows.length < BATCH) return;
      after = rows.at(-1)!.entry_id;
    }
  }
}

const KIND: ChainKind<AuditRow> = {
  chain: 'audit',
  columns: AUDIT_COLUMNS,
  // A tenant is created together with its first line.
  mayBeEmpty: false,
  ordered: false,
  batch: 500,
  line: auditChainLine,
  sealed: (head, rows) => sealedLines(head, rows),
};

@Injectable()
export class AuditChain extends Chain<AuditRow> {
  constructor(db: Database, heads: HeadsRepository, chains: Chains) {
    super(db, heads, chains, KIND);
  }
}
