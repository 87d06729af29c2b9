import { Body, HttpCode, Param, Post, Res } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { Clock } from '../../../base/clock.js';
import { ApiRefusals } from '../../../base/http/api-answers.js';
import type { BridgeResponse } from '../../../base/http/request.js';
import { TaskBody } from '../../../engine/work/tasks.dto.js';
import { ApiController } from '../../../tenancy/tenants/api-key.guard.js';
import {
  CurrentCaller,
  demandRecentSignIn,
  RecentSignIn,
  RequireScope,
  type Caller,
} from '../../../tenancy/tenants/caller.js';
import { EvenWhenExhausted } from '../../../tenancy/tenants/storage/storage.errors.js';
import { userBody } from '../user.dto.js';
import { countedAnswer, demandChoice, HeldTasks, type HeldAct } from './held-tasks.js';
import { HeldCount, HeldSelection } from './held.dto.js';
import { HeldService } from './held.service.js';

@ApiController('held')
@RequireScope('admin')
export class HeldController {
  constructor(
    private readonly held: HeldService,
    private readonly tasks: HeldTasks,
    private readonly clock: Clock,
  ) {}

  @Post('release')
  @EvenWhenExhausted()
  @HttpCode(202)
  @ApiRefusals({ 401: ['sign_in_again'], 409: ['too_many_tasks', 'count_changed', 'administrators_unconfirmed'] })
  @ApiOperation({ summary: 'Releases many held users in a task; a `dry_run` answers 200 with their number' })
  @ApiAcceptedResponse({ type: TaskBody })
  @ApiOkResponse({ type: HeldCount })
  releaseAll(
    @CurrentCaller() caller: Caller,
    @Body() body: HeldSelection,
    @Res({ passthrough: true }) res: BridgeResponse,
  ): Promise<TaskBody | HeldCount> {
    return this.all(caller, 'release', body, res);
  }

  @Post('discard')
  @EvenWhenExhausted()
  @HttpCode(202)
  @ApiRefusals({ 409: ['too_many_tasks', 'count_changed'] })
  @ApiOperation({ summary: 'Discards what was written of many held users in a task; `dry_run` as for release' })
  @ApiAcceptedResponse({ type: TaskBody })
  @ApiOkResponse({ type: HeldCount })
  discardAll(
    @CurrentCaller() caller: Caller,
    @Body() body: HeldSelection,
    @Res({ passthrough: true }) res: BridgeResponse,
  ): Promise<TaskBody | HeldCount> {
    return this.all(caller, 'discard', body, res);
  }

  private async all(
    caller: Caller,
    act: HeldAct,
    { dry_run, count: expected, administrators, ...choice }: HeldSelection,
    res: BridgeResponse,
  ): Promise<TaskBody | HeldCount> {
    demandChoice(act, choice);
    if (act === 'release' && dry_run !== true) demandRecentSignIn(caller, this.clock.now());
    const count = await this.tasks.count(caller, act, choice);
    const asked = { dry_run, count: expected, administrators };
    return countedAnswer(caller, asked, count, res, () => this.tasks.begin(caller, act, choice));
  }

  @RecentSignIn()
  @Post(':user_id/release')
  @EvenWhenExhausted()
  @HttpCode(200)
  @ApiOperation({ summary: 'Puts what was written into force' })
  async release(@CurrentCaller() caller: Caller, @Param('user_id') id: string): Promise<object> {
    const row = await this.held.release(caller, id);
    return row === null ? { user_id: id, status: 'deleted' } : userBody(row);
  }

  @Post(':user_id/discard')
  @EvenWhenExhausted()
  @HttpCode(200)
  @ApiOperation({
    summary: 'Makes the effective state the requested one, permanently',
    description:
      'The IdP reads it back. Where the `userName` of a removed user was given away, another one replaces it.',
  })
  async discard(@CurrentCaller() caller: Caller, @Param('user_id') id: string): Promise<object> {
    return userBody(await this.held.discard(caller, id));
  }
}
