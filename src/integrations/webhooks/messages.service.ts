import { Injectable } from '@nestjs/common';
import { Database } from '../../base/database/database.js';
import { InvalidFields } from '../../base/errors/domain-error.js';
import type { PageRequest } from '../../base/http/page.js';
import { deliveredOf, listAttempts, type ListedAttempt } from '../../engine/delivery/attempts.js';
import { waitingOf, waitingPage, type WaitingLane } from '../../engine/delivery/lanes/read.js';
import { EventReader, type StoredEvent } from '../../engine/events/event-reader.js';
import { eventId, sequenceOfEvent } from '../../engine/events/event-recorder.js';
import type { Caller } from '../../tenancy/tenants/caller.js';
import { takes, type Endpoint } from './endpoint.store.js';
import { EndpointsRepository } from './endpoints.repository.js';
import { explain } from './explain.rules.js';
import type { ExplainedBody, MessageBody } from './message-bodies.dto.js';
import { endpointKeyOf } from './webhooks.service.js';

const EXPLAINED_EVENTS = 50;

/** A port: finds the records that a name of another system refers to. `lookup` implements it. */
export abstract class RecordNames {
  /**
   * Returns the ids of records that events are about.
   *
   * @param name an id of this service, an `external_id`, or the id in the ATS
   * @returns the name alone, where it is an id or no record has it
   */
  abstract recordsOf(tenantId: string, name: string): Promise<readonly string[]>;
}

@Injectable()
export class MessagesService {
  constructor(
    private readonly db: Database,
    private readonly endpoints: EndpointsRepository,
    private readonly reader: EventReader,
    private readonly names: RecordNames,
  ) {}

  async attempts(
    caller: Caller,
    id: string,
    { event, delivered }: { event?: string | undefined; delivered?: boolean | undefined },
    page: PageRequest,
  ): Promise<ListedAttempt[]> {
    const endpoint = await this.endpoints.toRead(caller, id);
    const message = event === undefined ? undefined : await this.messageOf(endpoint, event);
    return listAttempts(this.db, endpointKeyOf(endpoint), { message, delivered }, page);
  }

  /** Returns messages that wait, or were given up, with one too many, each with its place in the list. */
  async list(
    caller: Caller,
    id: string,
    state: 'waiting' | 'given_up',
    page: PageRequest,
  ): Promise<(MessageBody & { place: string })[]> {
    const endpoint = await this.endpoints.toRead(caller, id);
    if (state === 'waiting') return this.waiting(endpoint, page);
    const rows = await this.endpoints.listGivenUp(endpoint.tenantId, id, page.after, page.limit);
    return rows.map((row) => ({
      place: row.sequence,
      event_id: eventId(row.sequence),
      event: row.event,
      record: row.record,
      at: row.at,
      state,
      failures: null,
      next_attempt_at: null,
      given_up_at: row.given_up_at,
      reason: row.reason,
    }));
  }

  /** Explains the newest events of a record, or one event. @throws {InvalidFields} when both are named, or neither */
  async explain(
    caller: Caller,
    id: string,
    about: { record?: string | undefined; event?: string | undefined },
  ): Promise<ExplainedBody> {
    const endpoint = await this.endpoints.toRead(caller, id);
    if ((about.record === undefined) === (about.event === undefined)) {
      throw new InvalidFields([{ field: 'record', message: 'must be given, or `event_id`, and not both' }]);
    }
    const events = await this.eventsOf(endpoint, about);
    if (events.length === 0) {
      const what = about.record === undefined ? 'with this id' : 'about this record';
      return { found: false, why: `There is no event ${what}, or it is older than the retention.`, events: [] };
    }
    return { found: true, why: null, events: await this.explained(endpoint, events) };
  }

  private async explained(endpoint: Endpoint, events: readonly StoredEvent[]): Promise<ExplainedBody['events']> {
    const { tenantId, id } = endpoint;
    const key = endpointKeyOf(endpoint);
    const sequences = events.map(({ sequence }) => sequence);
    const subjects = [...new Set(events.flatMap(subjectsOf))];
    const [facts, lanes, delivered, givenUp] = await Promise.all([
      this.endpoints.factsOf(tenantId, [id]),
      waitingOf(this.db, key, subjects),
      deliveredOf(this.db, key, subjects, sequences),
      this.endpoints.givenUpBySequences(tenantId, id, sequences),
    ]);
    return events.map((event) => {
      const said = explain({
        at: event.at,
        taken: takes(endpoint, event.event),
        endpointSince: endpoint.createdAt,
        deliveredAt: delivered.get(eventId(event.sequence)),
        givenUp: givenUp.find(({ sequence }) => sequence === event.sequence),
        lane: takes(endpoint, event.event) ? laneOf(event, lanes) : undefined,
        unreadable: endpoint.unreadable,
        endpoint: facts.get(id)!,
      });
      return { event_id: eventId(event.sequence), event: event.event, record: event.record, at: event.at, ...said };
    });
  }

  private async eventsOf(
    { tenantId }: Endpoint,
    { record, event }: { record?: string | undefined; event?: string | undefined },
  ): Promise<StoredEvent[]> {
    if (record !== undefined) {
      const records = await this.names.recordsOf(tenantId, record);
      const found = await Promise.all(records.map((id) => this.reader.ofRecord(tenantId, id, EXPLAINED_EVENTS)));
      const events = found.flat();
      return events.sort((a, b) => (BigInt(a.sequence) < BigInt(b.sequence) ? 1 : -1)).slice(0, EXPLAINED_EVENTS);
    }
    const sequence = event === undefined ? null : sequenceOfEvent(event);
    return sequence === null ? [] : this.reader.bySequences(tenantId, [sequence]);
  }

  private async waiting(endpoint: Endpoint, page: PageRequest): Promise<(MessageBody & { place: string })[]> {
    const lanes = await waitingPage(this.db, endpointKeyOf(endpoint), page);
    const single = lanes.filter(({ subject }) => sequenceOfEvent(subject) !== null);
    const records = lanes.filter(({ subject }) => sequenceOfEvent(subject) === null);
    const [events, next] = await Promise.all([
      this.reader.bySequences(
        endpoint.tenantId,
        single.map(({ first }) => first),
      ),
      this.reader.nextOf(
        endpoint.tenantId,
        records.map(({ subject, first, through }) => ({ record: subject, from: first, through })),
        endpoint.events,
      ),
    ]);
    const bySequence = new Map(events.map((event) => [event.sequence, event]));
    return lanes.map((lane) => waitingBody(lane, next.get(lane.subject) ?? bySequence.get(lane.first)));
  }

  /** A test has an id of its own and no sequence. */
  private async messageOf(
    { tenantId }: Endpoint,
    id: string,
  ): Promise<{ id: string; sequence: string; subjects: string[] }> {
    if (/^test_[0-9a-f]{24}$/.test(id)) return { id, sequence: '0', subjects: [id] };
    const sequence = sequenceOfEvent(id);
    if (sequence === null) throw new InvalidFields([{ field: 'event_id', message: 'must be the id of an event' }]);
    const [event] = await this.reader.bySequences(tenantId, [sequence]);
    return { id, sequence, subjects: event === undefined ? [id] : subjectsOf(event) };
  }
}

/** Returns the subjects whose lanes can carry an event: its own id, and the record's where messages are in order. */
function subjectsOf({ sequence, record }: StoredEvent): string[] {
  return record === null ? [eventId(sequence)] : [eventId(sequence), record];
}

function laneOf({ sequence, record }: StoredEvent, lanes: readonly WaitingLane[]): WaitingLane | undefined {
  const own = eventId(sequence);
  const place = BigInt(sequence);
  return lanes.find(
    ({ subject, first, through }) =>
      subject === own || (subject === record && BigInt(first) <= place && place <= BigInt(through)),
  );
}

function waitingBody(lane: WaitingLane, event: StoredEvent | undefined): MessageBody & { place: string } {
  return {
    place: lane.subject,
    event_id: eventId(event?.sequence ?? lane.first),
    event: event?.event ?? null,
    record: event?.record ?? null,
    at: event?.at ?? lane.since,
    state: 'waiting',
    failures: lane.failures,
    next_attempt_at: lane.nextAt,
    given_up_at: null,
    reason: null,
  };
}
