import { Injectable } from '@nestjs/common';

/** The class of a domain event; rooms declare theirs in `<room>.events.ts`. */
type EventClass<E extends object> = abstract new (...args: never[]) => E;

/**
 * Carries typed events from a room to rooms above it. A room publishes an event of its own class; the handler belongs
 * to the room that subscribes.
 */
@Injectable()
export class DomainEvents {
  private readonly handlers = new Map<EventClass<object>, ((event: object) => unknown)[]>();

  /** Subscribes to all events of a class, for the life of the process. */
  on<E extends object>(type: EventClass<E>, handler: (event: E) => void | Promise<void>): void {
    const known = this.handlers.get(type) ?? [];
    known.push(handler as (event: object) => unknown);
    this.handlers.set(type, known);
  }

  /**
   * Runs the handlers of an event, one after the other. An event with a transaction is part of it: a handler that
   * throws rolls the transaction back.
   */
  async publish(event: object): Promise<void> {
    for (const handler of this.handlers.get(event.constructor as EventClass<object>) ?? []) await handler(event);
  }
}
