import { Body, Get, HttpCode, Post, Put } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { ApiRefusals } from '../../../base/http/api-answers.js';
import { ApiController } from '../../../tenancy/tenants/api-key.guard.js';
import { CurrentCaller, RequireScope, RecentSignIn, type Caller } from '../../../tenancy/tenants/caller.js';
import { ChangeInterviewEngine, InterviewEngineBody, InterviewEngineTestBody } from './engine.dto.js';
import { EngineService } from './engine.service.js';

@ApiController('interview-engine', { tag: 'interviews' })
@RequireScope('admin')
export class InterviewEngineController {
  constructor(private readonly engine: EngineService) {}

  @Get()
  @RequireScope('interviews:read')
  @ApiOperation({ summary: 'The interview engine that meeting links come from, and how it is doing' })
  @ApiOkResponse({ type: InterviewEngineBody })
  @ApiRefusals()
  show(@CurrentCaller() { tenantId }: Caller): Promise<InterviewEngineBody> {
    return this.engine.show(tenantId);
  }

  @RecentSignIn()
  @Put()
  @ApiOperation({
    summary: 'Makes or changes the interview engine; what is left out stays',
    description:
      'Interviews that wait are sent at once. `/docs/integrate/interview-engine` describes the calls that the engine has to answer.',
  })
  @ApiOkResponse({ type: InterviewEngineBody })
  @ApiRefusals()
  change(@CurrentCaller() caller: Caller, @Body() body: ChangeInterviewEngine): Promise<InterviewEngineBody> {
    return this.engine.change(caller, body);
  }

  @Post('test')
  @HttpCode(200)
  @ApiRefusals({ 409: ['no_interview_engine'] })
  @ApiOperation({
    summary: 'Asks the engine about an unknown interview, and says in plain words what came of it',
    description: 'Changes nothing.',
  })
  @ApiOkResponse({ type: InterviewEngineTestBody })
  test(@CurrentCaller() { tenantId }: Caller): Promise<InterviewEngineTestBody> {
    return this.engine.test(tenantId);
  }
}
