import { Controller, Delete, Get, HttpCode, Param, Req, UseGuards } from '@nestjs/common';
import { ApiCookieAuth, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Database } from '../../../base/database/database.js';
import { NotFound } from '../../../base/errors/domain-error.js';
import { ApiList, ApiRefusals } from '../../../base/http/api-answers.js';
import { ApiController } from '../../../tenancy/tenants/api-key.guard.js';
import { AuditService } from '../../../tenancy/tenants/audit/audit.service.js';
import { CurrentCaller, RequireEveryScope, RequireScope, type Caller } from '../../../tenancy/tenants/caller.js';
import { AuthAddresses } from '../../connections/addresses.js';
import { AccountsRepository } from '../accounts/accounts.repository.js';
import { type SessionRow, LiveSessions } from './live-sessions.js';
import { demandSameSite, SessionGuard, type SessionRequest } from './session.guard.js';
import { OwnSessionBody, SessionBody, ListedSessionBody } from './sessions.dto.js';

@Controller('api/auth')
@ApiTags('sign-in')
@ApiRefusals()
@ApiCookieAuth('session')
@UseGuards(SessionGuard)
export class SessionController {
  constructor(
    private readonly sessions: LiveSessions,
    private readonly addresses: AuthAddresses,
  ) {}

  @Get('session')
  @ApiOperation({ summary: 'The session of the cookie, or 401' })
  @ApiOkResponse({ type: SessionBody })
  show(@Req() { session }: SessionRequest): SessionBody {
    return {
      user: {
        id: session.user_id,
        email: session.email,
        first_name: session.first_name,
        last_name: session.last_name,
        role: session.role,
      },
      tenant: { id: session.tenant_id, name: session.tenant_name },
      connection: connectionOf(session),
      session: { id: session.id, created_at: session.created_at, auth_context: session.auth_context },
      expires_at: this.sessions.endOf(session),
    };
  }

  @Get('sessions')
  @ApiOperation({ summary: 'One’s own sessions, newest first; `current` is this one' })
  @ApiList(OwnSessionBody)
  async list(@Req() { session }: SessionRequest): Promise<{ data: OwnSessionBody[] }> {
    const all = await this.sessions.list(session.tenant_id, session.user_id);
    return { data: all.map((one) => ({ ...one, current: one.id === session.id })) };
  }

  @Delete('sessions/:session_id')
  @HttpCode(204)
  @ApiOperation({ summary: 'Ends one of one’s own sessions' })
  @ApiNoContentResponse()
  @ApiRefusals({ 403: ['cross_site_request'] })
  async end(@Req() req: SessionRequest, @Param('session_id') id: string): Promise<void> {
    demandSameSite(req, this.addresses.origin);
    const { tenant_id: tenantId, user_id: userId } = req.session;
    if (!(await this.sessions.endOne(tenantId, userId, id, 'signed_out'))) throw new NotFound('session');
  }
}

function connectionOf(session: SessionRow): SessionBody['connection'] {
  const { connection_id: id, connection_slug: slug, connection_name: name, connection_type: type } = session;
  if (id === null || slug === null || name === null || type === null) return null;
  return { id, slug, name, type };
}

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
