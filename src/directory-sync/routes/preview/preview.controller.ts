import { Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiQuery } from '@nestjs/swagger';
import { pageOf, PAGE_OPTIONS, readPage } from '../../../base/http/page.js';
import { queryChoice, queryOptions, type Query as QueryMap } from '../../../base/http/query.js';
import { ApiController } from '../../../tenancy/tenants/api-controller.js';
import type { Caller } from '../../../tenancy/tenants/caller.js';
import { CurrentCaller } from '../../../tenancy/tenants/current-caller.js';
import { RequireEveryScope } from '../../../tenancy/tenants/require-scope.js';
import { DirectoriesService } from '../../directories/directories.service.js';
import { PreviewPlan, type PlannedUser } from './preview-plan.js';
import { PreviewBody, type PreviewedUser } from './preview.dto.js';
import { PREVIEW_KINDS } from './preview.rules.js';

/** Shows the effects of going live for a directory in preview. */
@ApiController('directories/:directory_id/preview', { tag: 'directories' })
@RequireEveryScope('users:read', 'directories:read')
export class PreviewController {
  constructor(
    private readonly directories: DirectoriesService,
    private readonly plan: PreviewPlan,
  ) {}

  @Get()
  @ApiOperation({ summary: 'The effects of going live now: counts over all users, and a list by page' })
  @ApiQuery({ name: 'kind', required: false, enum: PREVIEW_KINDS })
  @ApiQuery({ name: 'limit', required: false })
  @ApiQuery({ name: 'cursor', required: false })
  @ApiOkResponse({ type: PreviewBody })
  async show(
    @CurrentCaller() caller: Caller,
    @Param('directory_id') id: string,
    @Query() query: QueryMap,
  ): Promise<PreviewBody> {
    const options = queryOptions(query, ['kind', ...PAGE_OPTIONS]);
    const kind = queryChoice('kind', options.kind, PREVIEW_KINDS);
    const page = readPage(query, `preview ${id} ${kind ?? ''}`);
    const { state } = await this.directories.demand(caller.tenantId, id);
    const { counts, seats, heldByGuard, users } = await this.plan.of(caller.tenantId, id);
    const listed = users
      .filter((user) => kind === undefined || user.kinds.includes(kind))
      .filter((user) => page.after === null || user.id > page.after);
    return {
      directory_id: id,
      state,
      counts: { ...counts, take_seat: seats.needed, find_none: seats.missing, held_by_guard: heldByGuard },
      seats_free: seats.free,
      ...pageOf(page, listed.slice(0, page.limit + 1), (user) => user.id, shown),
    };
  }
}

function shown({ id, userName, kinds, fields, takesSeat, held }: PlannedUser): PreviewedUser {
  return { user_id: id, user_name: userName, would: kinds, fields, take_seat: takesSeat, held };
}
