import { Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { Clock } from '../../base/clock.js';
import { ApiFilter, ApiRefusals } from '../../base/http/api-answers.js';
import { pageOf, PAGE_OPTIONS, readPage, type Page } from '../../base/http/page.js';
import { queryChoice, queryOptions, type Query as QueryMap } from '../../base/http/query.js';
import { ApiController } from '../../tenancy/tenants/api-key.guard.js';
import { CurrentCaller, NoScope, RequireScope, type Caller } from '../../tenancy/tenants/caller.js';
import { EvenWhenExhausted } from '../../tenancy/tenants/storage/storage.errors.js';
import { TASK_KINDS, TASK_STATES } from './task.js';
import { taskBody, taskPage, LeftOutBody, TaskBody } from './tasks.dto.js';
import { TasksRepository } from './tasks.repository.js';
import { TasksService } from './tasks.service.js';

@ApiController('tasks')
@RequireScope('admin')
export class TasksController {
  constructor(
    private readonly service: TasksService,
    private readonly tasks: TasksRepository,
    private readonly clock: Clock,
  ) {}

  @Get()
  @RequireScope('settings:read')
  @ApiOperation({ summary: 'Background work, newest first, with progress, estimated end and cause of failure' })
  @ApiFilter('kind', 'Shows tasks of this kind alone.', { enum: TASK_KINDS })
  @ApiFilter('state', 'Shows tasks in this state alone.', { enum: TASK_STATES })
  async list(@CurrentCaller() caller: Caller, @Query() query: QueryMap): Promise<Page<TaskBody>> {
    const options = queryOptions(query, ['kind', 'state', ...PAGE_OPTIONS]);
    const kind = queryChoice('kind', options.kind, TASK_KINDS);
    const state = queryChoice('state', options.state, TASK_STATES);
    const page = readPage(query, `tasks ${kind ?? ''} ${state ?? ''}`);
    const rows = await this.tasks.list(caller.tenantId, { ...(kind && { kinds: [kind] }), state }, page);
    return taskPage(page, rows, this.clock.now());
  }

  @Get(':task_id')
  @NoScope()
  @ApiOperation({
    summary: 'One task',
    description: 'A key without `settings:read` sees the tasks that it began itself, such as a replay.',
  })
  @ApiOkResponse({ type: TaskBody })
  async show(@CurrentCaller() caller: Caller, @Param('task_id') id: string): Promise<TaskBody> {
    return taskBody(await this.service.show(caller, id), this.clock.now());
  }

  @Post(':task_id/cancel')
  @EvenWhenExhausted()
  @HttpCode(200)
  @RequireScope('admin', 'webhooks:manage')
  @ApiRefusals({ 409: ['task_over', 'task_not_cancellable'] })
  @ApiOperation({
    summary: 'Stops a task; what it has done stays',
    description: 'A batch that is under way is finished first. A task that is cancelled already stays as it is.',
  })
  @ApiOkResponse({ type: TaskBody })
  async cancel(@CurrentCaller() caller: Caller, @Param('task_id') id: string): Promise<TaskBody> {
    return taskBody(await this.service.cancel(caller, id), this.clock.now());
  }

  @Get(':task_id/left-out')
  @RequireScope('users:read')
  @ApiOperation({
    summary: 'What the task has left out, each with its reason',
    description:
      'Of a drift run what differs, of a plan of rules the first 1 000 users whose role or seat would change. A key without ' +
      '`settings:read` sees those of the tasks that it began itself.',
  })
  async listLeftOut(
    @CurrentCaller() caller: Caller,
    @Param('task_id') id: string,
    @Query() query: QueryMap,
  ): Promise<Page<LeftOutBody>> {
    queryOptions(query, PAGE_OPTIONS);
    await this.service.show(caller, id);
    const page = readPage(query, `left out of ${id}`);
    const rows = await this.tasks.listLeftOut(caller.tenantId, id, page);
    return pageOf(
      page,
      rows,
      (row) => row.id,
      (row) => row,
    );
  }
}
