import { Body, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { ApiRefusals } from '../../base/http/api-answers.js';
import { pageOf, PAGE_OPTIONS, readPage, type Page } from '../../base/http/page.js';
import { queryOptions, type Query as QueryMap } from '../../base/http/query.js';
import { ApiController } from './api-key.guard.js';
import { CurrentCaller, RecentSignIn, RequireScope, type Caller } from './caller.js';
import { RolesService } from './roles.service.js';
import { ChangeRole, CreateRole, RoleBody } from './administrators.js';

@ApiController('roles')
@RequireScope('admin')
export class RolesController {
  constructor(private readonly roles: RolesService) {}

  @RecentSignIn()
  @Post()
  @ApiRefusals({ 409: ['role_exists', 'too_many_roles'] })
  @ApiOperation({ summary: 'A new role' })
  @ApiCreatedResponse({ type: RoleBody })
  create(@CurrentCaller() caller: Caller, @Body() body: CreateRole): Promise<RoleBody> {
    return this.roles.create(caller, body);
  }

  @Get()
  @RequireScope('settings:read')
  @ApiOperation({ summary: 'The catalogue of roles, by name' })
  async list(@CurrentCaller() caller: Caller, @Query() query: QueryMap): Promise<Page<RoleBody>> {
    queryOptions(query, PAGE_OPTIONS);
    const page = readPage(query, 'roles');
    return pageOf(
      page,
      await this.roles.list(caller.tenantId, page),
      (role) => role.name,
      (role) => role,
    );
  }

  @Get(':name')
  @RequireScope('settings:read')
  @ApiOperation({ summary: 'One role' })
  @ApiOkResponse({ type: RoleBody })
  get(@CurrentCaller() caller: Caller, @Param('name') name: string): Promise<RoleBody> {
    return this.roles.get(caller.tenantId, name);
  }

  @RecentSignIn()
  @Patch(':name')
  @ApiRefusals({ 409: ['role_in_use', 'administrators_unconfirmed'] })
  @ApiOperation({ summary: 'Whether a role takes a seat (not while users hold it), and whether it administers' })
  @ApiOkResponse({ type: RoleBody })
  change(@CurrentCaller() caller: Caller, @Param('name') name: string, @Body() body: ChangeRole): Promise<RoleBody> {
    return this.roles.change(caller, name, body);
  }

  @Delete(':name')
  @HttpCode(204)
  @ApiOperation({ summary: 'Deletes a role that nothing uses' })
  @ApiNoContentResponse()
  remove(@CurrentCaller() caller: Caller, @Param('name') name: string): Promise<void> {
    return this.roles.remove(caller, name);
  }
}
