import { Injectable } from '@nestjs/common';
import type { TaskHandler, TaskKind } from './task.js';

/** The handlers of all kinds of tasks; each room adds those of its own kinds when it is made. */
@Injectable()
export class TaskHandlers {
  private readonly handlers = new Map<TaskKind, TaskHandler>();

  /** Adds the handler of some kinds; `P` is the payload that the room gives tasks of these kinds. */
  add<P extends object = Record<string, unknown>>(kinds: readonly TaskKind[], handler: TaskHandler<P>): void {
    // The payload of a kind is written and read by one room, so the map does not know its type.
    for (const kind of kinds) this.handlers.set(kind, handler as unknown as TaskHandler);
  }

  /**
   * Returns the handler of a kind.
   *
   * @throws {Error} when no room has added one
   */
  of(kind: TaskKind): TaskHandler {
    const handler = this.handlers.get(kind);
    if (handler === undefined) throw new Error(`no handler for tasks of the kind ${kind}`);
    return handler;
  }

  /** Returns the kinds that call other systems, and those that do not. */
  get queues(): { calling: TaskKind[]; local: TaskKind[] } {
    const calling: TaskKind[] = [];
    const local: TaskKind[] = [];
    for (const [kind, { callsOut }] of this.handlers) (callsOut === true ? calling : local).push(kind);
    return { calling, local };
  }

  /** Returns whether a task of the kind can be cancelled. */
  isCancellable(kind: TaskKind): boolean {
    return this.handlers.get(kind)?.cancellable !== false;
  }
}
