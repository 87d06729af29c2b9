import { Controller, Get, Post, Req, Res, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { BridgeResponse } from '../../../base/http/request.js';
import { parseListQuery, parseSearchRequest, type ListQuery } from '../../../protocols/scim/messages/list-query.js';
import { parseProjection } from '../../../protocols/scim/resource/project.js';
import { LIST_LIMITS } from '../limits.js';
import { answerScim } from '../scim-answer.js';
import { ScimGuard, type ScimRequest } from '../scim.guard.js';
import { listAsk } from './scim-users.controller.js';
import { UserLists } from './user-lists.js';
import { userText, type StoredUser, type View } from './user-resource.js';

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
