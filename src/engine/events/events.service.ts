import { Injectable } from '@nestjs/common';
import { InvalidFields } from '../../base/errors/domain-error.js';
import type { EventName } from './catalogue.js';
import { eventId, sequenceOfEvent } from './event-id.js';
import { EventFloors } from './event-floors.js';
import { EventReader, type StoredEvent } from './event-reader.js';
import { PositionTooOld } from './events.errors.js';
import { EventHorizon } from './horizon.js';
import { before, compareSequences, higher, lower } from './sequence.rules.js';

/** No installation draws a million millions of events: a higher position is an error of the caller. */
const FARTHEST = String(10 ** 12);

/** A page of the feed. */
export interface FeedPage {
  events: StoredEvent[];
  /** The position of the next page: an event of the tenant, so that it shows nothing of others; null: none so far. */
  nextAfter: string | null;
}

/** A page of the list. */
export interface ListPage {
  events: StoredEvent[];
  /** The place from which the next page continues; null: this is the last one. */
  next: string | null;
}

/** The events of a tenant, as the API shows them: a list, newest first, and a feed, oldest first. */
@Injectable()
export class EventsService {
  constructor(
    private readonly reader: EventReader,
    private readonly horizon: EventHorizon,
    private readonly floors: EventFloors,
  ) {}

  /**
   * Returns the events behind a position, oldest first. No event ever appears before the position that it returns, which is
   * one of the tenant's own: the end of what was read would count the events of all tenants.
   *
   * @param position the id of the last event that was processed, or the `next_after` of a page; null: from the oldest
   * @throws {InvalidFields} when it is no position that was ever given
   * @throws {PositionTooOld} when events behind it were dropped
   */
  async feed(tenantId: string, position: string | null, limit: number): Promise<FeedPage> {
    const after = position === null ? await this.floors.of(tenantId) : sequenceOfEvent(position);
    if (after === null) throw unknownPosition('must be the id of an event');
    if (compareSequences(after, FARTHEST) > 0) throw unknownPosition('is behind every event');
    const page = await this.behind(tenantId, after, limit);
    // Looked up after the events: what was dropped meanwhile is missing in the page.
    const floor = await this.floors.of(tenantId);
    if (compareSequences(after, floor) > 0 && page.events.length === 0) return this.ended(tenantId, after, floor);
    if (compareSequences(after, floor) >= 0) return page;
    if (position === null) return this.feed(tenantId, null, limit);
    throw new PositionTooOld(eventId(floor));
  }

  private async behind(tenantId: string, after: string, limit: number): Promise<FeedPage> {
    const known = this.horizon.known;
    const part = await this.upTo(tenantId, after, known, limit);
    if (part.events.length === limit || part.through !== null) return pageOf(part.events, part.through ?? after);
    const newest = await this.horizon.newest();
    // The part after the known horizon begins where the first part ends.
    const from = compareSequences(after, known) > 0 ? after : known;
    const rest = await this.upTo(tenantId, from, newest, limit - part.events.length);
    return pageOf([...part.events, ...rest.events], rest.through ?? after);
  }

  /**
   * Returns an empty page. A position after the newest event of the tenant, as after a restore, goes back to that event: a
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

  /** Returns events, newest first: also those that commit late and appear before others later. */
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
}

function pageOf(events: StoredEvent[], place: string): FeedPage {
  const last = events.at(-1)?.sequence ?? place;
  const end = compareSequences(last, place) > 0 ? last : place;
  return { events, nextAfter: end === '0' ? null : eventId(end) };
}

function unknownPosition(message: string): InvalidFields {
  return new InvalidFields([{ field: 'after', message }]);
}
