import { Get, Param, Query, Body, HttpCode, Post, Delete } from '@nestjs/common';
import { ApiOperation, ApiNoContentResponse } from '@nestjs/swagger';
import { ApiFilter, ApiPage, ApiRefusals, ApiRecord, ApiList } from '../../../base/http/api-answers.js';
import { pageOf, PAGE_OPTIONS, readPage, type Page } from '../../../base/http/page.js';
import { queryChoice, queryOptions, type Query as QueryMap } from '../../../base/http/query.js';
import { ApiController } from '../../../tenancy/tenants/api-key.guard.js';
import {
  CurrentCaller,
  RequireEveryScope,
  type Caller,
  RequireScope,
  RecentSignIn,
} from '../../../tenancy/tenants/caller.js';
import { EvenWhenExhausted } from '../../../tenancy/tenants/storage/storage.errors.js';
import { ConnectionIdentityBody, ForgetSubjects, ForgottenSubjectsBody, PersonIdentityBody } from './identities.dto.js';
import { IdentitiesService, identityPlaceText } from './identities.service.js';

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

@ApiController('connections/:connection_id/forget-subjects', { tag: 'sign-in' })
@RequireScope('admin')
@ApiRefusals()
export class ForgetSubjectsController {
  constructor(private readonly identities: IdentitiesService) {}

  @RecentSignIn()
  @Post()
  @EvenWhenExhausted()
  @HttpCode(200)
  @ApiOperation({
    summary: 'Forgets the subjects of all users of a connection whom a sign-in can find again',
    description:
      'The remedy where an IdP has changed what it sends as subject (its NameID format, say) and sign-ins are refused as `bound_to_another`. The next sign-in of each user links anew, as a first one does. Sessions continue; a subject of a deleted user stays closed.',
  })
  @ApiRecord(ForgottenSubjectsBody)
  forget(
    @CurrentCaller() caller: Caller,
    @Param('connection_id') id: string,
    @Body() body: ForgetSubjects,
  ): Promise<ForgottenSubjectsBody> {
    return this.identities.forgetSubjects(caller, id, body.dry_run ?? false);
  }
}

@ApiController('users/:user_id/identities', { tag: 'sign-in' })
@RequireScope('admin')
@ApiRefusals()
export class UserIdentitiesController {
  constructor(private readonly identities: IdentitiesService) {}

  @Get()
  @RequireEveryScope('users:read', 'sign-ins:read')
  @ApiOperation({ summary: 'The bindings of a user, newest first; also of a deleted user' })
  @ApiList(PersonIdentityBody)
  async list(
    @CurrentCaller() caller: Caller,
    @Param('user_id') userId: string,
  ): Promise<{ data: PersonIdentityBody[] }> {
    return { data: await this.identities.ofPerson(caller.tenantId, userId) };
  }

  @Delete(':connection_id')
  @HttpCode(204)
  @ApiOperation({
    summary: 'Removes the bindings of a user at a connection',
    description:
      'The next sign-in links anew. The remedy where a sign-in is refused as `bound_to_another`, or as ' +
      '`account_deleted` because of a binding that has ended. Ends the person’s sessions through the connection.',
  })
  @ApiNoContentResponse()
  release(
    @CurrentCaller() caller: Caller,
    @Param('user_id') userId: string,
    @Param('connection_id') connectionId: string,
  ): Promise<void> {
    return this.identities.release(caller, userId, connectionId);
  }
}
