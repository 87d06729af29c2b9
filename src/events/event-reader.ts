import { Injectable } from '@nestjs/common';
import type { EventName } from './catalogue.js';
import { EventSources, type EventRange, type RecordRange, type StoredEvent } from './event-source.js';

export type { EventRange, RecordRange, StoredEvent } from './event-source.js';

/** Reads the events of a tenant out of all sources, merged by sequence. */
@Injectable()
export class EventReader {
  constructor(private readonly sources: EventSources) {}

  /** Returns the events that have these sequences, oldest first; a sequence without an event is left out. */
  async bySequences(tenantId: string, sequences: readonly string[]): Promise<StoredEvent[]> {
    if (sequences.length === 0) return [];
    const found = await Promise.all(this.sources.of().map((source) => source.bySequences(tenantId, sequences)));
    return found.flat().sort(bySequence);
  }

  /**
   * Returns the first event of each record in its range.
   *
   * @param asked one range for each record
   * @param names only events of these names; null: of all
   */
  async nextOf(
    tenantId: string,
    asked: readonly RecordRange[],
    names: readonly EventName[] | null,
  ): Promise<Map<string, StoredEvent>> {
    if (asked.length === 0) return new Map();
    const found = await Promise.all(this.sources.of(names).map((source) => source.nextOf(tenantId, asked, names)));
    const next = new Map<string, StoredEvent>();
    for (const event of found.flat().sort(bySequence)) {
      if (event.record !== null && !next.has(event.record)) next.set(event.record, event);
    }
    return next;
  }

  /** Returns the newest events of a record, newest first. */
  async ofRecord(tenantId: string, record: string, limit: number): Promise<StoredEvent[]> {
    const found = await Promise.all(this.sources.of().map((source) => source.ofRecord(tenantId, record, limit)));
    return merged(found, { limit, newestFirst: true });
  }

  /** Returns the events of a part of the order, in its direction. */
  async page(tenantId: string, range: EventRange): Promise<StoredEvent[]> {
    const found = await Promise.all(this.sources.of(range.names).map((source) => source.page(tenantId, range)));
    return merged(found, range);
  }
}

function merged(
  found: readonly StoredEvent[][],
  { limit, newestFirst }: Pick<EventRange, 'limit' | 'newestFirst'>,
): StoredEvent[] {
  const events = found.flat().sort(bySequence);
  return (newestFirst ? events.reverse() : events).slice(0, limit);
}

/** Compares by sequence: decimals without leading zeros. */
function bySequence(a: Pick<StoredEvent, 'sequence'>, b: Pick<StoredEvent, 'sequence'>): number {
  return a.sequence.length - b.sequence.length || (a.sequence < b.sequence ? -1 : 1);
}
