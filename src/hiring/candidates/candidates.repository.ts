import { Injectable } from '@nestjs/common';
import type { CutRows } from '../../base/database/byte-cut.js';
import { Database, type SqlRunner } from '../../base/database/database.js';
import type { Params } from '../../base/database/params.js';
import { nextUpdatedSince, listRecords } from '../../base/database/record-list.js';
import { WriteStatement } from '../../base/database/write-statement.js';
import type { PageRequest } from '../../base/http/page.js';
import { hasTitle } from '../jobs/jobs.repository.js';
import type { CandidateRow } from './candidate.js';
import { CANDIDATE_COLUMNS, candidateEmailKey, namesOf, WRITTEN } from './candidate.mapping.js';

export interface CandidateFilter {
  email?: string | undefined;
  external_id?: string | undefined;
  ats_priority?: string | undefined;
  stage?: string | undefined;
  ats_status?: string | undefined;
  openings?: readonly string[] | undefined;
  connection?: string | undefined;
  /** The beginning of a name, an e-mail or an `external_id`. */
  q?: string | undefined;
  updated_since?: Date | undefined;
}

/** The columns of a search; names without regard to case. */
const SEARCHED = ['lower(p.first_name) collate "C"', 'lower(p.last_name) collate "C"', 'p.email_key', 'p.external_id'];

const MOST_MERGES = 32;

/** Reads candidates, and makes the statements that write them. */
@Injectable()
export class CandidatesRepository {
  constructor(private readonly db: Database) {}

  async one(tenantId: string, id: string, db: SqlRunner = this.db, lock = false): Promise<CandidateRow | undefined> {
    const { rows } = await db.query<CandidateRow>(
      `select ${CANDIDATE_COLUMNS} from candidates where tenant_id = $1 and id = $2${lock ? ' for update' : ''}`,
      [tenantId, id],
    );
    return rows[0];
  }

  async byExternalId(tenantId: string, externalId: string): Promise<CandidateRow | undefined> {
    const { rows } = await this.db.query<CandidateRow>(
      `select ${CANDIDATE_COLUMNS} from candidates where tenant_id = $1 and external_id = $2`,
      [tenantId, externalId],
    );
    return rows[0];
  }

  /** Returns the id of the candidate with this key, else of the candidate that the last one with it was merged into. */
  async resolve(tenantId: string, externalId: string): Promise<string | null> {
    const { rows } = await this.db.query<{ id: string }>(
      `select id from candidates where tenant_id = $1 and external_id = $2`,
      [tenantId, externalId],
    );
    return rows[0]?.id ?? this.survivor(tenantId, externalId);
  }

  list(tenantId: string, filter: CandidateFilter, page: PageRequest): Promise<CutRows<CandidateRow>> {
    const { email, external_id, ats_priority, stage, ats_status, openings, connection, q } = filter;
    const equal = {
      email_key: email === undefined ? undefined : candidateEmailKey(email),
      external_id,
      ats_priority,
      stage,
      ats_status,
      job_opening_id: openings,
      ats_connection_id: connection,
    };
    const prefix = q === undefined ? undefined : { of: SEARCHED, text: q };
    const table = { table: 'candidates', columns: CANDIDATE_COLUMNS };
    return listRecords<CandidateRow>(
      this.db,
      table,
      tenantId,
      { equal, prefix, updatedSince: filter.updated_since },
      page,
    );
  }

  nextUpdatedSince(tenantId: string): Promise<string> {
    return nextUpdatedSince(this.db, tenantId);
  }

  private async survivor(tenantId: string, externalId: string): Promise<string | null> {
    const { rows } = await this.db.query<{ id: string }>(
      `with recursive merged(id, steps) as (
         (select t.merged_into, 1 from candidate_tombstones t where t.tenant_id = $1 and t.external_id = $2
          order by t.gone_at desc limit 1)
         union all
         select t.merged_into, m.steps + 1 from merged m
           join candidate_tombstones t on t.tenant_id = $1 and t.candidate_id = m.id
         where m.steps < ${MOST_MERGES}
       )
       select c.id from merged m join candidates c on c.tenant_id = $1 and c.id = m.id limit 1`,
      [tenantId, externalId],
    );
    return rows[0]?.id ?? null;
  }
}

const NAMES = namesOf(WRITTEN);

/** Writes nothing where another candidate has the `external_id`, or the opening `titleFrom` has a new title. */
export function insertCandidate(tenantId: string, row: CandidateRow, titleFrom: string | null): WriteStatement {
  // A row that waits for the name of an opening would hold up the rows joined to its statement.
  const joins = titleFrom === null ? { tenantId, key: row.id } : null;
  return new WriteStatement().subject((p) => {
    const list = `${p.shared(tenantId, 'text')}, ${p.add(row.id, 'text')}, ${values(p, row)}`;
    const guard = titleFrom === null ? '' : ` where ${hasTitle(p, tenantId, titleFrom, row.job_title)}`;
    return `insert into candidates (tenant_id, id, ${NAMES}) select ${list} ${p.source}${guard}
      on conflict (tenant_id, external_id) do nothing returning id`;
  }, joins);
}

/** From the last sequence to the next. Writes nothing after a quicker write, or when the opening has a new title. */
export function updateCandidate(tenantId: string, row: CandidateRow, titleFrom: string | null): WriteStatement {
  return new WriteStatement().subject((p) => {
    const tenant = p.add(tenantId, 'text');
    const list = values(p, row);
    const guard = titleFrom === null ? '' : ` and ${hasTitle(p, tenantId, titleFrom, row.job_title)}`;
    return `update candidates set (${NAMES}) = row(${list})
      where tenant_id = ${tenant} and id = ${p.add(row.id, 'text')} and sequence = ${p.add(row.sequence - 1, 'int')}${guard}
      returning id`;
  });
}

/** Keeps the ids as a tombstone. @param mergedInto the candidate that `resolve` returns from then on, or null */
export function removeCandidate(
  tenantId: string,
  { id, external_id, sequence }: CandidateRow,
  at: Date,
  mergedInto: string | null = null,
): WriteStatement {
  const statement = new WriteStatement().subject(
    (p) => `delete from candidates where tenant_id = ${p.add(tenantId, 'text')} and id = ${p.add(id, 'text')}
      and sequence = ${p.add(sequence, 'int')} returning id`,
  );
  statement.add(
    (p) => `insert into candidate_tombstones (tenant_id, candidate_id, external_id, merged_into, sequence, gone_at)
      select ${p.add(tenantId, 'text')}, s.id, ${p.add(external_id, 'text')}, ${p.add(mergedInto, 'text')},
        ${p.add(sequence + 1, 'int')}, ${p.add(at, 'timestamptz')} from subject s`,
  );
  return statement;
}

function values(p: Params, row: CandidateRow): string {
  return WRITTEN.map(({ type, valueOf }) => p.add(valueOf(row), type)).join(', ');
}
