import { Get, Param, Query } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { ApiPage, ApiRefusals } from '../../../base/http/api-answers.js';
import { NotFound } from '../../../base/errors/domain-error.js';
import { pageOf, PAGE_OPTIONS, readPage, type Page } from '../../../base/http/page.js';
import { queryOptions, type Query as QueryMap } from '../../../base/http/query.js';
import { ApiController } from '../../../tenancy/tenants/api-key.guard.js';
import { CurrentCaller, RequireScope, type Caller } from '../../../tenancy/tenants/caller.js';
import { WorkEntries } from '../../../engine/work/work-entries.repository.js';
import { AtsConnectionStore } from '../connections/ats-connections.store.js';
import { waitingReason, type WaitingReason } from '../connections/waiting.rules.js';
import { RunBody } from './runs.dto.js';
import { RunsRepository, type RunRow } from './runs.repository.js';
import { SYNC_WORK } from './syncs.repository.js';

/** The runs of a connection. */
@ApiController('ats-connections/:connection_id/runs', { tag: 'ats-connections' })
@ApiRefusals()
export class RunsController {
  constructor(
    private readonly runs: RunsRepository,
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
    const rows = await this.runs.list(tenantId, id, page.after, page.limit);
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
