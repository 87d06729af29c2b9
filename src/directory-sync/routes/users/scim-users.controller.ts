import { Controller, Delete, Get, Patch, Post, Put, Req, Res, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { MethodNotAllowed } from '../../../base/http/http.errors.js';
import type { BridgeResponse } from '../../../base/http/request.js';
import {
  parseProjectionQuery,
  type ListQuery,
  parseListQuery,
  parseSearchRequest,
} from '../../../protocols/scim/messages/list-query.js';
import { parsePatchRequest } from '../../../protocols/scim/messages/patch-request.js';
import { matchesIfNoneMatch } from '../../../protocols/scim/resource/etag.js';
import { parseProjection, type Projection } from '../../../protocols/scim/resource/project.js';
import type { ListAsk } from '../page-reader.js';
import { type RequestFacts, answerEmpty, answerScim, LIST_LIMITS } from '../scim-request.js';
import { ScimGuard, type ScimRequest } from '../scim.guard.js';
import { ScimUsersService } from './scim-users.service.js';
import { UserLists } from './user-lists.js';
import { userTag, userText, viewOf, type StoredUser, type View } from './user-resource.js';

/** One user of `/Users` (RFC 7644 §3). Answers are JSON texts, which are sent without another serialisation. */
@ApiExcludeController()
@Controller('scim/v2/Users')
@UseGuards(ScimGuard)
export class ScimUsersController {
  constructor(private readonly users: ScimUsersService) {}

  @Post()
  async create(@Req() req: ScimRequest, @Res() res: BridgeResponse): Promise<void> {
    const projection = projectionOf(req);
    const row = await this.users.create(req.directory, req.body, factsOf(req));
    this.answer(req, res, 201, row, projection, true);
  }

  @Get(':id')
  async read(@Req() req: ScimRequest, @Res() res: BridgeResponse): Promise<void> {
    const projection = projectionOf(req);
    const row = await this.users.read(req.directory, idInPath(req));
    const view = viewOf(req.directory);
    const etag = userTag(row, view);
    if (matchesIfNoneMatch(req.headers['if-none-match'], etag)) answerEmpty(res, 304, etag);
    else answerScim(res, 200, userText(row, view, projection, etag), etag);
  }

  @Put(':id')
  async replace(@Req() req: ScimRequest, @Res() res: BridgeResponse): Promise<void> {
    const projection = projectionOf(req);
    const row = await this.users.replace(req.directory, idInPath(req), req.body, factsOf(req));
    this.answer(req, res, 200, row, projection);
  }

  @Patch(':id')
  async patch(@Req() req: ScimRequest, @Res() res: BridgeResponse): Promise<void> {
    const id = idInPath(req);
    const projection = projectionOf(req);
    const operations = parsePatchRequest(req.body, req.directory.dialect);
    const row = await this.users.patch(req.directory, id, operations, factsOf(req));
    this.answer(req, res, 200, row, projection);
  }

  @Delete(':id')
  async remove(@Req() req: ScimRequest, @Res() res: BridgeResponse): Promise<void> {
    await this.users.remove(req.directory, idInPath(req), factsOf(req));
    answerEmpty(res, 204);
  }

  private answer(
    req: ScimRequest,
    res: BridgeResponse,
    status: number,
    row: StoredUser,
    projection: Projection | null,
    created = false,
  ): void {
    const location = created ? `${req.directory.scimBase}/Users/${row.id}` : undefined;
    const view = viewOf(req.directory);
    const etag = userTag(row, view);
    const text = userText(row, view, projection, etag);
    answerScim(res, status, text, etag, location);
  }
}

export function factsOf(req: ScimRequest): RequestFacts {
  return {
    requestId: req.id,
    receivedAt: new Date(Date.now() - (performance.now() - req.startedAt)),
    ifMatch: req.headers['if-match'],
    share: req.answer,
    done: (effect) => (req.effect = effect),
  };
}

export function listAsk(req: ScimRequest, query: ListQuery): ListAsk {
  return { directory: req.directory, query, share: req.answer };
}

/** @throws {MethodNotAllowed} for `.search`, which takes POST alone (RFC 7644 §3.4.3) */
export function idInPath(req: ScimRequest): string {
  const id = req.params['id'] as string;
  if (id === '.search') throw new MethodNotAllowed(req.method, ['POST']);
  return id;
}

function projectionOf(req: ScimRequest): Projection | null {
  const { attributes, excludedAttributes } = parseProjectionQuery(req.query);
  return parseProjection(req.directory.userType, attributes, excludedAttributes);
}

/** The lists of `/Users` (RFC 7644 §3.4.2 and §3.4.3). */
@ApiExcludeController()
@Controller('scim/v2/Users')
@UseGuards(ScimGuard)
export class UserListsController {
  constructor(private readonly lists: UserLists) {}

  @Post('.search')
  async search(@Req() req: ScimRequest, @Res() res: BridgeResponse): Promise<void> {
    await this.answer(req, res, parseSearchRequest(req.body, LIST_LIMITS, req.directory.dialect));
  }

  @Get()
  async list(@Req() req: ScimRequest, @Res() res: BridgeResponse): Promise<void> {
    await this.answer(req, res, parseListQuery(req.query, LIST_LIMITS));
  }

  private async answer(req: ScimRequest, res: BridgeResponse, query: ListQuery): Promise<void> {
    const projection = parseProjection(req.directory.userType, query.attributes, query.excludedAttributes);
    const render = (row: StoredUser, view: View) => userText(row, view, projection);
    answerScim(res, 200, await this.lists.list(listAsk(req, query), render));
  }
}
