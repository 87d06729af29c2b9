import { Module } from '@nestjs/common';
import { ForwardingModule } from '../../forwarding/forwarding.module.js';
import { InterviewsModule } from '../../hiring/interviews/interviews.module.js';
import { StatusController } from './status.controller.js';
import { StatusService } from './status.service.js';

/** How a tenant is doing. Only reads. */
@Module({
  imports: [ForwardingModule, InterviewsModule],
  controllers: [StatusController],
  providers: [StatusService],
  exports: [StatusService],
})
export class StatusModule {}
