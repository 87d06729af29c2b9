import { Get, Param, Query } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { ApiFilter, ApiPage, ApiRefusals } from '../../../base/http/api-answers.js';
import { pageOf, PAGE_OPTIONS, readPage, type Page } from '../../../base/http/page.js';
import { queryChoice, queryOptions, type Query as QueryMap } from '../../../base/http/query.js';
import { ApiController } from '../../../tenancy/tenants/api-key.guard.js';
import { CurrentCaller, RequireEveryScope, type Caller } from '../../../tenancy/tenants/caller.js';
import { ConnectionIdentityBody } from './identities.dto.js';
import { IdentitiesService } from './identities.service.js';
import { identityPlaceText } from './identity-place.rules.js';

/** The bindings of a connection. */
@ApiController('connections/:connection_id/identities', { tag: 'sign-in' })
@RequireEveryScope('users:read', 'sign-ins:read')
@ApiRefusals()
export class ConnectionIdentitiesController {
  constructor(private readonly identities: IdentitiesService) {}

  @Get()
  @ApiOperation({ summary: 'The bindings of a connection, newest first' })
  @ApiFilter('ended', 'Only these; both unless set.', { enum: ['true', 'false'] })
  @ApiPage(ConnectionIdentityBody)
  async list(
    @CurrentCaller() caller: Caller,
    @Param('connection_id') id: string,
    @Query() query: QueryMap,
  ): Promise<Page<ConnectionIdentityBody>> {
    const options = queryOptions(query, ['ended', ...PAGE_OPTIONS]);
    const choice = queryChoice('ended', options.ended, ['true', 'false']);
    const page = readPage(query, `identities ${id} ${choice ?? ''}`);
    const ended = choice === undefined ? null : choice === 'true';
    return pageOf(
      page,
      await this.identities.ofConnection(caller.tenantId, id, ended, page),
      (row) => identityPlaceText(row.place),
      ({ place: _place, ...body }) => body,
    );
  }
}
