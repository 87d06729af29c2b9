import { Get, Param, Query } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { Database } from '../../base/database/database.js';
import { pageOf, PAGE_OPTIONS, readPage, type Page } from '../../base/http/page.js';
import { queryOptions, type Query as QueryMap } from '../../base/http/query.js';
import { ApiController } from '../../tenants/api-controller.js';
import type { Caller } from '../../tenants/caller.js';
import { CurrentCaller } from '../../tenants/current-caller.js';
import { RequireScope } from '../../tenants/require-scope.js';
import { DirectoriesService } from '../../directories/directories.service.js';

interface JobRow {
  id: string;
  kind: string;
  state: string;
  done: number;
  total: number | null;
  created_at: Date;
  finished_at: Date | null;
}

/** How far the consequences of a changed rule or membership have come. */
@ApiController('directories/:directory_id/jobs', { tag: 'directories' })
@RequireScope('admin')
export class RoleJobsController {
  constructor(
    private readonly db: Database,
    private readonly directories: DirectoriesService,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Jobs that work off changed rules and memberships, newest first, with their progress' })
  async list(
    @CurrentCaller() caller: Caller,
    @Param('directory_id') directoryId: string,
    @Query() query: QueryMap,
  ): Promise<Page<JobRow>> {
    queryOptions(query, PAGE_OPTIONS);
    await this.directories.demand(caller.tenantId, directoryId);
    const page = readPage(query, `jobs ${directoryId}`);
    const { rows } = await this.db.query<JobRow>(
      `select id, kind, state, done, total, created_at, finished_at from jobs
       where tenant_id = $1 and payload ->> 'directory_id' = $2 and ($3::text is null or id < $3)
       order by id desc limit $4`,
      [caller.tenantId, directoryId, page.after, page.limit + 1],
    );
    return pageOf(
      page,
      rows,
      (row) => row.id,
      (row) => row,
    );
  }
}
