import { applyDecorators, Get, Param, Query } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { InvalidFields, NotFound } from '../../base/errors/domain-error.js';
import { ApiFilter, ApiPage, ApiRecord, ApiRefusals } from '../../base/http/api-answers.js';
import { pageOf, PAGE_OPTIONS, readPage, type Page } from '../../base/http/page.js';
import { queryChoice, queryOptions, querySpan, type Query as QueryMap } from '../../base/http/query.js';
import { Clock } from '../../base/clock.js';
import { UserDirectoryRepository } from '../../directory-sync/users/user-directory.repository.js';
import { DirectoryStore } from '../../directory-sync/directories/directory.store.js';
import { ApiController } from '../../tenancy/tenants/api-key.guard.js';
import { CurrentCaller, RequireEveryScope, type Caller } from '../../tenancy/tenants/caller.js';
import { RequestBody, RequestDetailBody } from './requests.dto.js';
import { RequestsRepository, type RequestFilter } from './requests.repository.js';

const FILTERS = ['credential', 'status', 'user', 'request_id', 'writes', 'refused', 'days', 'since', 'until'] as const;
const DAY_MS = 86_400_000;
const MOST_DAYS = 400;
const MOST_NAMED = 20;
const OWN_USER = /^usr_[0-9a-hjkmnp-tv-z]{26}$/;

function ApiRequestFilters(): MethodDecorator {
  const time = { type: 'string', format: 'date-time' } as const;
  return applyDecorators(
    ApiFilter('credential', 'The id of the SCIM token.'),
    ApiFilter('status', 'A status such as 409, or a class such as 4xx.'),
    ApiFilter(
      'user',
      'The id of a user; or an e-mail, a `userName` or the beginning of a name: then of all users that it finds, and refused requests with that `userName`.',
    ),
    ApiFilter('request_id'),
    ApiFilter('writes', 'Without reads.', { type: Boolean }),
    ApiFilter('refused', 'Only requests that were refused or failed.', { type: Boolean }),
    ApiFilter('days', 'Only of the last days, 1 to 400.', { type: 'integer' }),
    ApiFilter('since', undefined, { schema: time }),
    ApiFilter('until', undefined, { schema: time }),
  );
}

@ApiController('requests')
@RequireEveryScope('users:read', 'directories:read')
@ApiRefusals()
export class RequestsController {
  constructor(
    readonly requests: RequestsRepository,
    readonly users: UserDirectoryRepository,
    readonly clock: Clock,
  ) {}

  @Get()
  @ApiOperation({ summary: 'SCIM requests of all directories, newest first' })
  @ApiFilter('directory', 'The id of a directory.')
  @ApiRequestFilters()
  @ApiPage(RequestBody)
  list(@CurrentCaller() { tenantId }: Caller, @Query() query: QueryMap): Promise<Page<RequestBody>> {
    const { directory, ...options } = queryOptions(query, [...FILTERS, 'directory', ...PAGE_OPTIONS]);
    return pageOfRequests(this, tenantId, query, { ...options, directory });
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

@ApiController('directories/:directory_id/requests', { tag: 'requests' })
@RequireEveryScope('users:read', 'directories:read')
@ApiRefusals()
export class DirectoryRequestsController {
  constructor(
    readonly requests: RequestsRepository,
    private readonly directories: DirectoryStore,
    readonly users: UserDirectoryRepository,
    readonly clock: Clock,
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
    return pageOfRequests(this, tenantId, query, { ...options, directory });
  }
}

type Options = Partial<Record<(typeof FILTERS)[number] | 'directory', string | undefined>>;

interface Reading {
  readonly requests: RequestsRepository;
  readonly users: UserDirectoryRepository;
  readonly clock: Clock;
}

async function pageOfRequests(
  reading: Reading,
  tenantId: string,
  query: QueryMap,
  options: Options,
): Promise<Page<RequestBody>> {
  const { directory, credential, user, request_id, status, refused, since, until } = options;
  const days = daysIn(options.days);
  const filter: RequestFilter = {
    directory,
    credential,
    user: user === undefined ? undefined : await usersNamed(reading, tenantId, user),
    request_id,
    status: statusesIn(status) ?? (isSet('refused', refused) ? [400, 599] : undefined),
    ...(isSet('writes', options.writes) ? { writes: true } : {}),
    ...querySpan({ since, until }),
  };
  if (days !== undefined) filter.since ??= new Date(reading.clock.now().getTime() - days * DAY_MS);
  const named = [...FILTERS.map((name) => options[name]), directory];
  const page = readPage(query, `requests ${named.map((value) => value ?? '').join(' ')}`);
  const rows = await reading.requests.list(tenantId, filter, page);
  return pageOf(
    page,
    rows,
    (row) => row.id,
    (row) => row,
  );
}

async function usersNamed({ users }: Reading, tenantId: string, text: string): Promise<RequestFilter['user']> {
  if (OWN_USER.test(text)) return { ids: [text], name: null };
  const found = await users.beginning(tenantId, text, MOST_NAMED);
  return { ids: found.map(({ id }) => id), name: text };
}

function isSet(name: string, value: string | undefined): boolean {
  return queryChoice(name, value, ['true', 'false']) === 'true';
}

/** @throws {InvalidFields} when the text is no number of days */
function daysIn(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const days = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (days >= 1 && days <= MOST_DAYS) return days;
  throw new InvalidFields([{ field: 'days', message: `must be a number from 1 to ${MOST_DAYS}` }]);
}

/** Parses a status, or a class of statuses. @throws {InvalidFields} for another text */
function statusesIn(text: string | undefined): readonly [number, number] | undefined {
  if (text === undefined) return undefined;
  if (/^[1-5]xx$/i.test(text)) return [Number(text[0]) * 100, Number(text[0]) * 100 + 99];
  if (/^[1-5]\d\d$/.test(text)) return [Number(text), Number(text)];
  throw new InvalidFields([{ field: 'status', message: 'must be a status such as 409, or a class such as 4xx' }]);
}
