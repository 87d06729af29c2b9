import { Get, Query, Injectable } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProperty, ApiQuery } from '@nestjs/swagger';
import { InvalidFields } from '../../base/errors/domain-error.js';
import { queryChoice, queryOptions, type Query as QueryMap } from '../../base/http/query.js';
import { UserDirectoryRepository } from '../../directory-sync/users/user-directory.repository.js';
import { CandidatesRepository } from '../../hiring/candidates/candidates.repository.js';
import { InterviewsRepository } from '../../hiring/interviews/interviews.repository.js';
import { JobsRepository } from '../../hiring/jobs/jobs.repository.js';
import { AtsConnectionStore } from '../../integrations/ats/connections/ats-connections.store.js';
import { RecordNames } from '../../integrations/webhooks/messages.service.js';
import { ApiController } from '../../tenancy/tenants/api-key.guard.js';
import { demandScope, CurrentCaller, NoScope, type Caller } from '../../tenancy/tenants/caller.js';

const TYPES = ['candidate', 'job', 'user'] as const;
type Resolvable = (typeof TYPES)[number];

class ResolveBody {
  @ApiProperty()
  found!: boolean;
  @ApiProperty({ type: String, nullable: true })
  id!: string | null;
  @ApiProperty({ enum: TYPES })
  type!: Resolvable;
}

/** An unknown id is 200 too, so that automation tools can branch on it. */
@ApiController('resolve', { unversioned: true })
export class ResolveController {
  private readonly finders: Readonly<
    Record<Resolvable, (tenantId: string, externalId: string) => Promise<string | null>>
  >;

  constructor(candidates: CandidatesRepository, jobs: JobsRepository, users: UserDirectoryRepository) {
    this.finders = {
      candidate: (tenantId, externalId) => candidates.resolve(tenantId, externalId),
      job: async (tenantId, externalId) => (await jobs.byExternalId(tenantId, externalId))?.id ?? null,
      user: async (tenantId, externalId) => (await users.byExternalId(tenantId, externalId))?.id ?? null,
    };
  }

  @Get()
  @NoScope()
  @ApiOperation({
    summary: 'Maps an external id to an internal one; needs the read scope of the type',
    description: 'The id of a candidate that was merged leads to the candidate that it was merged into.',
  })
  @ApiQuery({ name: 'type', enum: TYPES, description: 'The kind of the record: `candidate`, `job` or `user`.' })
  @ApiQuery({ name: 'external_id', description: 'The id in the other system.' })
  @ApiOkResponse({ type: ResolveBody })
  async resolve(@CurrentCaller() caller: Caller, @Query() query: QueryMap): Promise<ResolveBody> {
    const options = queryOptions(query, ['type', 'external_id']);
    const type = queryChoice('type', options.type, TYPES);
    const missing = (['type', 'external_id'] as const).filter((name) => !options[name]);
    if (type === undefined || missing.length > 0) {
      throw new InvalidFields(missing.map((field) => ({ field, message: 'is required' })));
    }
    demandScope(caller, `${type}s:read`);
    const id = await this.finders[type](caller.tenantId, options.external_id!);
    return { found: id !== null, id, type };
  }
}

const OWN_ID = /^[a-z]{3,4}_[0-9a-hjkmnp-tv-z]{26}$/;
/** A candidate's events are found with those of this number of its newest interviews. */
const MOST_INTERVIEWS = 10;

/**
 * Finds records by the names of other systems. An ATS has `4711` for `gh_4711` here: each of the tenant's markers (at
 * most twenty) is tried. A candidate comes with its interviews, which have no id in an ATS.
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
