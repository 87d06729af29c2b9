import { Injectable } from '@nestjs/common';

/** The class of a domain event; rooms declare theirs in `<room>.events.ts`. */
type EventClass<E extends object> = abstract new (...args: never[]) => E;

/** Carries typed events to rooms above. A room publishes an event of its own class; the subscribing room has the handler. */
@Injectable()
export class DomainEvents {
  private readonly handlers = new Map<EventClass<object>, ((event: object) => unknown)[]>();

  on<E extends object>(type: EventClass<E>, handler: (event: E) => void | Promise<void>): void {
    const known = this.handlers.get(type) ?? [];
    known.push(handler as (event: object) => unknown);
    this.handlers.set(type, known);
  }

  /** Runs the handlers one after the other. A handler that throws rolls back the transaction of the event. */
  async publish(event: object): Promise<void> {
    for (const handler of this.handlers.get(event.constructor as EventClass<object>) ?? []) await handler(event);
  }
}
