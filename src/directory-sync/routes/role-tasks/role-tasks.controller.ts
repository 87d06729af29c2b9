import { Get, Param, Query } from '@nestjs/common';
import { ApiExcludeEndpoint, ApiOperation } from '@nestjs/swagger';
import { Clock } from '../../../base/clock.js';
import { PAGE_OPTIONS, readPage, type Page } from '../../../base/http/page.js';
import { queryOptions, type Query as QueryMap } from '../../../base/http/query.js';
import { taskPage, type TaskBody } from '../../../engine/work/tasks.dto.js';
import { TasksRepository } from '../../../engine/work/tasks.repository.js';
import { ApiController } from '../../../tenancy/tenants/api-key.guard.js';
import { CurrentCaller, RequireScope, type Caller } from '../../../tenancy/tenants/caller.js';
import { DirectoriesService } from '../../directories/directories.service.js';

/** Lists the tasks of one directory, with their progress. */
@ApiController('directories/:directory_id', { tag: 'directories' })
@RequireScope('directories:read')
export class RoleTasksController {
  constructor(
    private readonly tasks: TasksRepository,
    private readonly directories: DirectoriesService,
    private readonly clock: Clock,
  ) {}

  @Get('tasks')
  @ApiOperation({ summary: 'Tasks for changed rules and memberships, newest first, with their progress' })
  async list(
    @CurrentCaller() caller: Caller,
    @Param('directory_id') directoryId: string,
    @Query() query: QueryMap,
  ): Promise<Page<TaskBody>> {
    queryOptions(query, PAGE_OPTIONS);
    await this.directories.demand(caller.tenantId, directoryId);
    const page = readPage(query, `tasks ${directoryId}`);
    const rows = await this.tasks.list(caller.tenantId, { directoryId }, page);
    return taskPage(page, rows, this.clock.now());
  }

  /** The name that the list had first. */
  @Get('jobs')
  @ApiExcludeEndpoint()
  listJobs(
    @CurrentCaller() caller: Caller,
    @Param('directory_id') directoryId: string,
    @Query() query: QueryMap,
  ): Promise<Page<TaskBody>> {
    return this.list(caller, directoryId, query);
  }
}
