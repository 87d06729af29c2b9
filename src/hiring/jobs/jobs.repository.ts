import { Injectable } from '@nestjs/common';
import type { CutRows } from '../../base/database/byte-cut.js';
import { Database, type SqlRunner } from '../../base/database/database.js';
import { nextUpdatedSince } from '../../base/database/next-updated-since.js';
import { listRecords } from '../../base/database/record-list.js';
import type { Params } from '../../base/database/params.js';
import { WriteStatement } from '../../base/database/write-statement.js';
import type { PageRequest } from '../../base/http/page.js';
import type { JobRow } from './job.js';

/** Which openings a list shows. */
export interface JobFilter {
  status?: string | undefined;
  external_id?: string | undefined;
  ats?: string | undefined;
  updated_since?: Date | undefined;
}

const COLUMNS = `id, external_id, ats, ats_connection_id, title, status, department, location, employment_type, url,
  opened_at, closed_at, sequence, created_at, updated_at`;

/** The statements of job openings. */
@Injectable()
export class JobsRepository {
  constructor(private readonly db: Database) {}

  async one(tenantId: string, id: string, db: SqlRunner = this.db): Promise<JobRow | undefined> {
    const { rows } = await db.query<JobRow>(`select ${COLUMNS} from job_openings where tenant_id = $1 and id = $2`, [
      tenantId,
      id,
    ]);
    return rows[0];
  }

  async byExternalId(tenantId: string, externalId: string, db: SqlRunner = this.db): Promise<JobRow | undefined> {
    const { rows } = await db.query<JobRow>(
      `select ${COLUMNS} from job_openings where tenant_id = $1 and external_id = $2`,
      [tenantId, externalId],
    );
    return rows[0];
  }

  /** Returns the openings with these keys, by key. */
  async byExternalIds(
    tenantId: string,
    externalIds: readonly string[],
    db: SqlRunner = this.db,
  ): Promise<ReadonlyMap<string, JobRow>> {
    if (externalIds.length === 0) return new Map();
    const { rows } = await db.query<JobRow>(
      `select ${COLUMNS} from job_openings where tenant_id = $1 and external_id = any($2::text[])`,
      [tenantId, externalIds],
    );
    return new Map(rows.map((row) => [row.external_id, row]));
  }

  /** Gives openings of a connection that is gone to the API. @returns how many */
  async release(tenantId: string, connectionId: string, db: SqlRunner = this.db): Promise<number> {
    const { rowCount } = await db.query(
      `update job_openings set ats_connection_id = null where tenant_id = $1 and ats_connection_id = $2`,
      [tenantId, connectionId],
    );
    return rowCount ?? 0;
  }

  /** Returns a page, newest first. */
  list(tenantId: string, filter: JobFilter, page: PageRequest): Promise<CutRows<JobRow>> {
    const { updated_since: updatedSince, ...equal } = filter;
    const table = { table: 'job_openings', columns: COLUMNS };
    return listRecords<JobRow>(this.db, table, tenantId, { equal, updatedSince }, page);
  }

  /** Returns the `updated_since` of the next call. */
  nextUpdatedSince(tenantId: string): Promise<string> {
    return nextUpdatedSince(this.db, tenantId);
  }

  /** Returns the statement that adds an opening. */
  insert(tenantId: string, row: JobRow): WriteStatement {
    return new WriteStatement().subject(
      (p) => `insert into job_openings (tenant_id, ${COLUMNS})
        values (${p.add(tenantId)}, ${p.add(row.id)}, ${p.add(row.external_id)}, ${values(p, row)}) returning id`,
    );
  }

  /** Returns the statement that replaces the contents of an opening. */
  update(tenantId: string, row: JobRow): WriteStatement {
    return new WriteStatement().subject((p) => {
      const tenant = p.add(tenantId);
      return `update job_openings set (ats, ats_connection_id, title, status, department, location, employment_type, url,
          opened_at, closed_at, sequence, created_at, updated_at) =
          row(${values(p, row)})
        where tenant_id = ${tenant} and id = ${p.add(row.id)} returning id`;
    });
  }
}

/** The values of an opening after its ids. */
function values(p: Params, row: JobRow): string {
  const { ats, ats_connection_id, title, status, department, location, employment_type, url } = row;
  const texts = [ats, ats_connection_id, title, status, department, location, employment_type, url];
  return [
    ...texts.map((value) => p.add(value, 'text')),
    ...[row.opened_at, row.closed_at].map((value) => p.add(value, 'timestamptz')),
    p.add(row.sequence, 'int'),
    ...[row.created_at, row.updated_at].map((value) => p.add(value, 'timestamptz')),
  ].join(', ');
}
