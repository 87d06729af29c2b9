import { Controller, Delete, Get, Patch, Post, Put, Req, Res, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { BridgeResponse } from '../../../base/http/request.js';
import {
  parseListQuery,
  parseProjectionQuery,
  parseSearchRequest,
} from '../../../protocols/scim/messages/list-query.js';
import { parsePatchRequest } from '../../../protocols/scim/messages/patch-request.js';
import { etagOf, matchesIfNoneMatch } from '../../../protocols/scim/resource/etag.js';
import { parseProjection, projectionNeeds, type Projection } from '../../../protocols/scim/resource/project.js';
import { GROUP_TYPE } from '../../../protocols/scim/schema/resource-types.js';
import type { GroupRow } from '../../users/groups/group.row.js';
import { memberPartsOf } from '../../users/groups/memberships.sql.js';
import { LIST_LIMITS, answerEmpty, answerScim } from '../scim-request.js';
import { ScimGuard, type ScimRequest } from '../scim.guard.js';
import { factsOf, idInPath, listAsk } from '../users/scim-users.controller.js';
import { groupBody, groupText } from './group-resource.js';
import { ScimGroupsService } from './scim-groups.service.js';

/** `/Groups` (RFC 7644 §3). A PATCH answers 204 unless the query names attributes: a group can be large. */
@ApiExcludeController()
@Controller('scim/v2/Groups')
@UseGuards(ScimGuard)
export class ScimGroupsController {
  constructor(private readonly groups: ScimGroupsService) {}

  @Post()
  async create(@Req() req: ScimRequest, @Res() res: BridgeResponse): Promise<void> {
    const projection = projectionOf(req);
    const row = await this.groups.create(req.directory, req.body, this.facts(req, projection));
    await this.answer(req, res, 201, row, projection, true);
  }

  @Post('.search')
  async search(@Req() req: ScimRequest, @Res() res: BridgeResponse): Promise<void> {
    const query = parseSearchRequest(req.body, LIST_LIMITS, req.directory.dialect);
    const projection = parseProjection(GROUP_TYPE, query.attributes, query.excludedAttributes);
    const render = (row: GroupRow) => groupText(row, req.directory.scimBase, projection);
    answerScim(res, 200, await this.groups.list(listAsk(req, query), render));
  }

  @Get()
  async list(@Req() req: ScimRequest, @Res() res: BridgeResponse): Promise<void> {
    const query = parseListQuery(req.query, LIST_LIMITS);
    const projection = parseProjection(GROUP_TYPE, query.attributes, query.excludedAttributes);
    const render = (row: GroupRow) => groupText(row, req.directory.scimBase, projection);
    answerScim(res, 200, await this.groups.list(listAsk(req, query), render));
  }

  @Get(':id')
  async read(@Req() req: ScimRequest, @Res() res: BridgeResponse): Promise<void> {
    const projection = projectionOf(req);
    const row = await this.groups.read(
      req.directory,
      idInPath(req),
      projectionNeeds(projection, 'members') ? req.answer : null,
      memberPartsOf(projection),
    );
    const etag = etagOf(row.version);
    if (matchesIfNoneMatch(req.headers['if-none-match'], etag)) answerEmpty(res, 304, etag);
    else await this.answer(req, res, 200, row, projection);
  }

  @Put(':id')
  async replace(@Req() req: ScimRequest, @Res() res: BridgeResponse): Promise<void> {
    const projection = projectionOf(req);
    const row = await this.groups.replace(req.directory, idInPath(req), req.body, this.facts(req, projection));
    await this.answer(req, res, 200, row, projection);
  }

  @Patch(':id')
  async patch(@Req() req: ScimRequest, @Res() res: BridgeResponse): Promise<void> {
    const id = idInPath(req);
    const projection = projectionOf(req);
    const operations = parsePatchRequest(req.body, req.directory.dialect);
    await this.groups.patch(req.directory, id, operations, factsOf(req));
    if (projection === null) {
      answerEmpty(res, 204);
      return;
    }
    const row = await this.groups.read(req.directory, id, projectionNeeds(projection, 'members') ? req.answer : null);
    await this.answer(req, res, 200, row, projection);
  }

  @Delete(':id')
  async remove(@Req() req: ScimRequest, @Res() res: BridgeResponse): Promise<void> {
    await this.groups.remove(req.directory, idInPath(req), factsOf(req));
    answerEmpty(res, 204);
  }

  private facts(req: ScimRequest, projection: Projection | null) {
    return { withMembers: projectionNeeds(projection, 'members'), ...factsOf(req) };
  }

  private async answer(
    req: ScimRequest,
    res: BridgeResponse,
    status: number,
    row: GroupRow,
    projection: Projection | null,
    created = false,
  ): Promise<void> {
    const base = req.directory.scimBase;
    const location = created ? `${base}/Groups/${row.id}` : undefined;
    answerScim(res, status, await groupBody(row, base, projection), etagOf(row.version), location);
  }
}

function projectionOf(req: ScimRequest): Projection | null {
  const { attributes, excludedAttributes } = parseProjectionQuery(req.query);
  return parseProjection(GROUP_TYPE, attributes, excludedAttributes);
}
