import { Body, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiNoContentResponse } from '@nestjs/swagger';
import { ApiFilter, ApiPaging, ApiRefusals } from '../../base/http/api-answers.js';
import { PAGE_OPTIONS, pageOf, readPage, type Page } from '../../base/http/page.js';
import { queryChoice, queryOptions, queryTime, type Query as QueryMap } from '../../base/http/query.js';
import type { BridgeResponse } from '../../base/http/request.js';
import { newTaskBody, TaskBody } from '../../engine/work/tasks.dto.js';
import { ApiController } from '../../tenancy/tenants/api-key.guard.js';
import { CurrentCaller, RequireScope, type Caller } from '../../tenancy/tenants/caller.js';
import { EvenWhenExhausted } from '../../tenancy/tenants/storage/storage.errors.js';
import {
  CHANGE_STATES,
  changeBody,
  type AttemptBody,
  type ChangeBody,
  ChangePage,
  ChangeShape,
  DismissChange,
  DismissSelection,
  ParkedCount,
  ParkedSelection,
  ResendChanges,
} from './changes.dto.js';
import { ChangesService, type ChangeAct } from './changes.service.js';

const KINDS = ['created', 'updated', 'deactivated', 'reactivated', 'deleted'] as const;
const FILTERS = ['user_id', 'state', 'kind', 'since', 'directory', 'actor', 'request_id'] as const;

@ApiController('changes')
@RequireScope('admin')
export class ChangesController {
  constructor(private readonly changes: ChangesService) {}

  @Get()
  @RequireScope('changes:read')
  @ApiOperation({ summary: 'User changes, newest first' })
  @ApiFilter('user_id')
  @ApiFilter('state', undefined, { enum: CHANGE_STATES })
  @ApiFilter('kind', undefined, { enum: KINDS })
  @ApiFilter('since', undefined, 'date-time')
  @ApiFilter('directory')
  @ApiFilter('actor', 'Only what this key, directory, user or operator has done: its id.')
  @ApiFilter('request_id')
  @ApiPaging()
  @ApiOkResponse({ type: ChangePage })
  async list(@CurrentCaller() caller: Caller, @Query() query: QueryMap): Promise<Page<ChangeBody>> {
    const options = queryOptions(query, [...FILTERS, ...PAGE_OPTIONS]);
    const filter = {
      user_id: options.user_id,
      state: queryChoice('state', options.state, CHANGE_STATES),
      kind: queryChoice('kind', options.kind, KINDS),
      since: queryTime('since', options.since),
      directory: options.directory,
      actor: options.actor,
      request_id: options.request_id,
    };
    const page = readPage(query, `changes ${FILTERS.map((name) => options[name] ?? '').join(' ')}`);
    const rows = await this.changes.list(caller.tenantId, filter, page);
    return pageOf(page, rows, (row) => row.sequence, changeBody);
  }

  @Get(':id')
  @RequireScope('changes:read')
  @ApiOperation({ summary: 'One change, and everything that was said to the platform because of it' })
  @ApiOkResponse({ type: ChangeShape })
  get(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<ChangeBody & { attempts: AttemptBody[] }> {
    return this.changes.get(caller.tenantId, id);
  }

  @Post('resend')
  @HttpCode(202)
  @ApiRefusals({ 409: ['too_many_tasks'] })
  @ApiOperation({ summary: 'Sends all users who changed since then again, as they are now, in the background' })
  @ApiAcceptedResponse({ type: TaskBody })
  async resend(@CurrentCaller() caller: Caller, @Body() body: ResendChanges): Promise<TaskBody> {
    return newTaskBody(await this.changes.resend(caller, body.since));
  }

  @Post('retry')
  @EvenWhenExhausted()
  @HttpCode(202)
  @ApiRefusals({ 409: ['too_many_tasks'] })
  @ApiOperation({ summary: 'Tries many parked changes again in a task; a `dry_run` answers 200 with their number' })
  @ApiAcceptedResponse({ type: TaskBody })
  @ApiOkResponse({ type: ParkedCount })
  retryAll(
    @CurrentCaller() caller: Caller,
    @Body() body: ParkedSelection,
    @Res({ passthrough: true }) res: BridgeResponse,
  ): Promise<TaskBody | ParkedCount> {
    return this.all(caller, 'retry', body, res);
  }

  @Post('dismiss')
  @EvenWhenExhausted()
  @HttpCode(202)
  @ApiRefusals({ 409: ['too_many_tasks'] })
  @ApiOperation({ summary: 'Gives up many parked changes in a task; `dry_run` as for retry' })
  @ApiAcceptedResponse({ type: TaskBody })
  @ApiOkResponse({ type: ParkedCount })
  dismissAll(
    @CurrentCaller() caller: Caller,
    @Body() body: DismissSelection,
    @Res({ passthrough: true }) res: BridgeResponse,
  ): Promise<TaskBody | ParkedCount> {
    return this.all(caller, 'dismiss', body, res);
  }

  private async all(
    caller: Caller,
    act: ChangeAct,
    { dry_run, ...choice }: DismissSelection,
    res: BridgeResponse,
  ): Promise<TaskBody | ParkedCount> {
    if (dry_run !== true) return newTaskBody(await this.changes.beginTask(caller, act, choice));
    res.status(200);
    return { count: await this.changes.countTask(caller, choice) };
  }

  @Post(':id/retry')
  @EvenWhenExhausted()
  @HttpCode(200)
  @ApiOperation({ summary: 'Tries a parked change again' })
  @ApiOkResponse({ type: ChangeShape })
  retry(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<ChangeBody> {
    return this.changes.retry(caller, id);
  }

  @Post(':id/dismiss')
  @EvenWhenExhausted()
  @HttpCode(200)
  @ApiOperation({ summary: 'Gives a parked change up' })
  @ApiOkResponse({ type: ChangeShape })
  dismiss(@CurrentCaller() caller: Caller, @Param('id') id: string, @Body() body: DismissChange): Promise<ChangeBody> {
    return this.changes.dismiss(caller, id, body.reason ?? null);
  }
}

@ApiController('users/:user_id/resend', { tag: 'changes' })
@RequireScope('admin')
@ApiRefusals()
export class ResendUserController {
  constructor(private readonly changes: ChangesService) {}

  @Post()
  @HttpCode(204)
  @ApiOperation({
    summary: 'Sends one user to the platform again, in the effective state',
    description: '404 also for a user of whom no change was ever to be sent.',
  })
  @ApiNoContentResponse()
  resend(@CurrentCaller() caller: Caller, @Param('user_id') userId: string): Promise<void> {
    return this.changes.resendUser(caller, userId);
  }
}
