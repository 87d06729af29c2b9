import { Injectable } from '@nestjs/common';
import { InvalidFields } from '../../base/errors/domain-error.js';
import { csvLine } from '../../base/http/export.js';
import { queryChoice, queryTime } from '../../base/http/query.js';
import { JobsRepository } from '../jobs/jobs.repository.js';
import { ATS_STATUSES, type CandidateRow } from './candidate.js';
import { CandidatesRepository, type CandidateFilter } from './candidates.repository.js';

/** The filters of the list of candidates, as the query names them. */
export const CANDIDATE_FILTERS = [
  'email',
  'external_id',
  'ats_priority',
  'stage',
  'ats_status',
  'job',
  'connection',
  'q',
  'updated_since',
] as const;

/** The least characters of a prefix: one letter is the beginning of too many names. */
const LEAST_PREFIX = 2;
const MOST_PREFIX = 100;
const PAGE = 200;

const COLUMNS = [
  'id',
  'external_id',
  'first_name',
  'last_name',
  'email',
  'job_title',
  'stage',
  'ats_status',
  'ats_connection_id',
  'job_opening_id',
  'created_at',
  'updated_at',
] as const satisfies readonly (keyof CandidateRow)[];

/** Reads lists of candidates for recruiting. */
@Injectable()
export class CandidateList {
  constructor(
    private readonly repository: CandidatesRepository,
    private readonly jobs: JobsRepository,
  ) {}

  /** Returns the filter that a query names. @throws {InvalidFields} */
  async filterOf(
    tenantId: string,
    query: Partial<Record<(typeof CANDIDATE_FILTERS)[number], string>>,
  ): Promise<CandidateFilter> {
    const { email, external_id, ats_priority, stage, job, connection, q } = query;
    return {
      email,
      external_id,
      ats_priority,
      stage,
      ats_status: queryChoice('ats_status', query.ats_status, ATS_STATUSES),
      openings: job === undefined ? undefined : await this.namesOf(tenantId, job),
      connection,
      q: q === undefined ? undefined : prefixOf(q),
      updated_since: queryTime('updated_since', query.updated_since),
    };
  }

  /** Returns all candidates of a filter as CSV, newest first, a page at a time. */
  async *csv(tenantId: string, filter: CandidateFilter): AsyncGenerator<string> {
    yield csvLine(COLUMNS);
    for (let after: string | null = null; ;) {
      const { rows }: { rows: CandidateRow[] } = await this.repository.list(tenantId, filter, {
        list: 'candidates',
        after,
        limit: PAGE,
      });
      const page = rows.slice(0, PAGE);
      if (page.length > 0) yield page.map((row) => csvLine(COLUMNS.map((name) => row[name]))).join('');
      if (page.length === 0) return;
      after = page.at(-1)!.id;
    }
  }

  /** Metadata names an opening by its id or its `external_id`. */
  private async namesOf(tenantId: string, job: string): Promise<readonly string[]> {
    const found = (await this.jobs.one(tenantId, job)) ?? (await this.jobs.byExternalId(tenantId, job));
    return found === undefined ? [job] : [found.id, found.external_id];
  }
}

/** @throws {InvalidFields} for a prefix that is too short or too long */
function prefixOf(text: string): string {
  const prefix = text.normalize('NFC').trim().toLowerCase();
  if (prefix.length >= LEAST_PREFIX && prefix.length <= MOST_PREFIX) return prefix;
  throw new InvalidFields([{ field: 'q', message: `must have ${LEAST_PREFIX} to ${MOST_PREFIX} characters` }]);
}
