import { Injectable } from '@nestjs/common';
import { DeliveryWorker } from '../delivery/delivery.worker.js';
import { JobsRunner } from './jobs/jobs.runner.js';

/** The background work of forwarding: what is owed is sent, and jobs are worked off. Started by role `all` and `worker`. */
@Injectable()
export class ForwardingWorker {
  constructor(
    private readonly delivery: DeliveryWorker,
    private readonly jobs: JobsRunner,
  ) {}

  start(): void {
    this.delivery.start();
    this.jobs.start();
  }

  /** Finishes what is out and hands back the rest. */
  async stop(): Promise<void> {
    await Promise.all([this.delivery.stop(), this.jobs.stop()]);
  }
}
