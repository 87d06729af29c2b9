import { Body, Get, HttpCode, Post, Put } from '@nestjs/common';
import { ApiAcceptedResponse, ApiExcludeEndpoint, ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { ApiRefusals } from '../../base/http/api-answers.js';
import { newTaskBody, TaskBody } from '../../engine/work/tasks.dto.js';
import { ApiController } from '../../tenancy/tenants/api-key.guard.js';
import { CurrentCaller, RequireScope, RecentSignIn, type Caller } from '../../tenancy/tenants/caller.js';
import { EvenWhenExhausted } from '../../tenancy/tenants/storage/storage.errors.js';
import { PlatformTrial } from './platform-trial.js';
import { ChangePlatform, PausePlatform, PlatformBody, PlatformTestBody, TestPlatform } from './platform.dto.js';
import { PlatformService } from './platform.service.js';

@ApiController('platform')
@RequireScope('admin')
export class PlatformController {
  constructor(
    private readonly platform: PlatformService,
    private readonly trial: PlatformTrial,
  ) {}

  @Get()
  @RequireScope('platform:read')
  @ApiOperation({ summary: 'The connection to the hiring platform, and how it is doing' })
  @ApiOkResponse({ type: PlatformBody })
  show(@CurrentCaller() caller: Caller): Promise<PlatformBody> {
    return this.platform.show(caller.tenantId);
  }

  @RecentSignIn()
  @Put()
  @ApiOperation({
    summary: 'Makes or changes the connection; what is left out stays',
    description: 'Another address forwards the present state of every active user anew, in the background.',
  })
  @ApiOkResponse({ type: PlatformBody })
  change(@CurrentCaller() caller: Caller, @Body() body: ChangePlatform): Promise<PlatformBody> {
    return this.platform.change(caller, body);
  }

  @Post('test')
  @HttpCode(200)
  @ApiRefusals({ 409: ['no_platform_yet'] })
  @ApiOperation({
    summary: 'Tries the platform and says in plain words what came of it',
    description:
      'Without `write` it looks an unknown user up, and changes nothing. With `write` it plays the calls that `/docs/platform` ' +
      'describes, with a throw-away user. The first wrong answer ends the trial.',
  })
  @ApiOkResponse({ type: PlatformTestBody })
  test(@CurrentCaller() caller: Caller, @Body() body: TestPlatform): Promise<PlatformTestBody> {
    return body.write === true ? this.trial.play(caller) : this.trial.test(caller.tenantId);
  }

  @Post('pause')
  @HttpCode(200)
  @ApiOperation({ summary: 'Stops forwarding; changes wait' })
  @ApiOkResponse({ type: PlatformBody })
  pause(@CurrentCaller() caller: Caller, @Body() body: PausePlatform): Promise<PlatformBody> {
    return this.platform.pause(caller, body.reason ?? null);
  }

  @Post('resume')
  @EvenWhenExhausted()
  @HttpCode(200)
  @ApiOperation({ summary: 'Resumes forwarding after every kind of stop' })
  @ApiOkResponse({ type: PlatformBody })
  resume(@CurrentCaller() caller: Caller): Promise<PlatformBody> {
    return this.platform.resume(caller);
  }

  @Post('import')
  @HttpCode(202)
  @ApiRefusals({ 409: ['no_platform_yet', 'too_many_tasks'] })
  @ApiOperation({ summary: 'Takes in all users that the platform already has, without forwarding anything' })
  @ApiAcceptedResponse({ type: TaskBody })
  async import(@CurrentCaller() caller: Caller): Promise<TaskBody> {
    return newTaskBody(await this.platform.beginImport(caller));
  }

  @Post('drift')
  @HttpCode(202)
  @ApiRefusals({ 409: ['no_platform_yet', 'too_many_tasks'] })
  @ApiOperation({
    summary: "Compares the platform's list with what the platform should know, in the background",
    description:
      'Changes nothing. The result counts `same`, `different`, `missing` (active here, not there) and `extra` (active there, unknown here); `GET /tasks/{id}/left-out` lists all but the same. Works while forwarding is paused.',
  })
  @ApiAcceptedResponse({ type: TaskBody })
  async drift(@CurrentCaller() caller: Caller): Promise<TaskBody> {
    return newTaskBody(await this.platform.beginDrift(caller));
  }

  /** The former name of the list of tasks. */
  @Get('jobs')
  @RequireScope('platform:read')
  @ApiExcludeEndpoint()
  listJobs(@CurrentCaller() caller: Caller): Promise<{ data: TaskBody[] }> {
    return this.platform.listTasks(caller.tenantId);
  }
}
