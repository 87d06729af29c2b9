import { Injectable } from '@nestjs/common';
import type { Actor } from '../../tenancy/identity/person.js';

/** Background work of a tenant, as its handler gets it. */
export interface Task<P extends object = Record<string, unknown>> {
  tenantId: string;
  id: string;
  kind: TaskKind;
  /** The subject of the task, and the place where it continues. */
  payload: P;
  done: number;
  /** Results so far, by name. */
  result: Record<string, number> | null;
  createdBy: Actor;
}

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

/** `cancelled`: an admin has stopped the task; its results stay. */
export const TASK_STATES = ['waiting', 'running', 'done', 'failed', 'cancelled'] as const;

export type TaskState = (typeof TASK_STATES)[number];

/** The result of one batch of a task. */
export interface Batch {
  done: number;
  /** The payload of the next batch; null when the task is finished. */
  next: object | null;
  /** Items in all, once counted. Stored as at least `done`, and as `done` at the end. */
  total?: number;
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
  /** False when the task works off a change that is already in force: it cannot be cancelled. */
  cancellable?: boolean;
}

/** A task that cannot continue. The message is shown to the tenant. */
export class TaskFailed extends Error {}

/** A batch that could not be done now. The message is safe to show: it becomes the error of a task that is given up. */
export class TaskInterrupted extends Error {
  constructor(
    message: string,
    readonly retryAfterMs: number | null = null,
  ) {
    super(message);
  }
}

/** The handlers of all kinds of tasks; each room adds those of its own kinds when it is made. */
@Injectable()
export class TaskHandlers {
  private readonly handlers = new Map<TaskKind, TaskHandler>();

  /** `P` is the payload that the room gives tasks of these kinds. */
  add<P extends object = Record<string, unknown>>(kinds: readonly TaskKind[], handler: TaskHandler<P>): void {
    // The payload of a kind is written and read by one room, so the map does not know its type.
    for (const kind of kinds) this.handlers.set(kind, handler as unknown as TaskHandler);
  }

  of(kind: TaskKind): TaskHandler {
    const handler = this.handlers.get(kind);
    if (handler === undefined) throw new Error(`no handler for tasks of the kind ${kind}`);
    return handler;
  }

  get queues(): { calling: TaskKind[]; local: TaskKind[] } {
    const calling: TaskKind[] = [];
    const local: TaskKind[] = [];
    for (const [kind, { callsOut }] of this.handlers) (callsOut === true ? calling : local).push(kind);
    return { calling, local };
  }

  isCancellable(kind: TaskKind): boolean {
    return this.handlers.get(kind)?.cancellable !== false;
  }
}

/** Failures in a row after which a task is given up. With pauses of up to ten minutes that is about three hours. */
export const MOST_FAILURES = 24;
/** The rest of a task after a failure, and the most after many in a row. */
const FIRST_PAUSE_SECONDS = 10;
const LONGEST_PAUSE_SECONDS = 600;
/** An estimate from less work than this would jump. */
const FEWEST_DONE = 20;

/** @returns the seconds to rest; null gives the task up */
export function pauseAfter(failures: number): number | null {
  if (failures >= MOST_FAILURES) return null;
  return Math.min(LONGEST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2 ** Math.min(failures - 1, 10));
}

/** Times are milliseconds since 1970. */
export interface Progress {
  state: string;
  done: number;
  total: number | null;
  /** null before the first batch. */
  startedAt: number | null;
  now: number;
}

/**
 * Estimates when a task will be done, at its pace so far.
 *
 * @returns milliseconds since 1970; null when the task is over, the total is not known, or too little is done
 */
export function estimatedEnd({ state, done, total, startedAt, now }: Progress): number | null {
  if (state !== 'waiting' && state !== 'running') return null;
  if (total === null || startedAt === null || done < FEWEST_DONE || now <= startedAt) return null;
  return Math.round(now + (Math.max(0, total - done) * (now - startedAt)) / done);
}
