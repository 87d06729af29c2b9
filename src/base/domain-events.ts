import { Injectable } from '@nestjs/common';

/** The class of a domain event; rooms declare theirs in `<room>.events.ts`. */
type EventClass<E extends object> = abstract new (...args: never[]) => E;

/**
 * Carries typed facts from a room to rooms above it, which the lower room does not know. A room publishes an event of a
 * class of its own; a handler belongs to the room that subscribes.
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
   * Hands an event to its handlers, one after the other. An event that carries a transaction is part of it: a handler
   * that throws takes the transaction back.
   */
  async publish(event: object): Promise<void> {
    for (const handler of this.handlers.get(event.constructor as EventClass<object>) ?? []) await handler(event);
  }
}
