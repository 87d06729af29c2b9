import { Body, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { Clock } from '../../../base/clock.js';
import { NotFound } from '../../../base/errors/domain-error.js';
import { ApiPaging, ApiRefusals } from '../../../base/http/api-answers.js';
import { PAGE_OPTIONS, readPage } from '../../../base/http/page.js';
import { queryOptions, type Query as QueryMap } from '../../../base/http/query.js';
import type { BridgeResponse } from '../../../base/http/request.js';
import { TaskBody } from '../../../engine/work/tasks.dto.js';
import { ApiController } from '../../../tenancy/tenants/api-key.guard.js';
import {
  CurrentCaller,
  demandRecentSignIn,
  RequireEveryScope,
  RequireScope,
  type Caller,
} from '../../../tenancy/tenants/caller.js';
import { EvenWhenExhausted } from '../../../tenancy/tenants/storage/storage.errors.js';
import { DirectoryStore } from '../../directories/directory.store.js';
import { GuardService } from '../guard/guard.service.js';
import { GuardUndo } from './guard-undo.js';
import { countedAnswer, HeldTasks, type HeldAct, type HeldChoice } from './held-tasks.js';
import { GuardBody } from '../guard/guard.dto.js';
import { GuardSelection, HeldCount, UndoCount } from './held.dto.js';

@ApiController('directories/:directory_id/guard', { tag: 'directories' })
@RequireScope('admin')
export class GuardController {
  constructor(
    private readonly guard: GuardService,
    private readonly tasks: HeldTasks,
    private readonly undos: GuardUndo,
    private readonly directories: DirectoryStore,
    private readonly clock: Clock,
  ) {}

  @Get()
  @RequireEveryScope('users:read', 'directories:read')
  @ApiOperation({
    summary: 'The guard of a directory: figures, windows, how many left and are held, and who left before the limit',
  })
  @ApiPaging()
  @ApiOkResponse({ type: GuardBody })
  show(
    @CurrentCaller() caller: Caller,
    @Param('directory_id') id: string,
    @Query() query: QueryMap,
  ): Promise<GuardBody> {
    queryOptions(query, PAGE_OPTIONS);
    return this.guard.reportOf(caller.tenantId, id, readPage(query, `guard ${id}`));
  }

  @Post('release')
  @EvenWhenExhausted()
  @HttpCode(202)
  @ApiRefusals({ 401: ['sign_in_again'], 409: ['too_many_tasks', 'count_changed', 'administrators_unconfirmed'] })
  @ApiOperation({
    summary: 'Lets held users of the directory go, in a task; a `dry_run` answers 200 with their number',
  })
  @ApiAcceptedResponse({ type: TaskBody })
  @ApiOkResponse({ type: HeldCount })
  release(
    @CurrentCaller() caller: Caller,
    @Param('directory_id') id: string,
    @Body() body: GuardSelection,
    @Res({ passthrough: true }) res: BridgeResponse,
  ): Promise<TaskBody | HeldCount> {
    return this.held(caller, 'release', id, body, res);
  }

  @Post('discard')
  @EvenWhenExhausted()
  @HttpCode(202)
  @ApiRefusals({ 409: ['too_many_tasks', 'count_changed'] })
  @ApiOperation({
    summary: 'Discards the departures of held users of the directory, in a task; `dry_run` as for release',
    description: 'The IdP reads the users as active again. Where the `userName` was given away, a substitute is used.',
  })
  @ApiAcceptedResponse({ type: TaskBody })
  @ApiOkResponse({ type: HeldCount })
  discard(
    @CurrentCaller() caller: Caller,
    @Param('directory_id') id: string,
    @Body() body: GuardSelection,
    @Res({ passthrough: true }) res: BridgeResponse,
  ): Promise<TaskBody | HeldCount> {
    return this.held(caller, 'discard', id, body, res);
  }

  @Post('undo')
  @HttpCode(202)
  @ApiRefusals({ 401: ['sign_in_again'], 409: ['too_many_tasks', 'count_changed', 'window_over'] })
  @ApiOperation({
    summary: 'Brings back who left before the limit was reached, in a task; `dry_run` as for release',
    description:
      'With id, role, groups and account of the platform; seats by the ordinary rule. Possible for 24 hours after the departure.',
  })
  @ApiAcceptedResponse({ type: TaskBody })
  @ApiOkResponse({ type: UndoCount })
  async undo(
    @CurrentCaller() caller: Caller,
    @Param('directory_id') id: string,
    @Body() body: GuardSelection,
    @Res({ passthrough: true }) res: BridgeResponse,
  ): Promise<TaskBody | UndoCount | HeldCount> {
    // A user with the role of an administrator administers again.
    if (body.dry_run !== true) demandRecentSignIn(caller, this.clock.now());
    await this.directories.get(caller.tenantId, id);
    const choice = { directory: id, user_ids: body.user_ids };
    const { all, ruled } = await this.undos.count(caller.tenantId, choice);
    const found = { count: all };
    const answer = await countedAnswer(caller, body, found, res, () => this.undos.begin(caller, choice, all));
    return body.dry_run === true ? { count: all, rule_still_applies: ruled } : answer;
  }

  private async held(
    caller: Caller,
    act: HeldAct,
    id: string,
    body: GuardSelection,
    res: BridgeResponse,
  ): Promise<TaskBody | HeldCount> {
    await this.directories.get(caller.tenantId, id);
    if (act === 'release' && body.dry_run !== true) demandRecentSignIn(caller, this.clock.now());
    const { user_ids: ids } = body;
    const choice: HeldChoice = { reason: 'guard', directory: id, ...(ids === undefined ? {} : { user_ids: ids }) };
    const count = await this.tasks.count(caller, act, choice);
    if (count.count === 0 && ids?.length === 1 && caller.repeat?.committed === undefined)
      throw new NotFound('held user');
    return countedAnswer(caller, body, count, res, () => this.tasks.begin(caller, act, choice));
  }
}
