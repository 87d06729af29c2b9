import { Body, HttpCode, Param, Post, Res } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOperation } from '@nestjs/swagger';
import { ApiRecord, ApiRefusals } from '../../../base/http/api-answers.js';
import type { BridgeResponse } from '../../../base/http/request.js';
import { newTaskBody, TaskBody } from '../../../engine/work/tasks.dto.js';
import { ApiController } from '../../../tenancy/tenants/api-key.guard.js';
import { CurrentCaller, RequireEveryScope, type Caller } from '../../../tenancy/tenants/caller.js';
import { GroupRulesService } from '../../directories/group-rules.service.js';
import { GroupRules } from '../../directories/groups.dto.js';
import { RulesPlanTask } from './rules-plan-task.js';
import { RulesPlanBody } from './rules-plan.dto.js';
import { RulesPlan } from './rules-plan.js';

/** Shows the effect of group rules before they are written. */
@ApiController('directories/:directory_id/rules/plan', { tag: 'directories' })
@RequireEveryScope('users:read', 'directories:read')
export class RulesPlanController {
  constructor(
    private readonly plan: RulesPlan,
    private readonly tasks: RulesPlanTask,
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
    return newTaskBody(await this.tasks.begin(caller, id, rules, users));
  }
}
