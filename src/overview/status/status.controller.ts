import { Get, Module } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { ApiRecord, ApiRefusals } from '../../base/http/api-answers.js';
import { ForwardingModule } from '../../forwarding/forwarding.module.js';
import { InterviewsModule } from '../../hiring/interviews/interviews.module.js';
import { ApiController } from '../../tenancy/tenants/api-key.guard.js';
import { CurrentCaller, RequireScope, type Caller } from '../../tenancy/tenants/caller.js';
import { StatusBody } from './status.dto.js';
import { StatusService } from './status.service.js';

@ApiController('status')
@RequireScope('platform:read')
@ApiRefusals()
class StatusController {
  constructor(private readonly status: StatusService) {}

  @Get()
  @ApiOperation({ summary: 'The platform, what waits and what is parked, held users, the guard, and the newest event' })
  @ApiRecord(StatusBody)
  show(@CurrentCaller() { tenantId }: Caller): Promise<StatusBody> {
    return this.status.of(tenantId);
  }
}

@Module({
  imports: [ForwardingModule, InterviewsModule],
  controllers: [StatusController],
  providers: [StatusService],
  exports: [StatusService],
})
export class StatusModule {}
