import { Injectable } from '@nestjs/common';
import type { EventName } from './catalogue.js';
import { EventSources, type RecordRange, type Scanned, type ScanRange, type StoredEvent } from './event-source.js';
import { before, compareSequences, higher, HIGHEST, LOWEST, lower, placeBefore } from './horizon.rules.js';

export type { RecordRange, StoredEvent } from './event-source.js';

export interface EventRange {
  /** After this sequence; absent from the oldest event. */
  after?: string | undefined;
  /** Up to this sequence; absent to the newest event. */
  through?: string | undefined;
  names?: readonly EventName[] | null | undefined;
  since?: Date | undefined;
  limit: number;
  newestFirst: boolean;
}

/** The rows of one scan: with a filter many rows can be read for one event. */
const ROWS = { plain: 1_000, filtered: 5_000 } as const;
/** The most scans for one part: a part can be short, or empty, without being the end. */
const SCANS = 20;
/**
 * The time of an event is that of its transaction, or a little later, and its sequence is drawn later. So an older event can
 * have a higher sequence, by at most the longest transaction.
 */
const DISORDER_MS = 15 * 60_000;

/** Reads the events of a tenant out of all sources, merged by sequence. */
@Injectable()
export class EventReader {
  constructor(private readonly sources: EventSources) {}

  /** Oldest first; a sequence without an event is left out. */
  async bySequences(tenantId: string, sequences: readonly string[]): Promise<StoredEvent[]> {
    const found: StoredEvent[] = [];
    let missing = sequences;
    for (const source of this.sources.of(null)) {
      if (missing.length === 0) break;
      const events = await source.bySequences(tenantId, missing);
      found.push(...events);
      const known = new Set(events.map(({ sequence }) => sequence));
      missing = missing.filter((sequence) => !known.has(sequence));
    }
    return found.sort(bySequence);
  }

  /**
   * Returns the first event of each record in its range.
   *
   * @param names null for all
   */
  async nextOf(
    tenantId: string,
    asked: readonly RecordRange[],
    names: readonly EventName[] | null,
  ): Promise<Map<string, StoredEvent>> {
    const next = new Map<string, StoredEvent>();
    for (const source of this.sources.of(names)) {
      const own = asked.filter(({ record }) => source.holds(record));
      if (own.length === 0) continue;
      for (const event of await source.nextOf(tenantId, own, names)) next.set(event.record!, event);
    }
    return next;
  }

  /** Returns the newest events of a record, newest first. @param before only events of smaller sequences; null for all */
  async ofRecord(
    tenantId: string,
    record: string,
    limit: number,
    before: string | null = null,
  ): Promise<StoredEvent[]> {
    const sources = this.sources.of(null).filter((source) => source.holds(record));
    const found = await Promise.all(sources.map((source) => source.ofRecord(tenantId, record, limit, before)));
    return found.flat().sort(bySequence).reverse().slice(0, limit);
  }

  async page(tenantId: string, range: EventRange): Promise<StoredEvent[]> {
    const events: StoredEvent[] = [];
    let rest = await this.scanOf(tenantId, range);
    for (;;) {
      const { events: found, through } = await this.read(tenantId, rest, range.since, range.limit - events.length);
      events.push(...found);
      if (through === null || events.length >= range.limit) return events;
      rest = restAfter(rest, through);
    }
  }

  /**
   * Reads a part of the order, with a bounded number of rows: it can have fewer events than asked for without being the end.
   * `through` is the place that was read to; null when nothing follows.
   */
  async part(tenantId: string, range: EventRange): Promise<Scanned> {
    return this.read(tenantId, await this.scanOf(tenantId, range), range.since, range.limit);
  }

  private async scanOf(
    tenantId: string,
    { names = null, since, limit, newestFirst, ...bounds }: EventRange,
  ): Promise<ScanRange> {
    const after = bounds.after ?? LOWEST;
    return {
      after: since === undefined ? after : higher(after, await this.placeBefore(tenantId, names, since)),
      through: bounds.through ?? HIGHEST,
      names,
      rows: names === null ? Math.min(limit, ROWS.plain) : ROWS.filtered,
      newestFirst,
    };
  }

  private async read(tenantId: string, first: ScanRange, since: Date | undefined, limit: number): Promise<Scanned> {
    let range = first;
    for (let scans = 1; ; scans++) {
      const { events, through } = await this.scan(tenantId, range);
      const shown = since === undefined ? events : events.filter(({ at }) => at >= since);
      if (shown.length > limit) return { events: shown.slice(0, limit), through: shown[limit - 1]!.sequence };
      if (shown.length > 0 || through === null || scans === SCANS) return { events: shown, through };
      range = restAfter(range, through);
    }
  }

  private async scan(tenantId: string, range: ScanRange): Promise<Scanned> {
    const found = await Promise.all(this.sources.of(range.names).map((source) => source.scan(tenantId, range)));
    const ends = found.flatMap((one) => one.through ?? []);
    const events = found.flatMap((one) => one.events).sort(bySequence);
    if (range.newestFirst) events.reverse();
    if (ends.length === 0) return { events, through: null };
    const through = ends.reduce(range.newestFirst ? higher : lower);
    const isRead = range.newestFirst
      ? ({ sequence }: StoredEvent) => compareSequences(sequence, through) >= 0
      : ({ sequence }: StoredEvent) => compareSequences(sequence, through) <= 0;
    return { events: events.filter(isRead), through };
  }

  private async placeBefore(tenantId: string, names: readonly EventName[] | null, since: Date): Promise<string> {
    const moment = new Date(since.getTime() - DISORDER_MS);
    const places = await Promise.all(
      this.sources.of(names).map((source) => placeBefore(moment, (sequence) => source.placeFrom(tenantId, sequence))),
    );
    return places.reduce(lower, HIGHEST);
  }
}

function restAfter(range: ScanRange, through: string): ScanRange {
  return range.newestFirst ? { ...range, through: before(through) } : { ...range, after: through };
}

function bySequence(a: StoredEvent, b: StoredEvent): number {
  return compareSequences(a.sequence, b.sequence);
}
