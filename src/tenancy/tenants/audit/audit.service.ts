import { Injectable } from '@nestjs/common';
import { cutAtBytes, cutRowsOf, type CutRows } from '../../../base/database/byte-cut.js';
import { Database, type SqlRunner } from '../../../base/database/database.js';
import type { WriteStatement } from '../../../base/database/write-statement.js';
import type { PageRequest } from '../../../base/http/page.js';
import type { Actor } from '../../identity/source.js';
import { AUDIT_COLUMNS, type AuditRow } from './audit.rules.js';

/** What an administrative write says about itself. */
export interface AuditLine {
  tenantId: string;
  actor: Actor;
  /** `<what>.<done>`: `api_key.created`, `directory.changed`. */
  action: string;
  targetType: string;
  targetId: string;
  /** The record before and after, without secrets; only what changed where it is much. */
  before?: unknown;
  after?: unknown;
  requestId: string | null;
}

/** Who changes the administration of which tenant, in which request. */
export type AuditBy = Pick<AuditLine, 'tenantId' | 'actor' | 'requestId'>;

/** Which lines a list of the audit log shows. */
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

/** The audit log: one line for each administrative write, in the same transaction, never changed afterwards. */
@Injectable()
export class AuditService {
  constructor(private readonly db: Database) {}

  /** Adds a line. `db` is the transaction of the write that it is about. */
  async record(db: SqlRunner, line: AuditLine): Promise<void> {
    await db.query(
      `insert into audit_entries (tenant_id, actor, action, target_type, target_id, before, after, request_id)
       values ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [
        line.tenantId,
        JSON.stringify(line.actor),
        line.action,
        line.targetType,
        line.targetId,
        line.before === undefined ? null : JSON.stringify(line.before),
        line.after === undefined ? null : JSON.stringify(line.after),
        line.requestId,
      ],
    );
  }

  /** Adds one line for each of many targets that one write changes alike, in the transaction of the write. */
  async recordEach(tx: SqlRunner, line: Omit<AuditLine, 'targetId'>, targetIds: readonly string[]): Promise<void> {
    await tx.query(
      `insert into audit_entries (tenant_id, actor, action, target_type, target_id, before, after, request_id)
       select $1, $2, $3, $4, t.id, $6, $7, $8 from unnest($5::text[]) as t(id)`,
      [
        line.tenantId,
        JSON.stringify(line.actor),
        line.action,
        line.targetType,
        targetIds,
        JSON.stringify(line.before ?? null),
        JSON.stringify(line.after ?? null),
        line.requestId,
      ],
    );
  }

  /** Adds a line to the statement that it is about; where that writes nothing, nothing is noted. */
  addTo(statement: WriteStatement, line: AuditLine): void {
    const json = (value: unknown) => (value === undefined ? null : JSON.stringify(value));
    statement.add(
      (p) => `insert into audit_entries (tenant_id, actor, action, target_type, target_id, before, after, request_id)
        select ${p.add(line.tenantId)}, ${p.add(json(line.actor), 'jsonb')}, ${p.add(line.action)}, ${p.add(line.targetType)},
          ${p.add(line.targetId)}, ${p.add(json(line.before), 'jsonb')}, ${p.add(json(line.after), 'jsonb')},
          ${p.add(line.requestId, 'text')} from subject`,
    );
  }

  /** A page, newest first: one row more than asked for says that there is another. */
  async list(
    tenantId: string,
    filter: AuditFilter,
    page: Pick<PageRequest, 'limit' | 'after'>,
  ): Promise<CutRows<AuditRow>> {
    // What a filter picks may be anywhere in the log: a search.
    const filtered = Object.values(filter).some((value) => value !== undefined);
    // One target's lines have an index; a condition that may be absent cannot use it.
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

  /** All lines that match, newest first, a batch at a time. */
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
