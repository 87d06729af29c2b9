import { Injectable } from '@nestjs/common';
import { AtsConnectionStore } from '../../integrations/ats/connections/ats-connections.store.js';
import { CandidatesRepository } from '../../hiring/candidates/candidates.repository.js';
import { InterviewsRepository } from '../../hiring/interviews/interviews.repository.js';
import { JobsRepository } from '../../hiring/jobs/jobs.repository.js';
import { RecordNames } from '../../integrations/webhooks/message.js';

/** An id of this service. */
const OWN_ID = /^[a-z]{3,4}_[0-9a-hjkmnp-tv-z]{26}$/;
/** The newest interviews of a candidate whose events are found with those of the candidate. */
const MOST_INTERVIEWS = 10;

/**
 * Finds records by the names of other systems. An ATS has `4711` for what is `gh_4711` here: each marker of the tenant is
 * tried, of which there are at most twenty. A candidate comes with its interviews, which have no id in an ATS.
 */
@Injectable()
export class NamesOfRecords extends RecordNames {
  constructor(
    private readonly candidates: CandidatesRepository,
    private readonly interviews: InterviewsRepository,
    private readonly jobs: JobsRepository,
    private readonly connections: AtsConnectionStore,
  ) {
    super();
  }

  override async recordsOf(tenantId: string, name: string): Promise<readonly string[]> {
    if (OWN_ID.test(name)) return [name];
    const markers = (await this.connections.of(tenantId)).map(({ marker }) => marker);
    for (const externalId of [name, ...markers.map((marker) => marker + name)]) {
      const candidate = await this.candidates.resolve(tenantId, externalId);
      if (candidate !== null) return [candidate, ...(await this.interviewsOf(tenantId, candidate))];
      const job = await this.jobs.byExternalId(tenantId, externalId);
      if (job !== undefined) return [job.id];
    }
    return [name];
  }

  private async interviewsOf(tenantId: string, candidateId: string): Promise<string[]> {
    const page = { after: null, limit: MOST_INTERVIEWS, list: '' };
    const { rows } = await this.interviews.list(tenantId, { candidate_id: candidateId }, page);
    return rows.slice(0, MOST_INTERVIEWS).map(({ id }) => id);
  }
}
