import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../base/database/database.js';
import type { Part, WriteStatement } from '../../base/database/write-statement.js';
import { DomainEvents } from '../../base/domain-events.js';
import { InvalidFields } from '../../base/errors/domain-error.js';
import { DayClosed } from '../../tenancy/ledger/day-closing.js';
import { SessionEvents } from '../../tenancy/sessions/session.js';
import { StorageEventRecorder } from '../../tenancy/tenants/storage/tenant-storage.js';
import type { EventName, EventData } from './catalogue.js';
import { EventReader, type StoredEvent } from './event-reader.js';
import { eventId, sequenceOfEvent, EventRecorder } from './event-recorder.js';
import { PositionTooOld } from './events.errors.js';
import { LOWEST, HorizonMarks, type Look, before, compareSequences, higher, lower } from './horizon.rules.js';

const TENANTS = 1_000;

/** At most 50 looks a second: each one can use up a transaction id. */
const EVERY_MS = 20;
/** The looks after which a caller no longer waits for open transactions. */
const LOOKS = 4;

interface LookRow {
  last: string;
  own: string | null;
  oldest: string;
  started: string;
}

/** No installation draws a million millions of events: a higher position is an error of the caller. */
const FARTHEST = String(10 ** 12);

interface FeedPage {
  events: StoredEvent[];
  /** An event of the tenant, so that the position shows nothing of others. */
  nextAfter: string | null;
}

export interface ListPage {
  events: StoredEvent[];
  next: string | null;
}

/**
 * The events of a tenant for the API: a list, newest first, and a feed, oldest first.
 *
 * The floor is the highest sequence of a tenant whose event was dropped: a position before it has missed events. The horizon is
 * the sequence up to which every event is committed, or never will be.
 *
 * A transaction gets its id before it draws its first sequence (the default of the columns). A look reads the last sequence
 * first and takes a transaction id then. All sequences up to there belong to older transactions; when these are over, the
 * sequences are final. All callers of a process share the looks and their results.
 */
@Injectable()
export class EventsService {
  private readonly marks = new HorizonMarks();
  /** The look that begins next; it serves all callers until then. */
  private next: Promise<void> | null = null;
  private running: Promise<void> = Promise.resolve();
  private begun = 0;

  constructor(
    private readonly reader: EventReader,
    private readonly db: Database,
  ) {}

  /**
   * Returns the events after a position, oldest first. No event ever appears before the returned position, which is one of the
   * tenant's own: the end of the read rows would count the events of all tenants.
   *
   * @param position the id of the last event that was processed, or the `next_after` of a page; null for the oldest
   * @throws {InvalidFields} when it is no position that was ever given
   * @throws {PositionTooOld} when events after it were dropped
   */
  async feed(tenantId: string, position: string | null, limit: number): Promise<FeedPage> {
    const after = position === null ? await this.floorOf(tenantId) : sequenceOfEvent(position);
    if (after === null) throw unknownPosition('must be the id of an event');
    if (compareSequences(after, FARTHEST) > 0) throw unknownPosition('is behind every event');
    const page = await this.pageAfter(tenantId, after, limit);
    // Looked up after the events: an event that was dropped since is missing in the page.
    const floor = await this.floorOf(tenantId);
    if (compareSequences(after, floor) > 0 && page.events.length === 0) return this.ended(tenantId, after, floor);
    if (compareSequences(after, floor) >= 0) return page;
    if (position === null) return this.feed(tenantId, null, limit);
    throw new PositionTooOld(eventId(floor));
  }

  private async pageAfter(tenantId: string, after: string, limit: number): Promise<FeedPage> {
    const known = this.known;
    const part = await this.upTo(tenantId, after, known, limit);
    if (part.events.length === limit || part.through !== null) return pageOf(part.events, part.through ?? after);
    const newest = await this.newest();
    // The part after the known horizon begins where the first part ends.
    const from = compareSequences(after, known) > 0 ? after : known;
    const rest = await this.upTo(tenantId, from, newest, limit - part.events.length);
    return pageOf([...part.events, ...rest.events], rest.through ?? after);
  }

  /**
   * Returns an empty page. A position after the newest event of the tenant, as after a restore, returns to that event: a
   * refusal would show which sequences other tenants have reached.
   */
  private async ended(tenantId: string, after: string, floor: string): Promise<FeedPage> {
    const [newest] = await this.reader.page(tenantId, { limit: 1, newestFirst: true });
    return pageOf([], lower(after, higher(newest?.sequence ?? floor, floor)));
  }

  private async upTo(
    tenantId: string,
    after: string,
    through: string,
    limit: number,
  ): Promise<{ events: StoredEvent[]; through: string | null }> {
    if (compareSequences(after, through) >= 0) return { events: [], through: null };
    return this.reader.part(tenantId, { after, through, limit, newestFirst: false });
  }

  /** Newest first, with events that commit late and appear before others later. */
  async list(
    tenantId: string,
    { event, since }: { event: EventName | undefined; since: Date | undefined },
    { after, limit }: { after: string | null; limit: number },
  ): Promise<ListPage> {
    const { events, through } = await this.reader.part(tenantId, {
      through: after === null ? undefined : before(after),
      names: event === undefined ? null : [event],
      since,
      limit,
      newestFirst: true,
    });
    return { events, next: through };
  }

  private async floorOf(tenantId: string): Promise<string> {
    const { rows } = await this.db.query<{ sequence: string }>(
      `select sequence from event_floors where tenant_id = $1`,
      [tenantId],
    );
    return rows[0]?.sequence ?? LOWEST;
  }

  /**
   * Raises the floors to the events of a month, in the transaction that drops it.
   *
   * @param month the partition, as the catalogue of the database names it
   */
  async raiseFloor(tx: SqlRunner, month: string): Promise<void> {
    if (!/^events_\d{4}_\d\d$/.test(month)) throw new Error(`${month} is no month of events`);
    for (let after = ''; ;) {
      // One probe of the index for each tenant: a month has many more events than there are tenants.
      const { rows } = await tx.shaped<{ id: string; sequence: string | null }>(
        `select t.id, (select e.sequence from ${month} e where e.tenant_id = t.id order by e.sequence desc limit 1) as sequence
         from (select id from tenants where id > $1 order by id limit $2) t`,
        [after, TENANTS],
      );
      const found = rows.filter(({ sequence }) => sequence !== null);
      if (found.length > 0) {
        await tx.query(
          `insert into event_floors as f (tenant_id, sequence)
           select * from unnest($1::text[], $2::bigint[])
           on conflict (tenant_id) do update set sequence = greatest(f.sequence, excluded.sequence)`,
          [found.map(({ id }) => id), found.map(({ sequence }) => sequence)],
        );
      }
      if (rows.length < TENANTS) return;
      after = rows.at(-1)!.id;
    }
  }

  get known(): string {
    return String(this.marks.horizon);
  }

  /**
   * Looks anew, and returns the horizon. Every commit before the call is under it, unless an older write transaction is open.
   */
  async newest(): Promise<string> {
    await this.look();
    const wanted = this.marks.last;
    for (let looks = 1; looks < LOOKS && this.marks.horizon < wanted; looks++) await this.look();
    return this.known;
  }

  private look(): Promise<void> {
    this.next ??= this.begin();
    return this.next;
  }

  private async begin(): Promise<void> {
    // The failure of another look is thrown to its own callers.
    await this.running.catch(() => undefined);
    const pause = this.begun + EVERY_MS - performance.now();
    if (pause > 0) await sleep(pause);
    this.begun = performance.now();
    this.next = null;
    this.running = this.read();
    return this.running;
  }

  private async read(): Promise<void> {
    const { rows } = await this.db.query<LookRow>(`select last, own, oldest, started from event_mark($1)`, [
      String(this.marks.newest),
    ]);
    const { last, own, oldest, started } = rows[0]!;
    const look: Look = { last: BigInt(last), own: own === null ? null : BigInt(own), oldest: BigInt(oldest), started };
    this.marks.take(look);
  }
}

function pageOf(events: StoredEvent[], place: string): FeedPage {
  const last = events.at(-1)?.sequence ?? place;
  const end = compareSequences(last, place) > 0 ? last : place;
  return { events, nextAfter: end === '0' ? null : eventId(end) };
}

function unknownPosition(message: string): InvalidFields {
  return new InvalidFields([{ field: 'after', message }]);
}

/** An event that is to be recorded. */
export interface NewEvent<Name extends EventName = EventName> {
  event: Name;
  data: EventData[Name];
  /** The event is recorded once for each value; absent each time. */
  threshold?: string;
}

/** Records events, also those of the ledgers: their room is below this one. */
@Injectable()
export class EventsRepository {
  constructor(
    private readonly db: Database,
    private readonly recorder: EventRecorder,
    domainEvents: DomainEvents,
  ) {
    domainEvents.on(DayClosed, (closed) => this.dayClosed(closed));
  }

  /**
   * Records events of a tenant, in the transaction of their facts.
   *
   * @param db the transaction; a fact without one (a date that comes nearer) has none
   * @returns the names of those recorded: an event whose threshold was recorded before is left out
   */
  async record(tenantId: string, events: readonly NewEvent[], db: SqlRunner = this.db): Promise<EventName[]> {
    return this.recorder.record(
      db,
      tenantId,
      events.map(({ event, data, threshold }) => ({ event, record: null, data: JSON.stringify(data), threshold })),
    );
  }

  private async dayClosed({ tx, day, signed, signature }: DayClosed): Promise<void> {
    const { tenantId, chain, day: date, sequence, count, hash } = day;
    const data = {
      chain,
      day: date,
      sequence,
      count,
      hash,
      signed,
      key_id: signature.keyId,
      signature: signature.signature.toString('base64'),
    };
    await this.record(tenantId, [{ event: 'chain.day_closed', data }], tx);
  }
}

/** Ids and a word of ours need no escapes in JSON. */
const DATA = `'{"session_id":"' || r.id || '","user_id":"' || r.user_id || '","reason":"' || r.end_reason || '"}'`;

@Injectable()
export class RecordedSessionEvents extends SessionEvents {
  constructor(private readonly recorder: EventRecorder) {
    super();
  }

  override async add(statement: WriteStatement, tenantId: string, ended: Part, db?: SqlRunner): Promise<void> {
    await this.recorder.addAbout(statement, tenantId, { event: 'session.ended', rows: ended, data: DATA }, db);
  }
}

@Injectable()
export class RecordedStorageEvents extends StorageEventRecorder {
  constructor(
    private readonly events: EventsRepository,
    private readonly recorder: EventRecorder,
  ) {
    super();
  }

  override async record(...[tx, tenantId, event, data]: Parameters<StorageEventRecorder['record']>): Promise<void> {
    await this.events.record(tenantId, [{ event, data }], tx);
    this.recorder.wake(tenantId, event);
  }
}
