import { Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { NotFound } from '../base/errors/domain-error.js';
import { pageOf, PAGE_OPTIONS, readPage, type Page } from '../base/http/page.js';
import { queryOptions, type Query as QueryMap } from '../base/http/query.js';
import { ApiController } from '../tenants/api-controller.js';
import type { Caller } from '../tenants/caller.js';
import { CurrentCaller } from '../tenants/current-caller.js';
import { RequireScope } from '../tenants/require-scope.js';
import { LeftOutRepository } from './left-out.repository.js';
import { LeftOutBody, TaskBody } from './tasks.dto.js';
import { TasksRepository } from './tasks.repository.js';

/** Background work: imports, resends, changed rules, held users. */
@ApiController('tasks')
@RequireScope('admin')
export class TasksController {
  constructor(
    private readonly tasks: TasksRepository,
    private readonly leftOut: LeftOutRepository,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Background work, newest first, with its progress and what it came to' })
  async list(@CurrentCaller() caller: Caller, @Query() query: QueryMap): Promise<Page<TaskBody>> {
    queryOptions(query, PAGE_OPTIONS);
    const page = readPage(query, 'tasks');
    const rows = await this.tasks.list(caller.tenantId, page);
    return pageOf(
      page,
      rows,
      (row) => row.id,
      (row) => row,
    );
  }

  @Get(':task_id')
  @ApiOperation({ summary: 'One task' })
  @ApiOkResponse({ type: TaskBody })
  async show(@CurrentCaller() caller: Caller, @Param('task_id') id: string): Promise<TaskBody> {
    const row = await this.tasks.find(caller.tenantId, id);
    if (row === undefined) throw new NotFound('task');
    return row;
  }

  @Get(':task_id/left-out')
  @ApiOperation({ summary: 'What the task has left out, each with its reason' })
  async listLeftOut(
    @CurrentCaller() caller: Caller,
    @Param('task_id') id: string,
    @Query() query: QueryMap,
  ): Promise<Page<LeftOutBody>> {
    queryOptions(query, PAGE_OPTIONS);
    await this.show(caller, id);
    const page = readPage(query, `left out of ${id}`);
    const rows = await this.leftOut.list(caller.tenantId, id, page);
    return pageOf(
      page,
      rows,
      (row) => row.id,
      (row) => row,
    );
  }
}
