import { Get, Query, Module } from '@nestjs/common';
import { ApiOperation, ApiQuery } from '@nestjs/swagger';
import { SignInModule } from '../../auth/sign-in/sign-in.module.js';
import { isLongerThan } from '../../base/characters.js';
import { InvalidFields } from '../../base/errors/domain-error.js';
import { ApiRecord, ApiRefusals } from '../../base/http/api-answers.js';
import { queryOptions, type Query as QueryMap } from '../../base/http/query.js';
import { UsersModule } from '../../directory-sync/users/users.module.js';
import { TasksModule } from '../../engine/work/tasks.module.js';
import { ForwardingModule } from '../../forwarding/forwarding.module.js';
import { ApiController } from '../../tenancy/tenants/api-key.guard.js';
import { CurrentCaller, RequireEveryScope, type Caller } from '../../tenancy/tenants/caller.js';
import { RequestsModule } from '../requests/requests.module.js';
import { SearchBody, SearchService } from './search.service.js';

@ApiController('search')
@RequireEveryScope('users:read', 'directories:read')
@ApiRefusals()
class SearchController {
  constructor(private readonly search: SearchService) {}

  @Get()
  @ApiOperation({
    summary: 'Finds users, directories and groups by the beginning of a name, and records by their id',
    description:
      'An id finds its record: of a user, directory, group, task, request, change, sign-in (the support id of a page), candidate, ' +
      'interview, job, key, token, client, connection, webhook, session or event. Else users whose e-mail, `userName` or ' +
      '`external_id` is the text come first, then users as `q` of `GET /users` finds them, in the order of the texts that begin so, ' +
      'directories and groups; for an e-mail that no user has, its refused sign-ins of the last 30 days. What a record needs ' +
      'to be read it needs here too: without the scope it is not found.',
  })
  @ApiQuery({ name: 'q', description: '1 to 100 characters. `%`, `_` and quotes are text.' })
  @ApiRecord(SearchBody)
  async find(@CurrentCaller() caller: Caller, @Query() query: QueryMap): Promise<SearchBody> {
    const text = queryOptions(query, ['q']).q?.trim() ?? '';
    if (text === '' || isLongerThan(text, 100)) {
      throw new InvalidFields([{ field: 'q', message: 'must have 1 to 100 characters' }]);
    }
    return { data: await this.search.find(caller, text) };
  }
}

@Module({
  imports: [SignInModule, UsersModule, TasksModule, ForwardingModule, RequestsModule],
  controllers: [SearchController],
  providers: [SearchService],
})
export class SearchModule {}
