import { Injectable } from '@nestjs/common';
import type { CutRows } from '../../base/database/byte-cut.js';
import { Database, type SqlRunner } from '../../base/database/database.js';
import { nextUpdatedSince, listRecords } from '../../base/database/record-list.js';
import { Conflict, NotFound } from '../../base/errors/domain-error.js';
import type { PageRequest } from '../../base/http/page.js';
import type { CandidateRow } from '../candidates/candidate.js';
import { CandidatesRepository } from '../candidates/candidates.repository.js';
import type { InterviewRow, ScorecardContent, ScorecardRow } from './interview.js';

export interface InterviewFilter {
  candidate_id?: string | undefined;
  job_id?: string | undefined;
  state?: string | undefined;
  updated_since?: Date | undefined;
}

/** Interviews ahead whose plan the engine did not take: without a link, or with a room at the former time. */
interface NotTaken {
  count: number;
  since: Date | null;
  first: string | null;
}

const COLUMNS = `id, candidate_id, job_id, state, starts_at, ends_at, time_zone, interviewers, meeting_url,
  meeting_source, meeting_state, meeting_detail, at_engine, sequence, created_at, updated_at`;

function changing(row: InterviewRow): unknown[] {
  const { job_id, state, starts_at, ends_at, time_zone, interviewers, sequence } = row;
  const { meeting_url, meeting_source, meeting_state, meeting_detail, at_engine } = row;
  const meeting = [meeting_url, meeting_source, meeting_state, meeting_detail, at_engine];
  return [job_id, state, starts_at, ends_at, time_zone, interviewers, ...meeting, sequence];
}

/** Look-ups of an interview whose candidate is merged at the same time. */
const ATTEMPTS = 3;

/**
 * Reads and writes interviews and scorecards. The order of locks is the candidate, then its interviews; a removal or
 * merge of the candidate keeps it. So events and writes to the ATS are numbered in the order of their commits.
 */
@Injectable()
export class InterviewsRepository {
  constructor(
    private readonly db: Database,
    private readonly candidates: CandidatesRepository,
  ) {}

  async one(tenantId: string, id: string, db: SqlRunner = this.db, lock = false): Promise<InterviewRow | undefined> {
    const { rows } = await db.query<InterviewRow>(
      `select ${COLUMNS} from interviews where tenant_id = $1 and id = $2${lock ? ' for update' : ''}`,
      [tenantId, id],
    );
    return rows[0];
  }

  list(tenantId: string, filter: InterviewFilter, page: PageRequest): Promise<CutRows<InterviewRow>> {
    const { updated_since: updatedSince, ...equal } = filter;
    return listRecords<InterviewRow>(
      this.db,
      { table: 'interviews', columns: COLUMNS },
      tenantId,
      { equal, updatedSince },
      page,
    );
  }

  nextUpdatedSince(tenantId: string): Promise<string> {
    return nextUpdatedSince(this.db, tenantId);
  }

  async insert(tx: SqlRunner, tenantId: string, row: InterviewRow): Promise<void> {
    await tx.query(
      `insert into interviews (tenant_id, ${COLUMNS})
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)`,
      [tenantId, row.id, row.candidate_id, ...changing(row), row.created_at, row.updated_at],
    );
  }

  async update(tx: SqlRunner, tenantId: string, row: InterviewRow): Promise<void> {
    await tx.query(
      `update interviews set (job_id, state, starts_at, ends_at, time_zone, interviewers, meeting_url, meeting_source,
         meeting_state, meeting_detail, at_engine, sequence, updated_at)
         = row($3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
       where tenant_id = $1 and id = $2`,
      [tenantId, row.id, ...changing(row), row.updated_at],
    );
  }

  /** Notes the answer of the engine on an interview that still waits for its link. */
  async noteWaiting(tenantId: string, id: string, detail: string): Promise<void> {
    await this.db.query(
      `update interviews set meeting_detail = $3
       where tenant_id = $1 and id = $2 and meeting_state = 'waiting' and meeting_detail is distinct from $3`,
      [tenantId, id, detail],
    );
  }

  /** Interviews stop waiting for a link: no engine could give it. */
  async endWaiting(tx: SqlRunner, tenantId: string): Promise<void> {
    await tx.query(
      `update interviews set meeting_state = 'none', meeting_source = null, meeting_detail = null, sequence = sequence + 1,
         updated_at = now()
       where tenant_id = $1 and meeting_state = 'waiting' and state in ('scheduled', 'in_progress')`,
      [tenantId],
    );
  }

  /** Returns the number of interviews ahead whose plan the engine did not take, and the one that waits longest. */
  async notTaken(tenantId: string): Promise<NotTaken> {
    const { rows } = await this.db.query<NotTaken>(
      `select count(*)::int as count, min(updated_at) as since, (array_agg(id order by updated_at))[1] as first
       from interviews
       where tenant_id = $1 and state = 'scheduled' and meeting_detail is not null and meeting_state <> 'waiting'
         and ends_at > now()`,
      [tenantId],
    );
    return rows[0]!;
  }

  /** @param version null means the newest */
  async scorecard(
    tenantId: string,
    id: string,
    version: number | null,
    db: SqlRunner = this.db,
  ): Promise<ScorecardRow | undefined> {
    const { rows } = await db.query<ScorecardRow>(
      `select interview_id, version, content, created_at from scorecards
       where tenant_id = $1 and interview_id = $2 and ($3::int is null or version = $3)
       order by version desc limit 1`,
      [tenantId, id, version],
    );
    return rows[0];
  }

  async insertScorecard(tx: SqlRunner, tenantId: string, row: ScorecardRow): Promise<void> {
    const content: ScorecardContent = row.content;
    await tx.query(
      `insert into scorecards (tenant_id, interview_id, version, content, created_at) values ($1, $2, $3, $4, $5)`,
      [tenantId, row.interview_id, row.version, JSON.stringify(content), row.created_at],
    );
  }

  /** Removes the interviews and scorecards of a candidate. @returns which, and whether an engine has them */
  async removeOf(
    tx: SqlRunner,
    tenantId: string,
    candidateId: string,
  ): Promise<Pick<InterviewRow, 'id' | 'at_engine' | 'meeting_source'>[]> {
    const { rows } = await tx.query<Pick<InterviewRow, 'id' | 'at_engine' | 'meeting_source'>>(
      `select id, at_engine, meeting_source from interviews where tenant_id = $1 and candidate_id = $2 order by id for update`,
      [tenantId, candidateId],
    );
    const ids = rows.map(({ id }) => id);
    if (ids.length === 0) return rows;
    await tx.query(`delete from scorecards where tenant_id = $1 and interview_id = any($2::text[])`, [tenantId, ids]);
    await tx.query(`delete from interviews where tenant_id = $1 and id = any($2::text[])`, [tenantId, ids]);
    return rows;
  }

  /** Gives the interviews of a candidate to another one. @returns how many */
  async move(tx: SqlRunner, tenantId: string, from: string, into: string, at: Date): Promise<number> {
    const { rowCount } = await tx.query(
      `update interviews set candidate_id = $3, sequence = sequence + 1, updated_at = $4
       where tenant_id = $1 and candidate_id = $2`,
      [tenantId, from, into, at],
    );
    return rowCount ?? 0;
  }

  lockCandidate(tx: SqlRunner, tenantId: string, candidateId: string): Promise<CandidateRow | undefined> {
    return this.candidates.one(tenantId, candidateId, tx, true);
  }

  /** Locks an interview and its candidate. @throws {NotFound} when the tenant has no such interview */
  async lockInterview(
    tx: SqlRunner,
    tenantId: string,
    id: string,
  ): Promise<{ interview: InterviewRow; candidate: CandidateRow }> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const seen = await this.one(tenantId, id, tx);
      if (seen === undefined) throw new NotFound('interview');
      const candidate = await this.lockCandidate(tx, tenantId, seen.candidate_id);
      const interview = await this.one(tenantId, id, tx, true);
      if (interview === undefined) throw new NotFound('interview');
      if (candidate !== undefined && interview.candidate_id === candidate.id) return { interview, candidate };
    }
    throw new Conflict('changed_meanwhile', 'The candidate of the interview was merged meanwhile. Read it again.');
  }
}
