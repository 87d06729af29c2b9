import { Body, HttpCode, Param, Post } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { ApiRecord } from '../../../base/http/api-answers.js';
import { ApiRefusals } from '../../../base/http/api-problems.js';
import { ApiController } from '../../../tenancy/tenants/api-controller.js';
import type { Caller } from '../../../tenancy/tenants/caller.js';
import { CurrentCaller } from '../../../tenancy/tenants/current-caller.js';
import { RequireEveryScope } from '../../../tenancy/tenants/require-scope.js';
import { GroupRules } from '../../directories/groups.dto.js';
import { RulesPlanBody } from './rules-plan.dto.js';
import { RulesPlan } from './rules-plan.js';

/** Shows the effect of group rules before they are written. */
@ApiController('directories/:directory_id/rules/plan', { tag: 'directories' })
@RequireEveryScope('users:read', 'directories:read')
export class RulesPlanController {
  constructor(private readonly plan: RulesPlan) {}

  @Post()
  @HttpCode(200)
  @ApiRefusals({ 422: ['too_many_users'] })
  @ApiOperation({
    summary: 'The users whose role or seat would change with these rules; changes nothing',
    description:
      'Takes the body of `PUT /directories/{directory_id}/rules`. Counts all users of the directory, of which there may be ' +
      '10 000. The writes of a directory in preview, or of one that was replaced, have no effect: its plan is empty.',
  })
  @ApiRecord(RulesPlanBody)
  show(
    @CurrentCaller() { tenantId }: Caller,
    @Param('directory_id') id: string,
    @Body() { rules }: GroupRules,
  ): Promise<RulesPlanBody> {
    return this.plan.of(tenantId, id, rules);
  }
}
