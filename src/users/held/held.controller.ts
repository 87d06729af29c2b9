import { Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiOperation, ApiQuery } from '@nestjs/swagger';
import { pageOf, readPage, type Page } from '../../base/http/page.js';
import { queryChoice, queryOptions, type Query as QueryMap } from '../../base/http/query.js';
import { ApiController } from '../../tenants/api-controller.js';
import type { Caller } from '../../tenants/caller.js';
import { CurrentCaller } from '../../tenants/current-caller.js';
import { RequireScope } from '../../tenants/require-scope.js';
import { userBody } from '../user.dto.js';
import { draftOf, type UserDocument } from '../user.mapping.js';
import { UserDirectoryRepository, type NamedUser } from '../user-directory.repository.js';
import { HeldService } from './held.service.js';

const REASONS = [
  'guard',
  'preview',
  'no_email',
  'email_taken',
  'external_id_taken',
  'no_role',
  'no_seat',
  'protected',
  'superseded',
] as const;

/** People for whom what was written is not in force, and why. */
@ApiController('held')
@RequireScope('admin')
export class HeldController {
  constructor(
    private readonly held: HeldService,
    private readonly repository: UserDirectoryRepository,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Held people, longest first, with what was written and what is in force' })
  @ApiQuery({ name: 'reason', required: false, enum: REASONS })
  @ApiQuery({ name: 'limit', required: false })
  @ApiQuery({ name: 'cursor', required: false })
  async list(@CurrentCaller() caller: Caller, @Query() query: QueryMap): Promise<Page<object>> {
    const options = queryOptions(query, ['reason', 'limit', 'cursor']);
    const reason = queryChoice('reason', options.reason, REASONS);
    const page = readPage(query, `held ${reason ?? ''}`);
    const rows = await this.repository.held(caller.tenantId, reason, page);
    return pageOf(page, rows, (row) => `${row.held_since}|${row.id}`, heldBody);
  }

  @Post(':user_id/release')
  @HttpCode(200)
  @ApiOperation({ summary: 'Puts what was written into force' })
  async release(@CurrentCaller() caller: Caller, @Param('user_id') id: string): Promise<object> {
    const row = await this.held.release(caller, id);
    return row === null ? { user_id: id, status: 'deleted' } : userBody(row);
  }

  @Post(':user_id/discard')
  @HttpCode(200)
  @ApiOperation({ summary: 'Forgets what was written; what is in force stays' })
  async discard(@CurrentCaller() caller: Caller, @Param('user_id') id: string): Promise<object> {
    return userBody(await this.held.discard(caller, id));
  }
}

function heldBody(row: NamedUser): object {
  const draft = draftOf(JSON.parse(row.doc) as UserDocument);
  return {
    user_id: row.id,
    reason: row.held,
    since: row.held_since === null ? null : new Date(row.held_since).toISOString(),
    directory_id: row.directory_id,
    written: {
      email: draft.email,
      first_name: draft.firstName,
      last_name: draft.lastName,
      external_id: draft.key ?? draft.userName,
      status: row.gone ? 'deleted' : draft.active ? 'active' : 'inactive',
    },
    in_force: userBody(row),
  };
}
