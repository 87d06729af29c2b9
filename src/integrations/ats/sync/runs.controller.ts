import { Get, Param, Query } from '@nestjs/common';
import { ApiProperty, ApiOperation } from '@nestjs/swagger';
import { NotFound } from '../../../base/errors/domain-error.js';
import { ApiPage, ApiRefusals } from '../../../base/http/api-answers.js';
import { pageOf, PAGE_OPTIONS, readPage, type Page } from '../../../base/http/page.js';
import { queryOptions, type Query as QueryMap } from '../../../base/http/query.js';
import { WorkEntries } from '../../../engine/work/work-entries.repository.js';
import { ApiController } from '../../../tenancy/tenants/api-key.guard.js';
import { CurrentCaller, RequireScope, type Caller } from '../../../tenancy/tenants/caller.js';
import { AtsConnectionStore } from '../connections/ats-connections.store.js';
import { WAITING_REASONS, type WaitingReason, waitingReason } from '../connections/connection.js';
import { RUN_STATES, type RunState, PassProgress, type RunRow } from './pass-progress.js';
import { PASS_REASONS, PHASES, type PassReason, type Phase } from './pass.js';
import { SYNC_WORK } from './syncs.repository.js';

class RunCountsBody {
  @ApiProperty({ type: 'integer', description: 'Records that the ATS has shown.' })
  read!: number;
  @ApiProperty({ type: 'integer' })
  created!: number;
  @ApiProperty({ type: 'integer' })
  updated!: number;
  @ApiProperty({ type: 'integer', description: 'Job openings.' })
  closed!: number;
  @ApiProperty({ type: 'integer', description: 'Candidates, merged ones included.' })
  deleted!: number;
  @ApiProperty({ type: 'integer', description: 'Records outside of what the connection takes.' })
  not_taken!: number;
  @ApiProperty({ type: 'integer', description: 'Records that could not be taken.' })
  left_out!: number;
}

class LeftOutBody {
  @ApiProperty({ type: String, nullable: true })
  remote_id!: string | null;
  @ApiProperty()
  reason!: string;
}

class RunBody {
  @ApiProperty({ example: 'run_01k0000000abcdefghjkmnpqrs' })
  id!: string;
  @ApiProperty({
    enum: PASS_REASONS,
    description: '`webhooks_made`: the run reads what changed while the ATS had no webhooks to tell of it.',
  })
  reason!: PassReason;
  @ApiProperty({ description: 'Everything was read, and what the ATS has no more was noticed.' })
  full!: boolean;
  @ApiProperty({
    enum: RUN_STATES,
    description: '`waiting`: the ATS does not answer; the run resumes at its place later.',
  })
  state!: RunState;
  @ApiProperty({
    type: String,
    enum: WAITING_REASONS,
    nullable: true,
    description:
      'Of a run that is not over, why its next page is not read at this moment. `under_way`: a worker reads; where its process has ended, another one continues within 20 seconds. `queued`: its next page is read next.',
  })
  waiting_reason!: WaitingReason | null;
  @ApiProperty({ type: String, enum: PHASES, nullable: true, description: 'What is being read.' })
  phase!: Phase | null;
  @ApiProperty({ type: RunCountsBody })
  counts!: RunCountsBody;
  @ApiProperty({ type: [LeftOutBody], description: 'The first hundred.' })
  left_out!: LeftOutBody[];
  @ApiProperty({ type: String, nullable: true })
  error!: string | null;
  @ApiProperty({ type: String, format: 'date-time' })
  started_at!: string;
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  finished_at!: string | null;
  @ApiProperty({ type: 'integer', nullable: true })
  duration_ms!: number | null;
}

@ApiController('ats-connections/:connection_id/runs', { tag: 'ats-connections' })
@ApiRefusals()
export class RunsController {
  constructor(
    private readonly progress: PassProgress,
    private readonly connections: AtsConnectionStore,
    private readonly entries: WorkEntries,
  ) {}

  @Get()
  @RequireScope('ats:read', 'ats:manage')
  @ApiOperation({ summary: 'The passes over the records of the ATS, newest first, with counts and progress' })
  @ApiPage(RunBody)
  async list(
    @CurrentCaller() { tenantId }: Caller,
    @Param('connection_id') id: string,
    @Query() query: QueryMap,
  ): Promise<Page<RunBody>> {
    queryOptions(query, PAGE_OPTIONS);
    const page = readPage(query, `ats-runs ${id}`);
    const connection = await this.connections.get(tenantId, id);
    if (connection === undefined) throw new NotFound('ATS connection');
    const rows = await this.progress.listRuns(tenantId, id, page.after, page.limit);
    const state = rows.some(isOpen) ? await this.entries.stateOf(tenantId, SYNC_WORK, id) : undefined;
    const reason = waitingReason(connection, state, new Date());
    return pageOf(
      page,
      rows,
      (row) => row.id,
      (row) => runBody(row, isOpen(row) ? reason : null),
    );
  }
}

function isOpen({ state }: RunRow): boolean {
  return state === 'running' || state === 'waiting';
}

function runBody(row: RunRow, waitingReason: WaitingReason | null): RunBody {
  const { id, reason, state, phase, counts, left_out, error, started_at: began, finished_at: ended } = row;
  return {
    ...{ id, reason, full: row.is_full, state, waiting_reason: waitingReason, phase, counts, left_out, error },
    started_at: began.toISOString(),
    finished_at: ended?.toISOString() ?? null,
    duration_ms: ended === null ? null : ended.getTime() - began.getTime(),
  };
}
