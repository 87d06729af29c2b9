import { Injectable } from '@nestjs/common';
import type { EventName } from './catalogue.js';

/** An event as it is read. Its body is the same for the feed and for every endpoint. */
export interface StoredEvent {
  /** The place in the tenant's order of events; the id is made of it. */
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

/** A part of the order of events. */
export interface EventRange {
  /** Only events behind this sequence; left out: from the oldest. */
  after?: string | undefined;
  /** Only events up to this sequence; left out: to the newest. */
  through?: string | undefined;
  /** Only events of these names; left out: of all. */
  names?: readonly EventName[] | undefined;
  /** Only events from this moment on. */
  since?: Date | undefined;
  /** The most events that are read. */
  limit: number;
  newestFirst: boolean;
}

/**
 * A table whose rows are events. Each name belongs to one source. All methods read by an index of the tenant; what they
 * return is in no order unless it is said.
 */
export abstract class EventSource {
  /** The names of the events that stand in this source. */
  abstract readonly names: readonly EventName[];

  /** Returns the events that have these sequences. */
  abstract bySequences(tenantId: string, sequences: readonly string[]): Promise<StoredEvent[]>;

  /** Returns the first event of each record in its range, out of these names (null: of all). */
  abstract nextOf(
    tenantId: string,
    asked: readonly RecordRange[],
    names: readonly EventName[] | null,
  ): Promise<StoredEvent[]>;

  /** Returns the newest events of a record, newest first. */
  abstract ofRecord(tenantId: string, record: string, limit: number): Promise<StoredEvent[]>;

  /** Returns the events of a part of the order, in its direction. */
  abstract page(tenantId: string, range: EventRange): Promise<StoredEvent[]>;
}

/** The sources of events of this process: a room that brings one adds it when its module is made. */
@Injectable()
export class EventSources {
  private readonly sources: EventSource[] = [];

  /** @throws {Error} when a name belongs to another source already */
  add(source: EventSource): void {
    const taken = source.names.find((name) => this.sources.some(({ names }) => names.includes(name)));
    if (taken !== undefined) throw new Error(`there are two sources of ${taken}`);
    this.sources.push(source);
  }

  /** Returns the sources that have one of these names; left out: all. */
  of(names?: readonly EventName[] | null): readonly EventSource[] {
    if (names === undefined || names === null) return this.sources;
    return this.sources.filter((source) => source.names.some((name) => names.includes(name)));
  }
}
