import { Controller, Delete, Get, HttpCode, Param, Req, UseGuards } from '@nestjs/common';
import { ApiCookieAuth, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { NotFound } from '../../../base/errors/domain-error.js';
import { ApiList, ApiRefusals } from '../../../base/http/api-answers.js';
import { AuthAddresses } from '../../connections/addresses.js';
import { demandSameSite } from './same-site.js';
import { SessionGuard, type SessionRequest } from './session.guard.js';
import { OwnSessionBody, SessionBody } from './sessions.dto.js';
import type { SessionRow } from './live-sessions.repository.js';
import { LiveSessions } from './live-sessions.js';

/** The sessions of the signed-in user. */
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
