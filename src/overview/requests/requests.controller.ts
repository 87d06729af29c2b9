import { applyDecorators, Get, Param, Query } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { InvalidFields, NotFound } from '../../base/errors/domain-error.js';
import { ApiFilter, ApiPage, ApiRecord, ApiRefusals } from '../../base/http/api-answers.js';
import { pageOf, PAGE_OPTIONS, readPage, type Page } from '../../base/http/page.js';
import { queryOptions, querySpan, type Query as QueryMap } from '../../base/http/query.js';
import { DirectoryStore } from '../../directory-sync/directories/directory.store.js';
import { ApiController } from '../../tenancy/tenants/api-controller.js';
import { CurrentCaller, RequireEveryScope, type Caller } from '../../tenancy/tenants/caller.js';
import { RequestBody, RequestDetailBody } from './requests.dto.js';
import { RequestsRepository, type RequestFilter } from './requests.repository.js';

const FILTERS = ['credential', 'status', 'user', 'request_id', 'since', 'until'] as const;

/** Documents the options of a list of requests. */
function ApiRequestFilters(): MethodDecorator {
  const time = { type: 'string', format: 'date-time' } as const;
  return applyDecorators(
    ApiFilter('credential', 'The id of the SCIM token.'),
    ApiFilter('status', 'A status such as 409, or a class such as 4xx.'),
    ApiFilter('user', 'The id of a user.'),
    ApiFilter('request_id'),
    ApiFilter('since', undefined, { schema: time }),
    ApiFilter('until', undefined, { schema: time }),
  );
}

/** The log of SCIM requests: the provisioning log. */
@ApiController('requests')
@RequireEveryScope('users:read', 'directories:read')
@ApiRefusals()
export class RequestsController {
  constructor(private readonly requests: RequestsRepository) {}

  @Get()
  @ApiOperation({ summary: 'SCIM requests of all directories, newest first' })
  @ApiFilter('directory', 'The id of a directory.')
  @ApiRequestFilters()
  @ApiPage(RequestBody)
  list(@CurrentCaller() { tenantId }: Caller, @Query() query: QueryMap): Promise<Page<RequestBody>> {
    const { directory, ...options } = queryOptions(query, [...FILTERS, 'directory', ...PAGE_OPTIONS]);
    return pageOfRequests(this.requests, tenantId, query, { ...options, directory });
  }

  @Get(':request_id')
  @ApiOperation({ summary: 'One SCIM request with its body, without secrets' })
  @ApiRecord(RequestDetailBody)
  async get(@CurrentCaller() { tenantId }: Caller, @Param('request_id') id: string): Promise<RequestDetailBody> {
    const row = await this.requests.find(tenantId, id);
    if (row === undefined) throw new NotFound('request');
    return { ...row, body: row.body === null ? null : (JSON.parse(row.body) as unknown) };
  }
}

/** The log of SCIM requests of one directory. */
@ApiController('directories/:directory_id/requests', { tag: 'requests' })
@RequireEveryScope('users:read', 'directories:read')
@ApiRefusals()
export class DirectoryRequestsController {
  constructor(
    private readonly requests: RequestsRepository,
    private readonly directories: DirectoryStore,
  ) {}

  @Get()
  @ApiOperation({ summary: 'SCIM requests of a directory, newest first' })
  @ApiRequestFilters()
  @ApiPage(RequestBody)
  async list(
    @CurrentCaller() { tenantId }: Caller,
    @Param('directory_id') directory: string,
    @Query() query: QueryMap,
  ): Promise<Page<RequestBody>> {
    const options = queryOptions(query, [...FILTERS, ...PAGE_OPTIONS]);
    await this.directories.get(tenantId, directory);
    return pageOfRequests(this.requests, tenantId, query, { ...options, directory });
  }
}

type Options = Partial<Record<(typeof FILTERS)[number] | 'directory', string | undefined>>;

async function pageOfRequests(
  requests: RequestsRepository,
  tenantId: string,
  query: QueryMap,
  options: Options,
): Promise<Page<RequestBody>> {
  const { directory, credential, user, request_id, status, since, until } = options;
  const filter: RequestFilter = {
    directory,
    credential,
    user,
    request_id,
    status: statusesIn(status),
    ...querySpan({ since, until }),
  };
  const named = [directory, credential, user, request_id, status, since, until];
  const page = readPage(query, `requests ${named.map((value) => value ?? '').join(' ')}`);
  const rows = await requests.list(tenantId, filter, page);
  return pageOf(
    page,
    rows,
    (row) => row.id,
    (row) => row,
  );
}

/**
 * Parses a status, or a class of them.
 *
 * @throws {InvalidFields} 422 for another text
 */
function statusesIn(text: string | undefined): readonly [number, number] | undefined {
  if (text === undefined) return undefined;
  if (/^[1-5]xx$/i.test(text)) return [Number(text[0]) * 100, Number(text[0]) * 100 + 99];
  if (/^[1-5]\d\d$/.test(text)) return [Number(text), Number(text)];
  throw new InvalidFields([{ field: 'status', message: 'must be a status such as 409, or a class such as 4xx' }]);
}
