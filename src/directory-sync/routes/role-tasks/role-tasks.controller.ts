import { Get, Param, Query, Body, HttpCode, Post, Res } from '@nestjs/common';
import { ApiExcludeEndpoint, ApiOperation, ApiAcceptedResponse } from '@nestjs/swagger';
import { Clock } from '../../../base/clock.js';
import { ApiRecord, ApiRefusals } from '../../../base/http/api-answers.js';
import { PAGE_OPTIONS, readPage, type Page } from '../../../base/http/page.js';
import { queryOptions, type Query as QueryMap } from '../../../base/http/query.js';
import type { BridgeResponse } from '../../../base/http/request.js';
import { taskPage, TaskBody, newTaskBody } from '../../../engine/work/tasks.dto.js';
import { TasksRepository } from '../../../engine/work/tasks.repository.js';
import { ApiController } from '../../../tenancy/tenants/api-key.guard.js';
import { CurrentCaller, RequireScope, type Caller, RequireEveryScope } from '../../../tenancy/tenants/caller.js';
import { GroupRules } from '../../directories/directories.dto.js';
import { DirectoriesService } from '../../directories/directories.service.js';
import { GroupRulesService } from '../../directories/group-rules.service.js';
import { RulesPlan, RulesPlanBody } from './rules-plan.js';

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

  /** The former path of the list. */
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

@ApiController('directories/:directory_id/rules/plan', { tag: 'directories' })
@RequireEveryScope('users:read', 'directories:read')
export class RulesPlanController {
  constructor(
    private readonly plan: RulesPlan,
    private readonly rules: GroupRulesService,
  ) {}

  @Post()
  @HttpCode(200)
  @ApiRefusals({ 409: ['too_many_tasks', 'plan_under_way'] })
  @ApiOperation({
    summary: 'The users whose role or seat would change with these rules; changes nothing',
    description:
      'Takes the `rules` of `PUT /directories/{directory_id}/rules`. For a directory of 1 000 users or more 202 with a task, of which a tenant has one at a time: ' +
      'its `result` has the counts (`changed` for `total`), and `GET /tasks/{task_id}/left-out` the first 1 000 users. The ' +
      'writes of a directory in preview, or of one that was replaced, have no effect: its plan is empty.',
  })
  @ApiRecord(RulesPlanBody)
  @ApiAcceptedResponse({ type: TaskBody })
  async show(
    @CurrentCaller() caller: Caller,
    @Param('directory_id') id: string,
    @Body() { rules }: GroupRules,
    @Res({ passthrough: true }) res: BridgeResponse,
  ): Promise<RulesPlanBody | TaskBody> {
    await this.rules.demandKnown(caller.tenantId, id, rules);
    const users = await this.plan.large(caller.tenantId, id);
    if (users === null) return this.plan.of(caller.tenantId, id, rules);
    res.status(202);
    return newTaskBody(await this.plan.begin(caller, id, rules, users));
  }
}
