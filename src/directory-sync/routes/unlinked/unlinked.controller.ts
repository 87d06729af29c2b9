import { Body, Get, HttpCode, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { Conflict } from '../../../base/errors/domain-error.js';
import { ApiPage, ApiRefusals } from '../../../base/http/api-answers.js';
import { csvLine, exportFormat, sendExport } from '../../../base/http/export.js';
import { pageOf, PAGE_OPTIONS, readPage } from '../../../base/http/page.js';
import { queryOptions, type Query as QueryMap } from '../../../base/http/query.js';
import type { BridgeRequest, BridgeResponse } from '../../../base/http/request.js';
import { TaskBody } from '../../../engine/work/tasks.dto.js';
import { ApiController } from '../../../tenancy/tenants/api-key.guard.js';
import { CurrentCaller, RequireEveryScope, RequireScope, type Caller } from '../../../tenancy/tenants/caller.js';
import { EvenWhenExhausted } from '../../../tenancy/tenants/storage/storage.errors.js';
import { countedAnswer } from '../../users/held/held-tasks.js';
import { GuardSelection, HeldCount } from '../../users/held/held.dto.js';
import { UnlinkedUserBody, type UnlinkedUserRow, UnlinkedDepartures, type Successor } from './unlinked-departures.js';

export const UNLINKED_COLUMNS = [
  'user_id',
  'user_name',
  'email',
  'first_name',
  'last_name',
  'role',
  'seat',
  'held',
  'updated_at',
] as const satisfies readonly (keyof UnlinkedUserBody)[];

export function unlinkedBody(row: UnlinkedUserRow): UnlinkedUserBody {
  return { ...row, updated_at: row.updated_at.toISOString() };
}

export function unlinkedCells(row: UnlinkedUserRow): unknown[] {
  const body = unlinkedBody(row);
  return UNLINKED_COLUMNS.map((column) => body[column]);
}

const EXPORTED = 1_000;

@ApiController('directories/:directory_id/unlinked', { tag: 'directories' })
@RequireScope('admin')
export class UnlinkedController {
  constructor(private readonly unlinked: UnlinkedDepartures) {}

  @Get()
  @RequireEveryScope('users:read', 'directories:read')
  @ApiRefusals({ 409: ['no_take_over', 'going_live'] })
  @ApiOperation({
    summary: 'Active users of the replaced directory that this directory has not linked, by id',
    description: 'Empty for a directory without `takes_over`. `format=csv` or `format=ndjson` exports all of them.',
  })
  @ApiPage(UnlinkedUserBody, { exports: true })
  async list(
    @CurrentCaller() { tenantId }: Caller,
    @Param('directory_id') id: string,
    @Query() query: QueryMap,
    @Req() req: BridgeRequest,
    @Res() res: BridgeResponse,
  ): Promise<void> {
    const options = queryOptions(query, ['format', ...PAGE_OPTIONS]);
    const format = exportFormat(options.format, req.headers.accept);
    const page = readPage(query, `unlinked ${id}`);
    const successor = await this.unlinked.successorOf(tenantId, id);
    if (format !== 'json') return sendExport(res, format, 'unlinked-users', this.export(successor, format));
    const limit = page.limit + 1;
    const rows = successor === null ? [] : await this.unlinked.listUsers(successor, { after: page.after, limit });
    res.json(pageOf(page, rows, (row) => row.user_id, unlinkedBody));
  }

  @Post('deactivate')
  @EvenWhenExhausted()
  @HttpCode(202)
  @ApiRefusals({ 409: ['too_many_tasks', 'count_changed', 'administrators_unconfirmed', 'no_take_over', 'going_live'] })
  @ApiOperation({
    summary: 'Deactivates unlinked users in a task; a `dry_run` answers 200 with their number',
    description:
      'This directory takes the users over, as if it had written `active: false`. Its guard holds departures above its limit.',
  })
  @ApiAcceptedResponse({ type: TaskBody })
  @ApiOkResponse({ type: HeldCount })
  async deactivate(
    @CurrentCaller() caller: Caller,
    @Param('directory_id') id: string,
    @Body() body: GuardSelection,
    @Res({ passthrough: true }) res: BridgeResponse,
  ): Promise<TaskBody | HeldCount> {
    const successor = await this.unlinked.successorOf(caller.tenantId, id);
    if (successor === null) {
      throw new Conflict(
        'no_take_over',
        'The directory takes over no other one: there are no users that it has not linked.',
      );
    }
    const choice = { user_ids: body.user_ids };
    const count = await this.unlinked.countUsers(successor, choice);
    return countedAnswer(caller, body, count, res, () => this.unlinked.begin(caller, successor, choice, count.count));
  }

  private async *export(successor: Successor | null, format: 'csv' | 'ndjson'): AsyncGenerator<string> {
    if (format === 'csv') yield csvLine(UNLINKED_COLUMNS);
    if (successor === null) return;
    let after: string | null = null;
    do {
      const rows = await this.unlinked.listUsers(successor, { after, limit: EXPORTED });
      yield rows
        .map((row) => (format === 'csv' ? csvLine(unlinkedCells(row)) : `${JSON.stringify(unlinkedBody(row))}\n`))
        .join('');
      after = rows.length < EXPORTED ? null : rows.at(-1)!.user_id;
    } while (after !== null);
  }
}
