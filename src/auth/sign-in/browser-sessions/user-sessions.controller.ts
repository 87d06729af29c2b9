import { Delete, Get, HttpCode, Param } from '@nestjs/common';
import { ApiNoContentResponse, ApiOperation } from '@nestjs/swagger';
import { Database } from '../../../base/database/database.js';
import { NotFound } from '../../../base/errors/domain-error.js';
import { ApiList, ApiRefusals } from '../../../base/http/api-answers.js';
import { ApiController } from '../../../tenancy/tenants/api-key.guard.js';
import { AuditService } from '../../../tenancy/tenants/audit/audit.service.js';
import { CurrentCaller, RequireEveryScope, RequireScope, type Caller } from '../../../tenancy/tenants/caller.js';
import { AccountsRepository } from '../accounts/accounts.repository.js';
import { ListedSessionBody } from './sessions.dto.js';
import { LiveSessions } from './live-sessions.js';

/** The sessions of a user, for administrators. */
@ApiController('users/:user_id/sessions', { tag: 'sign-in' })
@RequireScope('admin')
@ApiRefusals()
export class UserSessionsController {
  constructor(
    private readonly sessions: LiveSessions,
    private readonly accounts: AccountsRepository,
    private readonly audit: AuditService,
    private readonly db: Database,
  ) {}

  @Get()
  @RequireEveryScope('users:read', 'sign-ins:read')
  @ApiOperation({ summary: 'The live sessions of a user, newest first' })
  @ApiList(ListedSessionBody)
  async list(
    @CurrentCaller() caller: Caller,
    @Param('user_id') userId: string,
  ): Promise<{ data: ListedSessionBody[] }> {
    await this.demandPerson(caller, userId);
    return { data: await this.sessions.list(caller.tenantId, userId) };
  }

  @Delete()
  @HttpCode(204)
  @ApiOperation({ summary: 'Ends all sessions of a user' })
  @ApiNoContentResponse()
  async endAll(@CurrentCaller() caller: Caller, @Param('user_id') userId: string): Promise<void> {
    await this.demandPerson(caller, userId);
    await this.db.transaction(caller.tenantId, async (tx) => {
      const ended = await this.sessions.endAll(tx, caller.tenantId, userId, 'ended_by_admin');
      await this.audit.record(tx, { ...noteOf(caller, userId), after: { ended } });
    });
  }

  @Delete(':session_id')
  @HttpCode(204)
  @ApiOperation({ summary: 'Ends one session of a user' })
  @ApiNoContentResponse()
  async endOne(
    @CurrentCaller() caller: Caller,
    @Param('user_id') userId: string,
    @Param('session_id') id: string,
  ): Promise<void> {
    await this.db.transaction(caller.tenantId, async (tx) => {
      if (!(await this.sessions.endOne(caller.tenantId, userId, id, 'ended_by_admin', tx)))
        throw new NotFound('session');
      await this.audit.record(tx, { ...noteOf(caller, userId), after: { session_id: id } });
    });
  }

  private async demandPerson(caller: Caller, userId: string): Promise<void> {
    if ((await this.accounts.person(caller.tenantId, userId)) === null) throw new NotFound('user');
  }
}

function noteOf(caller: Caller, userId: string) {
  const { tenantId, actor, requestId } = caller;
  return { tenantId, actor, requestId, action: 'sessions.ended', targetType: 'user', targetId: userId };
}
