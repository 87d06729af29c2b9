import { Injectable } from '@nestjs/common';
import { Logger } from '../../base/log/logger.js';
import { ForwardingService } from '../forwarding.service.js';
import { ImportStep } from './import.step.js';
import { JobsRepository } from './jobs.repository.js';
import { SendAgainSteps } from './send-again.steps.js';
import { JobFailed, type Job, type JobKind, type JobStep } from './forwarding-job.js';

const POLL_MS = 1_000;

/** Works off the jobs, one batch after the other. Any process may take over a job that another one left. */
@Injectable()
export class JobsRunner {
  private readonly steps: Record<JobKind, JobStep>;
  private timer: NodeJS.Timeout | null = null;
  private working: Promise<void> | null = null;
  private running = false;

  constructor(
    private readonly jobs: JobsRepository,
    private readonly forwarding: ForwardingService,
    private readonly logger: Logger,
    sendAgain: SendAgainSteps,
    importing: ImportStep,
  ) {
    this.steps = {
      'platform.reforward': (job) => sendAgain.reforward(job),
      'changes.resend': (job) => sendAgain.resend(job),
      'platform.import': (job) => importing.run(job),
    };
  }

  start(): void {
    if (this.running) return;
    this.running = true;
    this.poll();
  }

  async stop(): Promise<void> {
    this.running = false;
    if (this.timer) clearTimeout(this.timer);
    await this.working;
  }

  /** Does all that is to be done now. */
  async drain(): Promise<void> {
    for (let job = await this.jobs.claim(); job !== null; job = await this.jobs.claim())
      await this.work(job, () => true);
  }

  private poll(): void {
    this.working = this.look().finally(() => {
      this.working = null;
      if (this.running) this.timer = setTimeout(() => this.poll(), POLL_MS);
    });
  }

  private async look(): Promise<void> {
    try {
      const job = await this.jobs.claim();
      if (job !== null) await this.work(job, () => this.running);
    } catch (error) {
      this.logger.error('jobs.failed', { error });
    }
  }

  private async work(job: Job, goOn: () => boolean): Promise<void> {
    try {
      for (let now = job; goOn();) {
        const batch = await this.steps[job.kind](now);
        await this.jobs.progress(now, batch);
        if (batch.wake) this.forwarding.wake(job.tenantId);
        if (batch.next === null) {
          this.logger.info('job.done', { tenant_id: job.tenantId, job_id: job.id, kind: job.kind });
          return;
        }
        now = { ...now, payload: batch.next, done: now.done + batch.done };
      }
      await this.jobs.postpone(job, 0);
    } catch (error) {
      this.logger.error('job.interrupted', { tenant_id: job.tenantId, job_id: job.id, kind: job.kind, error });
      // What the platform or the settings are to blame for is told; the rest (the database) is tried again.
      if (error instanceof JobFailed) await this.jobs.fail(job, error.message);
      else await this.jobs.postpone(job, 10).catch(() => undefined);
    }
  }
}
