import { Body, Delete, Get, HttpCode, Param, Patch, Post, Put, Query, Req } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { NotFound } from '../../base/errors/domain-error.js';
import { withAllowFromNotice } from '../../base/http/allowed-networks.js';
import { ApiPage, ApiRefusals } from '../../base/http/api-answers.js';
import { pageOf, PAGE_OPTIONS, readPage, type Page } from '../../base/http/page.js';
import { queryOptions, type Query as QueryMap } from '../../base/http/query.js';
import type { BridgeRequest } from '../../base/http/request.js';
import { ApiController } from '../../tenancy/tenants/api-key.guard.js';
import {
  CurrentCaller,
  RequireEveryScope,
  RequireScope,
  RecentSignIn,
  type Caller,
} from '../../tenancy/tenants/caller.js';
import {
  ChangeDirectory,
  CreateDirectory,
  DirectoryBody,
  DirectoryDetailBody,
  NewDirectoryBody,
  GroupMemberBody,
  ReplacedRules,
} from './directories.dto.js';
import type { GroupRuleRow } from './directories.repository.js';
import { DirectoriesService } from './directories.service.js';
import { FORCE_OPTION, isForced } from './directory-marks.js';
import { DirectoryContent, type GroupListRow, type PendingMemberRow } from './directory-people.js';
import { GroupRulesService } from './group-rules.service.js';

@ApiController('directories')
@RequireScope('admin')
export class DirectoriesController {
  constructor(
    private readonly directories: DirectoriesService,
    private readonly rules: GroupRulesService,
    private readonly content: DirectoryContent,
  ) {}

  @RecentSignIn()
  @Post()
  @ApiRefusals({ 409: ['too_many_directories'] })
  @ApiOperation({ summary: 'Creates a directory with its first SCIM token, which only this answer shows' })
  @ApiCreatedResponse({ type: NewDirectoryBody })
  async create(
    @CurrentCaller() caller: Caller,
    @Req() req: BridgeRequest,
    @Body() body: CreateDirectory,
  ): Promise<NewDirectoryBody> {
    return withAllowFromNotice(await this.directories.create(caller, body), req);
  }

  @Get()
  @RequireScope('directories:read')
  @ApiOperation({ summary: 'The directories of this tenant, newest first' })
  async list(@CurrentCaller() caller: Caller, @Query() query: QueryMap): Promise<Page<DirectoryBody>> {
    queryOptions(query, PAGE_OPTIONS);
    const page = readPage(query, 'directories');
    const rows = await this.directories.list(caller.tenantId, page);
    const shown = await Promise.all(rows.map((row) => this.directories.viewOf(caller.tenantId, row)));
    return pageOf(
      page,
      shown,
      (row) => row.id,
      (row) => row,
    );
  }

  @Get(':directory_id')
  @RequireScope('directories:read')
  @ApiOperation({ summary: 'One directory, with its counts, its last request and its last refused credential' })
  @ApiOkResponse({ type: DirectoryDetailBody })
  get(@CurrentCaller() caller: Caller, @Param('directory_id') id: string): Promise<DirectoryDetailBody> {
    return this.directories.get(caller.tenantId, id);
  }

  @RecentSignIn()
  @Patch(':directory_id')
  @ApiRefusals({ 409: ['seats_needed', 'administrators_unconfirmed'] })
  @ApiOperation({ summary: 'Changes a directory' })
  @ApiOkResponse({ type: DirectoryBody })
  async change(
    @CurrentCaller() caller: Caller,
    @Req() req: BridgeRequest,
    @Param('directory_id') id: string,
    @Body() body: ChangeDirectory,
  ): Promise<DirectoryBody> {
    return withAllowFromNotice(await this.directories.change(caller, id, body), req);
  }

  @Delete(':directory_id')
  @HttpCode(204)
  @ApiOperation({
    summary: 'Deletes a directory; its users stay active and become unmanaged, and nothing is forwarded',
  })
  @FORCE_OPTION
  @ApiRefusals({ 409: ['credential_in_use'] })
  @ApiNoContentResponse()
  remove(@CurrentCaller() caller: Caller, @Param('directory_id') id: string, @Query() query: QueryMap): Promise<void> {
    return this.directories.remove(caller, id, isForced(query));
  }

  @Get(':directory_id/rules')
  @RequireScope('directories:read')
  @ApiOperation({ summary: 'The group rules of a directory, in order' })
  async listRules(
    @CurrentCaller() caller: Caller,
    @Param('directory_id') id: string,
  ): Promise<{ rules: GroupRuleRow[] }> {
    return { rules: await this.rules.list(caller.tenantId, id) };
  }

  @RecentSignIn()
  @Put(':directory_id/rules')
  @ApiRefusals({ 409: ['administrators_unconfirmed'] })
  @ApiOperation({ summary: 'Replaces the rules; a task updates the users' })
  async replaceRules(
    @CurrentCaller() caller: Caller,
    @Param('directory_id') id: string,
    @Body() { rules, administrators }: ReplacedRules,
  ): Promise<{ rules: GroupRuleRow[] }> {
    return { rules: await this.rules.replace(caller, id, rules, administrators) };
  }

  @Get(':directory_id/groups')
  @RequireScope('directories:read')
  @ApiOperation({ summary: 'The groups of a directory, newest first' })
  async groups(
    @CurrentCaller() caller: Caller,
    @Param('directory_id') id: string,
    @Query() query: QueryMap,
  ): Promise<Page<GroupListRow>> {
    queryOptions(query, PAGE_OPTIONS);
    await this.directories.demand(caller.tenantId, id);
    const page = readPage(query, `groups ${id}`);
    return pageOf(
      page,
      await this.content.groups(caller.tenantId, id, page),
      (row) => row.id,
      (row) => row,
    );
  }

  @Get(':directory_id/groups/:group_id/members')
  @RequireEveryScope('users:read', 'directories:read')
  @ApiOperation({
    summary: 'The users who are members of a group, in the order of their ids; nested groups are left out',
  })
  @ApiPage(GroupMemberBody)
  async groupMembers(
    @CurrentCaller() { tenantId }: Caller,
    @Param('directory_id') id: string,
    @Param('group_id') groupId: string,
    @Query() query: QueryMap,
  ): Promise<Page<GroupMemberBody>> {
    queryOptions(query, PAGE_OPTIONS);
    await this.directories.demand(tenantId, id);
    if (!(await this.content.hasGroup(tenantId, id, groupId))) throw new NotFound('group');
    const page = readPage(query, `members of ${groupId}`);
    return pageOf(
      page,
      await this.content.groupMembers(tenantId, groupId, page),
      (row) => row.user_id,
      (row) => row,
    );
  }

  @Get(':directory_id/pending-members')
  @RequireEveryScope('users:read', 'directories:read')
  @ApiOperation({ summary: 'Members of groups whose user does not exist yet' })
  async pendingMembers(
    @CurrentCaller() caller: Caller,
    @Param('directory_id') id: string,
    @Query() query: QueryMap,
  ): Promise<Page<PendingMemberRow>> {
    queryOptions(query, PAGE_OPTIONS);
    await this.directories.demand(caller.tenantId, id);
    const page = readPage(query, `pending members ${id}`);
    const rows = await this.content.pendingMembers(caller.tenantId, id, page);
    return pageOf(
      page,
      rows,
      (row) => `${row.group_id} ${row.member_id}`,
      (row) => row,
    );
  }
}
