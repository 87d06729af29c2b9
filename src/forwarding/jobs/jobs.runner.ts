import { Injectable } from '@nestjs/common';
import { Logger } from '../../base/log/logger.js';
import { ForwardingService } from '../forwarding.service.js';
import { DriftStep } from './drift.step.js';
import { ImportStep } from './import.step.js';
import { JobsRepository, KINDS } from './jobs.repository.js';
import { SendAgainSteps } from './send-again.steps.js';
import { JobFailed, type Job, type JobKind, type JobStep } from './forwarding-job.js';

const POLL_MS = 1_000;
/** So many tenants are worked for at once. */
const LANES = 4;
/** These ask a platform, which may let them wait; one lane is always left to those that do not. */
const ASKING: ReadonlySet<JobKind> = new Set<JobKind>(['platform.import', 'platform.drift']);
const NOT_ASKING = KINDS.filter((kind) => !ASKING.has(kind));

/**
 * Works off the jobs, of several tenants side by side. After each batch a job goes back to the end of the row, so that
 * nobody's large job or broken platform holds up anybody else. Any process may go on with a job that another one left.
 */
@Injectable()
export class JobsRunner {
  private readonly steps: Record<JobKind, JobStep>;
  private timer: NodeJS.Timeout | null = null;
  private looking: Promise<void> | null = null;
  private readonly working = new Map<Job, Promise<void>>();
  private running = false;

  constructor(
    private readonly jobs: JobsRepository,
    private readonly forwarding: ForwardingService,
    private readonly logger: Logger,
    sendAgain: SendAgainSteps,
    importing: ImportStep,
    drift: DriftStep,
  ) {
    this.steps = {
      'platform.reforward': (job) => sendAgain.reforward(job),
      'changes.resend': (job) => sendAgain.resend(job),
      'platform.import': (job) => importing.run(job),
      'platform.drift': (job) => drift.run(job),
    };
  }

  start(): void {
    if (this.running) return;
    this.running = true;
    this.poll();
  }

  /** Takes no more jobs, and waits for the batches that are under way. */
  async stop(): Promise<void> {
    this.running = false;
    if (this.timer) clearTimeout(this.timer);
    await this.looking;
    await Promise.all(this.working.values());
  }

  /** Does all that is to be done now. */
  async drain(): Promise<void> {
    for (let job = await this.jobs.claim(); job !== null; job = await this.jobs.claim()) await this.work(job);
  }

  private poll(): void {
    if (this.timer) clearTimeout(this.timer);
    this.looking ??= this.look().finally(() => {
      this.looking = null;
      if (this.running) this.timer = setTimeout(() => this.poll(), POLL_MS);
    });
  }

  /** Fills the free lanes. */
  private async look(): Promise<void> {
    try {
      while (this.running && this.working.size < LANES) {
        const asking = [...this.working.keys()].filter(({ kind }) => ASKING.has(kind)).length;
        const job = await this.jobs.claim(asking < LANES - 1 ? KINDS : NOT_ASKING);
        if (job === null) return;
        const work = this.work(job).finally(() => {
          this.working.delete(job);
          if (this.running) this.poll();
        });
        this.working.set(job, work);
      }
    } catch (error) {
      this.logger.error('jobs.failed', { error });
    }
  }

  /** One batch. Never throws: what cannot even be written down is left to its lease. */
  private async work(job: Job): Promise<void> {
    try {
      const batch = await this.steps[job.kind](job);
      await this.jobs.progress(job, batch);
      if (batch.wake) this.forwarding.wake(job.tenantId);
      if (batch.next === null) {
        this.logger.info('job.done', { tenant_id: job.tenantId, job_id: job.id, kind: job.kind });
      }
    } catch (error) {
      this.logger.error('job.interrupted', { tenant_id: job.tenantId, job_id: job.id, kind: job.kind, error });
      // What the platform or the settings are to blame for is told; the rest (the database) is tried again.
      const noted: Promise<unknown> =
        error instanceof JobFailed ? this.jobs.fail(job, error.message) : this.jobs.postpone(job, error);
      await noted.catch((failure: unknown) => this.logger.error('jobs.failed', { error: failure }));
    }
  }
}
