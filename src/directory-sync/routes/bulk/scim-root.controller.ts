import { All, Controller, Get, Post, Req, Res, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { BridgeResponse } from '../../../base/http/request.js';
import { parseBulkRequest } from '../../../protocols/scim/messages/bulk-request.js';
import { parseListQuery, parseSearchRequest } from '../../../protocols/scim/messages/list-query.js';
import { BULK_LIMITS, LIST_LIMITS } from '../limits.js';
import { answerScim } from '../scim-answer.js';
import { ScimGuard, type ScimRequest } from '../scim.guard.js';
import { NotImplemented } from '../scim.refusals.js';
import { factsOf, listAsk } from '../users/scim-users.controller.js';
import { RootSearch } from './root-search.js';
import { ScimBulkService } from './scim-bulk.service.js';

/** Routes that concern all resource types: `/Bulk`, the query on the root, and `/Me`. */
@ApiExcludeController()
@Controller('scim/v2')
@UseGuards(ScimGuard)
export class ScimRootController {
  constructor(
    private readonly bulk: ScimBulkService,
    private readonly search: RootSearch,
  ) {}

  @Post('Bulk')
  async run(@Req() req: ScimRequest, @Res() res: BridgeResponse): Promise<void> {
    const request = parseBulkRequest(req.body, BULK_LIMITS, req.directory.dialect);
    answerScim(res, 200, JSON.stringify(await this.bulk.run(req.directory, request, factsOf(req))));
  }

  @Get()
  async list(@Req() req: ScimRequest, @Res() res: BridgeResponse): Promise<void> {
    answerScim(res, 200, await this.search.list(listAsk(req, parseListQuery(req.query, LIST_LIMITS))));
  }

  @Post('.search')
  async searchAll(@Req() req: ScimRequest, @Res() res: BridgeResponse): Promise<void> {
    const query = parseSearchRequest(req.body, LIST_LIMITS, req.directory.dialect);
    answerScim(res, 200, await this.search.list(listAsk(req, query)));
  }

  /** Refuses `/Me`: the token of a directory belongs to no user (RFC 7644 §3.11). */
  @All('Me')
  me(): never {
    throw new NotImplemented('The token of a directory belongs to no user; use /Users.');
  }
}
