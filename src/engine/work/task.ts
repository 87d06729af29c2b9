import type { Actor } from '../../tenancy/identity/person.js';

/** Background work of a tenant, as a handler is given it. */
export interface Task<P extends object = Record<string, unknown>> {
  tenantId: string;
  id: string;
  kind: TaskKind;
  /** What the task is about, and the place where it continues. */
  payload: P;
  /** How many items are done. */
  done: number;
  /** Counts of what the task came to so far, by name. */
  result: Record<string, number> | null;
  createdBy: Actor;
}

/** Every kind of background work. */
export const TASK_KINDS = [
  'platform.reforward',
  'platform.import',
  'platform.drift',
  'changes.resend',
  'changes.retry',
  'changes.dismiss',
  'held.release',
  'held.discard',
  'guard.undo',
  'role-review',
  'rules-changed',
  'rules.plan',
  'preview-live',
  'preview.plan',
  'unlinked.deactivate',
  'candidates.retitle',
  'webhooks.replay',
  'ats.release',
  'ats.connect',
  'ats.remove',
  'seats.correct',
] as const;

/** A kind of background work. */
export type TaskKind = (typeof TASK_KINDS)[number];

/** `cancelled`: an admin has stopped it; what was done until then stays. */
export const TASK_STATES = ['waiting', 'running', 'done', 'failed', 'cancelled'] as const;

/** The state of a task. */
export type TaskState = (typeof TASK_STATES)[number];

/** What one batch of a task came to. */
export interface Batch {
  /** How many items the batch has done. */
  done: number;
  /** The payload of the next batch; null: the task is finished. */
  next: object | null;
  /** How many items there are, once it is known. Never less than what is done, and the same at the end: so it is stored. */
  total?: number;
  /** Counts of what the task came to so far, by name. */
  result?: Record<string, number>;
}

/** How tasks of a kind are done. */
export interface TaskHandler<P extends object = Record<string, unknown>> {
  /**
   * Does one batch. Each batch is complete: a task that is cut off continues where the last batch ended.
   *
   * @throws {TaskFailed} when the task cannot continue
   * @throws {TaskInterrupted} when the batch cannot be done now
   */
  run(task: Task<P>): Promise<Batch>;
  /** The kind calls another system, or rests: it takes none of the slots for work (see `Places`). */
  callsOut?: boolean;
  /** False: the task works off a change that is already in force, and cannot be cancelled. */
  cancellable?: boolean;
}

/** A task that cannot continue. The message is shown to the tenant. */
export class TaskFailed extends Error {}

/** A batch that could not be done now. The message is safe to show: it becomes the error of a task that is given up. */
export class TaskInterrupted extends Error {
  /** @param retryAfterMs the pause that the other server asks for; null: none */
  constructor(
    message: string,
    readonly retryAfterMs: number | null = null,
  ) {
    super(message);
  }
}
