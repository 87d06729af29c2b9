import { Get, Query } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { ApiFilter, ApiPage } from '../../../base/http/api-answers.js';
import { pageOf, readPage, type Page } from '../../../base/http/page.js';
import { queryChoice, queryOptions, type Query as QueryMap } from '../../../base/http/query.js';
import { ApiController } from '../../../tenancy/tenants/api-key.guard.js';
import { CurrentCaller, RequireEveryScope, type Caller } from '../../../tenancy/tenants/caller.js';
import { HELD_REASONS as REASONS } from '../held/held.dto.js';
import { RELEASABLE } from '../held/held.service.js';
import { UserDirectoryRepository, writtenOf, type HeldUser } from '../user-directory.repository.js';
import { userBody } from '../user.dto.js';
import { draftOf } from '../user.mapping.js';
import { HeldBody, type ConflictingUser } from './explain.dto.js';
import { nextOfHeld, wordsOfHeld } from './explain.rules.js';
import { UserConflicts, type AskedValues } from './user-conflicts.js';

@ApiController('held')
export class HeldListController {
  constructor(
    private readonly repository: UserDirectoryRepository,
    private readonly conflicts: UserConflicts,
  ) {}

  @Get()
  @RequireEveryScope('users:read', 'directories:read')
  @ApiOperation({ summary: 'Held users, longest first: requested and effective state, why in words, and what to do' })
  @ApiFilter('reason', 'Only users who are held for this reason.', { enum: REASONS })
  @ApiFilter('directory')
  @ApiPage(HeldBody)
  async list(@CurrentCaller() caller: Caller, @Query() query: QueryMap): Promise<Page<HeldBody>> {
    const options = queryOptions(query, ['reason', 'directory', 'limit', 'cursor']);
    const reason = queryChoice('reason', options.reason, REASONS);
    const { directory } = options;
    const page = readPage(query, `held ${reason ?? ''} ${directory ?? ''}`);
    const rows = await this.repository.held(caller.tenantId, { reason, directory }, page);
    const list = pageOf(
      page,
      rows,
      (row) => `${row.held_since}|${row.id}`,
      (row) => row,
    );
    const conflicts = await this.conflicts.ofAll(caller.tenantId, list.data.map(askedBy));
    return { ...list, data: list.data.map((row) => heldBody(row, conflicts.get(row.id) ?? [])) };
  }
}

function askedBy(row: HeldUser): AskedValues {
  const { email, key, userName } = draftOf(writtenOf(row).doc);
  return { userId: row.id, email, externalId: key ?? userName };
}

function heldBody(row: HeldUser, conflicts: ConflictingUser[]): HeldBody {
  const { doc, isRemoved } = writtenOf(row);
  const draft = draftOf(doc);
  const reason = row.held!;
  return {
    user_id: row.id,
    reason,
    words: wordsOfHeld(reason),
    next: nextOfHeld(reason),
    releasable: RELEASABLE.has(reason),
    conflicts,
    since: row.held_since === null ? null : new Date(row.held_since).toISOString(),
    directory_id: row.kept_for ?? row.directory_id,
    written: {
      email: draft.email,
      first_name: draft.firstName,
      last_name: draft.lastName,
      external_id: draft.key ?? draft.userName,
      status: isRemoved ? 'deleted' : draft.active ? 'active' : 'inactive',
    },
    in_force: userBody(row),
  };
}
