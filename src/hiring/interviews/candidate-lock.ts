import { Injectable } from '@nestjs/common';
import type { SqlRunner } from '../../base/database/database.js';
import { Conflict, NotFound } from '../../base/errors/domain-error.js';
import type { CandidateRow } from '../candidates/candidate.js';
import { CandidatesRepository } from '../candidates/candidates.repository.js';
import type { InterviewRow } from './interview.js';
import { InterviewsRepository } from './interviews.repository.js';

/** The number of look-ups of an interview whose candidate was merged meanwhile. */
const ATTEMPTS = 3;

/**
 * The order of locks: the candidate, then its interviews. A removal or merge of the candidate takes them the same way. What
 * a candidate's interviews bring along (events, writes to the ATS) is so numbered in the order of its commits.
 */
@Injectable()
export class CandidateLock {
  constructor(
    private readonly candidates: CandidatesRepository,
    private readonly interviews: InterviewsRepository,
  ) {}

  /** Locks a candidate; undefined: there is none. */
  take(tx: SqlRunner, tenantId: string, candidateId: string): Promise<CandidateRow | undefined> {
    return this.candidates.one(tenantId, candidateId, tx, true);
  }

  /**
   * Locks an interview and its candidate.
   *
   * @throws {NotFound} when the tenant has no such interview
   */
  async interview(
    tx: SqlRunner,
    tenantId: string,
    id: string,
  ): Promise<{ interview: InterviewRow; candidate: CandidateRow }> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const seen = await this.interviews.one(tenantId, id, tx);
      if (seen === undefined) throw new NotFound('interview');
      const candidate = await this.take(tx, tenantId, seen.candidate_id);
      const interview = await this.interviews.one(tenantId, id, tx, true);
      if (interview === undefined) throw new NotFound('interview');
      if (candidate !== undefined && interview.candidate_id === candidate.id) return { interview, candidate };
    }
    throw new Conflict('changed_meanwhile', 'The candidate of the interview was merged meanwhile. Read it again.');
  }
}
