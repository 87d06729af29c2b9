import { Injectable } from '@nestjs/common';
import type { SqlRunner } from '../../base/database/database.js';
import type { DestinationKey } from '../delivery/destination.js';
import type { Receiver } from '../delivery/lanes/enqueue.js';
import type { EventName } from './catalogue.js';

/** An event as it is read. Its body is the same for the feed and for every endpoint. */
export interface StoredEvent {
  /** The place in the order of events, from which the id is made. */
  sequence: string;
  event: EventName;
  at: Date;
  record: string | null;
  /** JSON text, sent unchanged. */
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
  /** Exclusive. */
  after: string;
  /** Inclusive. */
  through: string;
  /** null for all. */
  names: readonly EventName[] | null;
  rows: number;
  newestFirst: boolean;
}

/** The result of a scan. */
export interface Scanned {
  events: StoredEvent[];
  /** The last row that was read, where more may follow; null when the range is read to its end. */
  through: string | null;
}

/** The place and time of an event. */
export interface EventPlace {
  sequence: string;
  at: Date;
}

/** A table whose rows are events. Each name belongs to one source. All methods read by an index of the tenant. */
export abstract class EventSource {
  abstract readonly names: readonly EventName[];

  abstract holds(record: string): boolean;

  abstract bySequences(tenantId: string, sequences: readonly string[]): Promise<StoredEvent[]>;

  /** Returns the first event of each record in its range, in no order; `names` null for all. */
  abstract nextOf(
    tenantId: string,
    asked: readonly RecordRange[],
    names: readonly EventName[] | null,
  ): Promise<StoredEvent[]>;

  /** Newest first. @param before only events of smaller sequences; null for all */
  abstract ofRecord(tenantId: string, record: string, limit: number, before: string | null): Promise<StoredEvent[]>;

  abstract scan(tenantId: string, range: ScanRange): Promise<Scanned>;

  /** Returns the first row at a sequence or after it. */
  abstract placeFrom(tenantId: string, sequence: string): Promise<EventPlace | null>;
}

/** A receiver of a tenant's events. */
export interface EventReceiver {
  id: string;
  /** The events that it takes; null for all. */
  events: readonly string[] | null;
  /** Events about one record are sent one after the other. */
  ordered: boolean;
}

/** A channel that events are delivered through. */
export interface EventChannel {
  readonly name: string;
  /**
   * Returns the receivers of a tenant, after the last change that was answered.
   *
   * @param db reads uncached receivers: a transaction waits for no second connection
   */
  receiversOf(tenantId: string, db?: SqlRunner): Promise<readonly EventReceiver[]>;
  wake(key: DestinationKey): void;
}

const NONE: readonly EventReceiver[] = [];

/**
 * The sources of events of this process, and the channel to their receivers: the rooms that bring one add it when their module
 * is made.
 */
@Injectable()
export class EventSources {
  private readonly sources: EventSource[] = [];
  private brought: EventChannel | null = null;

  add(source: EventSource): void {
    const taken = source.names.find((name) => this.sources.some(({ names }) => names.includes(name)));
    if (taken !== undefined) throw new Error(`there are two sources of ${taken}`);
    this.sources.push(source);
  }

  of(names: readonly EventName[] | null): readonly EventSource[] {
    if (names === null) return this.sources;
    return this.sources.filter((source) => source.names.some((name) => names.includes(name)));
  }

  addReceivers(channel: EventChannel): void {
    if (this.brought !== null) throw new Error('events have a channel already');
    this.brought = channel;
  }

  /** null when this process delivers no events. */
  get channel(): EventChannel | null {
    return this.brought;
  }

  receiversOf(tenantId: string, db?: SqlRunner): Promise<readonly EventReceiver[]> {
    return this.brought?.receiversOf(tenantId, db) ?? Promise.resolve(NONE);
  }
}

export function takersOf(receivers: readonly EventReceiver[], event: string): Receiver[] {
  return receivers.filter(({ events }) => events === null || events.includes(event));
}

export function takersOfAny(
  receivers: readonly EventReceiver[],
  events: readonly string[],
): (Receiver & { names: readonly string[] })[] {
  return receivers.flatMap(({ id, ordered, events: taken }) => {
    const names = taken === null ? events : events.filter((event) => taken.includes(event));
    return names.length === 0 ? [] : [{ id, ordered, names }];
  });
}
