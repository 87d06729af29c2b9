import { Body, Post } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { InvalidFields } from '../../base/errors/domain-error.js';
import { ApiRecord, ApiRefusals } from '../../base/http/api-answers.js';
import { OperatorController } from '../../tenancy/tenants/api-key.guard.js';
import { CurrentCaller, type Caller } from '../../tenancy/tenants/caller.js';
import { ConsoleLinkBody, MakeConsoleLink } from './console-access.dto.js';
import { demandOperatorToken } from '../../tenancy/tenants/operator-acts.js';
import { ConsoleLinksService, type ConsoleLink } from './console-links.service.js';

/** Links of the console: the operator's way in, and the way for tenants that are locked out. */
@OperatorController('installation/console-links')
@ApiRefusals()
export class ConsoleLinksController {
  constructor(private readonly links: ConsoleLinksService) {}

  @Post()
  @ApiOperation({
    summary: 'A link of the console: works once, for ten minutes',
    description:
      'Making and using it are in the audit log of the tenant; with the role `operator`, of the installation.',
  })
  @ApiRecord(ConsoleLinkBody, 201)
  @ApiRefusals({ 403: ['operator_token_needed'], 404: ['not_found'] })
  make(
    @CurrentCaller() caller: Caller,
    @Body() { role, tenant_id: tenantId, reason, made_by: madeBy }: MakeConsoleLink,
  ): Promise<ConsoleLink> {
    // A session that made links would renew itself without end.
    demandOperatorToken(caller, 'A link of the console');
    const { actor, requestId } = caller;
    const isOperator = role === 'operator';
    if (isOperator !== (tenantId == null)) throw wrongTenant(isOperator);
    return this.links.make({ role, tenantId: tenantId ?? '', reason, madeBy: madeBy ?? null }, { actor, requestId });
  }
}

function wrongTenant(isOperator: boolean): InvalidFields {
  const message = isOperator ? 'must be left out for the role operator' : 'must be the tenant that the link opens';
  return new InvalidFields([{ field: 'tenant_id', message }]);
}
