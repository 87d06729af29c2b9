import { Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProperty, ApiQuery } from '@nestjs/swagger';
import { InvalidFields } from '../base/errors/domain-error.js';
import { queryChoice, queryOptions, type Query as QueryMap } from '../base/http/query.js';
import { ApiController } from '../tenants/api-controller.js';
import { demandScope, type Caller } from '../tenants/caller.js';
import { CurrentCaller } from '../tenants/current-caller.js';
import { NoScope } from '../tenants/require-scope.js';
import { UserDirectoryRepository } from '../users/user-directory.repository.js';

/** The record that an id of another system belongs to. */
class ResolveBody {
  @ApiProperty()
  found!: boolean;
  @ApiProperty({ type: String, nullable: true })
  id!: string | null;
  @ApiProperty({ enum: ['user'] })
  type!: string;
}

/**
 * Maps an external id to an id of this service. An unknown id is 200 too, so that automation tools can branch on it.
 */
@ApiController('resolve', { unversioned: true })
export class ResolveController {
  constructor(private readonly users: UserDirectoryRepository) {}

  @Get()
  @NoScope()
  @ApiOperation({ summary: 'Maps an external id to an internal one; needs the read scope of the type' })
  @ApiQuery({ name: 'type', enum: ['user'] })
  @ApiQuery({ name: 'external_id' })
  @ApiOkResponse({ type: ResolveBody })
  async resolve(@CurrentCaller() caller: Caller, @Query() query: QueryMap): Promise<ResolveBody> {
    const options = queryOptions(query, ['type', 'external_id']);
    const type = queryChoice('type', options.type, ['user']);
    const missing = (['type', 'external_id'] as const).filter((name) => !options[name]);
    if (type === undefined || missing.length > 0) {
      throw new InvalidFields(missing.map((field) => ({ field, message: 'is required' })));
    }
    demandScope(caller, 'users:read');
    const row = await this.users.byExternalId(caller.tenantId, options.external_id!);
    return { found: row !== undefined, id: row?.id ?? null, type };
  }
}
