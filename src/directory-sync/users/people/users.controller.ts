import { isLongerThan } from '../../../base/characters.js';
import { Body, Delete, Get, Param, Patch, Post, Put, Query, Req, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiQuery } from '@nestjs/swagger';
import { ApiFilter, ApiPaging, ApiRefusals } from '../../../base/http/api-answers.js';
import { pageOf, readPage } from '../../../base/http/page.js';
import { queryChoice, queryOptions, queryTime, type Query as QueryMap } from '../../../base/http/query.js';
import type { BridgeRequest, BridgeResponse } from '../../../base/http/request.js';
import { InvalidFields } from '../../../base/errors/domain-error.js';
import { ApiController } from '../../../tenancy/tenants/api-key.guard.js';
import { CurrentCaller, RequireScope, type Caller } from '../../../tenancy/tenants/caller.js';
import {
  ENDPOINTS_QUERY,
  leftEndpoints,
  LeftEndpointsBody,
  pausesEndpoints,
} from '../../../tenancy/tenants/tenants.dto.js';
import type { LeftEndpoint } from '../../../tenancy/tenants/tenants.events.js';
import { EvenWhenExhausted } from '../../../tenancy/tenants/storage/storage.errors.js';
import { HELD_REASONS } from '../held/held.dto.js';
import { PeopleService, type Ask } from './people.service.js';
import { ChangedUserBody, ChangeUser, CreateUser, PutUser, userBody, UserBody, UserListBody } from '../user.dto.js';
import { UserDirectoryRepository, type NamedUser } from '../user-directory.repository.js';

const TOO_LARGE =
  '422 `document_too_large` where the stored record would be over 256 KiB; `limit` and `bytes` name the figures.';
const FILTERS = [
  'q',
  'email',
  'user_name',
  'external_id',
  'status',
  'role',
  'directory',
  'seat',
  'held',
  'source',
  'updated_since',
] as const;
const HELD_CHOICES = ['any', 'none', ...HELD_REASONS] as const;
const SEATS = ['held', 'none', 'waiting'] as const;
const SOURCES = ['api', 'scim', 'sign-in'] as const;

@ApiController('users', { unversioned: true })
export class UsersController {
  constructor(
    private readonly people: PeopleService,
    private readonly repository: UserDirectoryRepository,
  ) {}

  @Post()
  @EvenWhenExhausted()
  @RequireScope('users:write')
  @ApiRefusals({ 401: ['sign_in_again'], 403: ['role_needs_admin'], 507: ['storage_exhausted'] })
  @ApiOperation({ summary: 'Creates a user', description: TOO_LARGE })
  @ApiCreatedResponse({ type: UserBody })
  async create(
    @CurrentCaller() caller: Caller,
    @Body() body: CreateUser,
    @Req() req: BridgeRequest,
    @Res({ passthrough: true }) res: BridgeResponse,
  ): Promise<UserBody> {
    const row = await this.people.create(caller, body, receivedAt(req));
    res.setHeader('Location', `/api/v1/users/${row.id}`);
    return userBody(row);
  }

  @Get()
  @RequireScope('users:read')
  @ApiOperation({ summary: 'Users, newest first' })
  @ApiFilter(
    'q',
    'The beginning of an e-mail, a name, an `external_id` or a `userName`, at most 200 characters. Also finds users who ' +
      'are held by what was written.',
  )
  @ApiFilter('email', 'Only the users with this e-mail, without regard to case.')
  @ApiFilter('user_name', 'Only users with this `userName`, without regard to case.')
  @ApiFilter('external_id', 'Only the user with this `external_id`, with regard to case.')
  @ApiFilter('status', 'Only users with this status.', { enum: ['active', 'inactive'] })
  @ApiFilter('role', 'Only users with this role.')
  @ApiFilter('directory', 'the id of a directory, or `none`')
  @ApiFilter('seat', 'Only users with this state of the seat.', { enum: SEATS })
  @ApiFilter('held', '`true`: only held users; `false`: only others; or a reason.', { enum: HELD_CHOICES })
  @ApiFilter('source', 'Only users that came through this channel.', { enum: SOURCES })
  @ApiFilter(
    'updated_since',
    'Only users changed since this moment: `next_updated_since` of the last call.',
    'date-time',
  )
  @ApiPaging()
  @ApiOkResponse({ type: UserListBody })
  async list(@CurrentCaller() caller: Caller, @Query() query: QueryMap): Promise<UserListBody> {
    const options = queryOptions(query, [...FILTERS, 'limit', 'cursor']);
    const filter = {
      q: searchText(options.q),
      email: options.email,
      user_name: options.user_name,
      external_id: options.external_id,
      status: queryChoice('status', options.status, ['active', 'inactive']),
      role: options.role,
      directory: options.directory,
      seat: queryChoice('seat', options.seat, SEATS),
      held: queryChoice('held', options.held, HELD_CHOICES),
      source: queryChoice('source', options.source, SOURCES),
      updated_since: queryTime('updated_since', options.updated_since),
    };
    const page = readPage(query, `users ${FILTERS.map((name) => options[name] ?? '').join(' ')}`);
    // Read before the page: changes that commit in between are not on the page.
    const next = await this.repository.nextUpdatedSince(caller.tenantId);
    const rows = await this.repository.list(caller.tenantId, filter, page);
    return { ...pageOf(page, rows, (row) => row.id, userBody), next_updated_since: next };
  }

  @Put('by-external-id/:external_id')
  @EvenWhenExhausted()
  @RequireScope('users:write')
  @ApiRefusals({ 401: ['sign_in_again'], 403: ['role_needs_admin'], 507: ['storage_exhausted'] })
  @ApiOperation({ summary: 'Creates (201) or updates (200) the user with this external_id', description: TOO_LARGE })
  @ApiQuery(ENDPOINTS_QUERY)
  @ApiOkResponse({ type: ChangedUserBody })
  async put(
    @CurrentCaller() caller: Caller,
    @Param('external_id') externalId: string,
    @Body() body: PutUser,
    @Query() query: QueryMap,
    @Req() req: BridgeRequest,
    @Res({ passthrough: true }) res: BridgeResponse,
  ): Promise<ChangedUserBody> {
    if (isLongerThan(externalId, 255)) {
      throw new InvalidFields([{ field: 'external_id', message: 'must have at most 255 characters' }]);
    }
    const { row, endpoints, created } = await this.people.put(caller, externalId, body, askOf(req, query));
    res.status(created ? 201 : 200);
    return changedBody(row, endpoints);
  }

  @Get(':id')
  @RequireScope('users:read')
  @ApiOperation({ summary: 'One user' })
  @ApiOkResponse({ type: UserBody })
  async get(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<UserBody> {
    return userBody(await this.people.get(caller.tenantId, id));
  }

  @Patch(':id')
  @EvenWhenExhausted()
  @RequireScope('users:write')
  @ApiRefusals({ 401: ['sign_in_again'], 403: ['role_needs_admin'], 507: ['storage_exhausted'] })
  @ApiOperation({
    summary: 'Changes a user (JSON merge patch); what a directory manages is 409',
    description: TOO_LARGE,
  })
  @ApiQuery(ENDPOINTS_QUERY)
  @ApiOkResponse({ type: ChangedUserBody })
  async change(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Body() body: ChangeUser,
    @Query() query: QueryMap,
    @Req() req: BridgeRequest,
  ): Promise<ChangedUserBody> {
    const { row, endpoints } = await this.people.change(caller, id, body, askOf(req, query));
    return changedBody(row, endpoints);
  }

  @Delete(':id')
  @RequireScope('users:write')
  @ApiOperation({
    summary: 'Deletes a user',
    description: 'Webhook endpoints that the user has made continue: the answer is 200 then, and names them.',
  })
  @ApiQuery(ENDPOINTS_QUERY)
  @ApiOkResponse({ type: LeftEndpointsBody })
  @ApiNoContentResponse()
  async remove(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Query() query: QueryMap,
    @Req() req: BridgeRequest,
    @Res({ passthrough: true }) res: BridgeResponse,
  ): Promise<LeftEndpointsBody | undefined> {
    return leftEndpoints(res, await this.people.remove(caller, id, askOf(req, query)));
  }
}

function searchText(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  if (text.trim() === '' || isLongerThan(text, 200)) {
    throw new InvalidFields([{ field: 'q', message: 'must have 1 to 200 characters' }]);
  }
  return text.trim();
}

function askOf(req: BridgeRequest, query: QueryMap): Ask {
  const pause = pausesEndpoints(queryOptions(query, ['endpoints']).endpoints);
  return { receivedAt: receivedAt(req), pause };
}

function changedBody(row: NamedUser, endpoints: LeftEndpoint[]): ChangedUserBody {
  return { ...userBody(row), ...(endpoints.length === 0 ? {} : { endpoints }) };
}

function receivedAt(req: BridgeRequest): Date {
  return new Date(Date.now() - (performance.now() - req.startedAt));
}
