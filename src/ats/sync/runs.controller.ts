import { Get, Param, Query } from '@nestjs/common';
import { ApiOperation, ApiProperty } from '@nestjs/swagger';
import { ApiPage } from '../../base/http/api-answers.js';
import { ApiRefusals } from '../../base/http/api-problems.js';
import { NotFound } from '../../base/errors/domain-error.js';
import { pageOf, PAGE_OPTIONS, readPage, type Page } from '../../base/http/page.js';
import { queryOptions, type Query as QueryMap } from '../../base/http/query.js';
import { ApiController } from '../../tenants/api-controller.js';
import type { Caller } from '../../tenants/caller.js';
import { CurrentCaller } from '../../tenants/current-caller.js';
import { RequireScope } from '../../tenants/require-scope.js';
import { AtsConnectionStore } from '../connections/ats-connections.store.js';
import { PHASES, type Phase } from './pass.js';
import { RUN_STATES, RunsRepository, type RunRow, type RunState } from './runs.repository.js';

/** What a run came to. */
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

/** A record that could not be taken. */
class LeftOutBody {
  @ApiProperty({ type: String, nullable: true })
  remote_id!: string | null;
  @ApiProperty()
  reason!: string;
}

/** One pass over the records of an ATS. */
class RunBody {
  @ApiProperty({ example: 'run_01k0000000abcdefghjkmnpqrs' })
  id!: string;
  @ApiProperty({ enum: ['first', 'scheduled', 'by_hand'] })
  reason!: string;
  @ApiProperty({ description: 'Everything was read, and what the ATS has no more was noticed.' })
  full!: boolean;
  @ApiProperty({ enum: RUN_STATES, description: '`waiting`: the ATS does not answer; the run goes on where it was.' })
  state!: RunState;
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

/** The runs of a connection. */
@ApiController('ats-connections/:connection_id/runs', { tag: 'ats-connections' })
@ApiRefusals()
export class RunsController {
  constructor(
    private readonly runs: RunsRepository,
    private readonly connections: AtsConnectionStore,
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
    if ((await this.connections.get(tenantId, id)) === undefined) throw new NotFound('ATS connection');
    const rows = await this.runs.list(tenantId, id, page.after, page.limit);
    return pageOf(page, rows, (row) => row.id, runBody);
  }
}

function runBody(row: RunRow): RunBody {
  const { id, reason, state, phase, counts, left_out, error, started_at: began, finished_at: ended } = row;
  return {
    ...{ id, reason, full: row.is_full, state, phase, counts, left_out, error },
    started_at: began.toISOString(),
    finished_at: ended?.toISOString() ?? null,
    duration_ms: ended === null ? null : ended.getTime() - began.getTime(),
  };
}
