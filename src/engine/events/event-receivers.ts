import { Injectable } from '@nestjs/common';
import type { SqlRunner } from '../../base/database/database.js';
import type { DestinationKey } from '../delivery/destination.js';
import type { Receiver } from '../delivery/lanes/enqueue-messages.js';

/** A receiver of a tenant's events. */
export interface EventReceiver {
  /** The id of the destination. */
  id: string;
  /** The events that it takes; null: all. */
  events: readonly string[] | null;
  /** Events about one record go one after the other. */
  ordered: boolean;
}

/** A channel that events are delivered through. */
export interface EventChannel {
  /** The name of the channel of the delivery. */
  readonly name: string;
  /**
   * Returns the receivers of a tenant, in the state of the last change that was answered.
   *
   * @param db reads what is not cached: a transaction waits for no second connection
   */
  receiversOf(tenantId: string, db?: SqlRunner): Promise<readonly EventReceiver[]>;
  /** Wakes the delivery to a destination. */
  wake(key: DestinationKey): void;
}

const NONE: readonly EventReceiver[] = [];

/** The receivers of events: the room that brings the channel adds it when its module is made. */
@Injectable()
export class EventReceivers {
  private brought: EventChannel | null = null;

  /** @throws {Error} when there is a channel already */
  add(channel: EventChannel): void {
    if (this.brought !== null) throw new Error('events have a channel already');
    this.brought = channel;
  }

  /** The channel; null: this process delivers no events. */
  get channel(): EventChannel | null {
    return this.brought;
  }

  /** Returns the receivers of a tenant; `db` as for `EventChannel`. */
  of(tenantId: string, db?: SqlRunner): Promise<readonly EventReceiver[]> {
    return this.brought?.receiversOf(tenantId, db) ?? Promise.resolve(NONE);
  }
}

/** Returns the receivers that take an event. */
export function takersOf(receivers: readonly EventReceiver[], event: string): Receiver[] {
  return receivers.filter(({ events }) => events === null || events.includes(event));
}

/** Returns the receivers that take any of the events, with those that they take. */
export function takersOfAny(
  receivers: readonly EventReceiver[],
  events: readonly string[],
): (Receiver & { names: readonly string[] })[] {
  return receivers.flatMap(({ id, ordered, events: taken }) => {
    const names = taken === null ? events : events.filter((event) => taken.includes(event));
    return names.length === 0 ? [] : [{ id, ordered, names }];
  });
}
