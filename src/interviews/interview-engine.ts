import { Injectable } from '@nestjs/common';
import { Config } from '../base/config/config.js';

/** What an engine is told of an interview that is about to be scheduled. */
export interface PlannedInterview {
  tenantId: string;
  /** Stands in the address of the meeting, which therefore names this interview and no other one. */
  id: string;
  candidateId: string;
  startsAt: Date;
  endsAt: Date;
  timeZone: string | null;
  interviewers: readonly string[];
}

/** The engine that interviews take place in. */
export abstract class InterviewEngine {
  /**
   * Returns the address of the meeting. It is asked before anything is stored, and may be asked for an interview that is
   * never stored: an unused meeting must cost nothing.
   */
  abstract meetingUrl(interview: PlannedInterview): Promise<string>;
}

/** The engine of demos and tests: addresses below the application's own, and no meeting behind them. */
@Injectable()
export class SandboxEngine extends InterviewEngine {
  constructor(private readonly config: Config) {
    super();
  }

  override meetingUrl({ id }: PlannedInterview): Promise<string> {
    return Promise.resolve(`${this.config.appUrl.replace(/\/$/, '')}/i/${id}`);
  }
}
