import { Module } from '@nestjs/common';
import { InterviewsModule } from '../hiring/interviews/interviews.module.js';
import { SandboxMeetingController } from './sandbox-meeting.controller.js';

/** The page behind meeting links of the sandbox. */
@Module({ imports: [InterviewsModule], controllers: [SandboxMeetingController] })
export class SandboxMeetingModule {}
