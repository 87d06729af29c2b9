import { Injectable } from '@nestjs/common';
import type { SqlRunner } from '../../base/database/database.js';
import type { DestinationKey } from '../delivery/destination.js';
import type { Receiver } from '../delivery/lanes/enqueue.js';
import type { EventName } from './catalogue.js';

/** An event as it is read. Its body is the same for the feed and for every endpoint. */
export interface StoredEvent {
  /** The place in the order of events; the id is made of it. */
  sequence: string;
  event: EventName;
  at: Date;
  /** The id of the record that it is about; null: none. */
  record: string | null;
  /** JSON text, sent as it stands. */
  data: string;
}

/** The events of one record in a range of sequences, both ends included. */
export interface RecordRange {
  record: string;
  from: string;
  through: string;
}

/** Returns the ranges as one array for each column. */
export function columnsOf(asked: readonly RecordRange[]): [records: string[], from: string[], through: string[]] {
  return [asked.map(({ record }) => record), asked.map(({ from }) => from), asked.map(({ through }) => through)];
}

/** After every sequence: the largest bigint. */
export const LAST_SEQUENCE = '9223372036854775807';

/** A part of the order of events, which is read in one direction. */
export interface ScanRange {
  /** Only events behind this sequence. */
  after: string;
  /** Only events up to this sequence. */
  through: string;
  /** Only events of these names; null: of all. */
  names: readonly EventName[] | null;
  /** The most rows that are read, whether they are shown or not. */
  rows: number;
  newestFirst: boolean;
}

/** What a scan has found. */
export interface Scanned {
  /** In the direction of the scan. */
  events: StoredEvent[];
  /** The last row that was read, where more may follow; null: the range is read to its end. */
  through: string | null;
}

/** Where an event stands, and when it was. */
export interface EventPlace {
  sequence: string;
  at: Date;
}

/** A table whose rows are events. Each name belongs to one source. All methods read by an index of the tenant. */
export abstract class EventSource {
  /** The names of the events of this source. */
  abstract readonly names: readonly EventName[];

  /** Returns whether this source has the events about a record. */
  abstract holds(record: string): boolean;

  /** Returns the events that have these sequences, in no order. */
  abstract bySequences(tenantId: string, sequences: readonly string[]): Promise<StoredEvent[]>;

  /**
   * Returns the first event of each record in its range, in no order.
   *
   * @param names only events of these names; null: of all
   */
  abstract nextOf(
    tenantId: string,
    asked: readonly RecordRange[],
    names: readonly EventName[] | null,
  ): Promise<StoredEvent[]>;

  /** Returns the newest events of a record, newest first. @param before only events of smaller sequences; null: all */
  abstract ofRecord(tenantId: string, record: string, limit: number, before: string | null): Promise<StoredEvent[]>;

  /** Reads rows in order. */
  abstract scan(tenantId: string, range: ScanRange): Promise<Scanned>;

  /** Returns the first row at a sequence or behind it; null: there is none. */
  abstract placeFrom(tenantId: string, sequence: string): Promise<EventPlace | null>;
}

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

/**
 * The sources of events of this process: a room that brings one adds it when its module is made.
 *
 * The receivers of events: the room that brings the channel adds it when its module is made.
 */
@Injectable()
export class EventSources {
  private readonly sources: EventSource[] = [];
  private brought: EventChannel | null = null;

  /** @throws {Error} when a name belongs to another source already */
  add(source: EventSource): void {
    const taken = source.names.find((name) => this.sources.some(({ names }) => names.includes(name)));
    if (taken !== undefined) throw new Error(`there are two sources of ${taken}`);
    this.sources.push(source);
  }

  /** Returns the sources that have one of these names; null: all. */
  of(names: readonly EventName[] | null): readonly EventSource[] {
    if (names === null) return this.sources;
    return this.sources.filter((source) => source.names.some((name) => names.includes(name)));
  }

  /** @throws {Error} when there is a channel already */
  addReceivers(channel: EventChannel): void {
    if (this.brought !== null) throw new Error('events have a channel already');
    this.brought = channel;
  }

  /** The channel; null: this process delivers no events. */
  get channel(): EventChannel | null {
    return this.brought;
  }

  /** Returns the receivers of a tenant; `db` as for `EventChannel`. */
  receiversOf(tenantId: string, db?: SqlRunner): Promise<readonly EventReceiver[]> {
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
