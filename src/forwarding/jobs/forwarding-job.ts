import type { Actor } from '../../identity/source.js';

/** Work on many people that no request waits for. */
export type JobKind = 'platform.reforward' | 'platform.import' | 'platform.drift' | 'changes.resend';

export interface Job {
  tenantId: string;
  id: string;
  kind: JobKind;
  payload: Record<string, unknown>;
  done: number;
  createdBy: Actor;
}

/** What one batch of a job came to. `next` is where it goes on; null: it is finished. */
export interface Batch {
  done: number;
  next: Record<string, unknown> | null;
  /** There is something to send now. */
  wake: boolean;
  total?: number;
  /** What the job came to so far, counted. */
  result?: Record<string, number>;
}

/** How a job goes on for one batch. Each batch stands for itself: a job that is cut off goes on where it was. */
export type JobStep = (job: Job) => Promise<Batch>;

/** A job that cannot go on, and whose owner has to know why. */
export class JobFailed extends Error {}
