import { Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { NotFound } from '../../base/errors/domain-error.js';
import { encodeCursor, type Page, type PageRequest } from '../../base/http/page.js';
import { EventReader } from '../../engine/events/event-reader.js';
import { eventId } from '../../engine/events/event-recorder.js';
import type { StoredEvent } from '../../engine/events/event-source.js';
import { CandidatesRepository } from '../../hiring/candidates/candidates.repository.js';
import { type InterviewBody, interviewBody } from '../../hiring/interviews/interview.dto.js';
import { InterviewsRepository } from '../../hiring/interviews/interviews.repository.js';
import { AtsConnectionsRepository } from '../../integrations/ats/connections/ats-connections.repository.js';
import { AtsConnectionStore } from '../../integrations/ats/connections/ats-connections.store.js';
import { lacksWriter } from '../../integrations/ats/connections/ats-settings.rules.js';
import { type InboundEventListed, listedEvent } from '../../integrations/ats/inbound/inbound-events.dto.js';
import { InboundEventsService } from '../../integrations/ats/inbound/inbound-events.service.js';
import { connectorOf } from '../../integrations/ats/providers/providers.js';
import { AtsWritesRepository } from '../../integrations/ats/publish/ats-writes.repository.js';
import type { AtsWriteRow } from '../../integrations/ats/publish/write.js';
import { AtsRecordsRepository } from '../../integrations/ats/records/records.repository.js';

const CANDIDATE_ENTRY_KINDS = ['event', 'ats_event', 'interview', 'ats_write'] as const;

export type CandidateEntryKind = (typeof CANDIDATE_ENTRY_KINDS)[number];

export class CandidateEntryBody {
  @ApiProperty({ example: 'awr_01k0000000abcdefghjkmnpqrs', description: 'Of the event, webhook, interview or write.' })
  id!: string;
  @ApiProperty({ format: 'date-time', type: String })
  at!: string;
  @ApiProperty({
    enum: CANDIDATE_ENTRY_KINDS,
    description:
      '`event`: a change here, which webhooks of the tenant get; `ats_event`: a webhook of the ATS came in; `interview`: an interview, as it is now; `ats_write`: a link or scorecard goes out to the ATS.',
  })
  kind!: CandidateEntryKind;
  @ApiProperty({ example: 'put scorecard', description: 'The name of the event, or what is scheduled or written.' })
  what!: string;
  @ApiProperty({ type: String, nullable: true, example: 'waiting', description: 'null: an `event` has no state.' })
  state!: string | null;
  @ApiProperty({ description: 'Whether something of it still waits: to be applied, to get its link, to be written.' })
  waits!: boolean;
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'no_writer',
    description: 'Why it is in this state, as a code.',
  })
  reason!: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'The same in words.' })
  detail!: string | null;
  @ApiProperty({ type: String, nullable: true })
  ats_connection_id!: string | null;
  @ApiProperty({ type: String, nullable: true })
  interview_id!: string | null;
}

export interface PlacedEntry {
  place: string;
  body: CandidateEntryBody;
}

const NOT_TRIED = 'It waits for its turn, or for its connection: see the state of the connection.';
const WRITE_WORDS: Readonly<Record<string, string>> = {
  no_writer: 'The ATS needs a user as whom is written, and none is set: ats users, then ats set --as-user.',
  writer_gone: 'The user as whom is written is gone or not active in the ATS: set another one.',
  paused: 'The connection is paused; ats resume continues it.',
  reconnect_needed: 'The ATS has withdrawn the access: connect it again.',
  not_read_back: 'The ATS took the write and does not show it yet: it is looked for again.',
};

function entryOfEvent({ sequence, event, at }: StoredEvent): PlacedEntry {
  return { place: sequence, body: entry({ id: eventId(sequence), at: at.toISOString(), kind: 'event', what: event }) };
}

function entryOfAtsEvent(one: InboundEventListed, connectionId: string): PlacedEntry {
  const { id, at, name, state, reason, detail } = one;
  const what = name ?? 'event';
  const more = { state, waits: state === 'waiting', reason, detail, ats_connection_id: connectionId };
  return { place: id, body: entry({ id, at, kind: 'ats_event', what, ...more }) };
}

function entryOfInterview(one: InterviewBody): PlacedEntry {
  const { id, created_at: at, starts_at: startsAt, state, meeting_state: meeting, meeting_reason: detail } = one;
  const waits = meeting === 'waiting';
  const reason = meeting === 'ready' ? null : `link_${meeting}`;
  const more = { state, waits, reason, detail, interview_id: id };
  return { place: id, body: entry({ id, at, kind: 'interview', what: `interview at ${startsAt}`, ...more }) };
}

interface WriteConnection {
  paused: boolean;
  problems: readonly { problem: string; reason: string }[];
  /** The vendor needs a user for writes, and none is known. */
  lacksWriter: boolean;
}

/** Returns why the writes of a connection wait, as a code; null when they wait for their turn. */
export function reasonOfWaiting({ paused, problems, lacksWriter }: WriteConnection): string | null {
  if (paused) return 'paused';
  if (problems.some(({ problem }) => problem === 'grant')) return 'reconnect_needed';
  const own = problems.find(({ problem }) => problem === 'writer' || problem === 'writes');
  return own?.reason ?? (lacksWriter ? 'no_writer' : null);
}

/** @param connection undefined when it is removed */
function entryOfWrite(row: AtsWriteRow, connection: WriteConnection | undefined): PlacedEntry {
  const { id, created_at: at, action, kind, state, connection_id, interview_id } = row;
  const waits = state === 'waiting';
  const reason = row.reason ?? (waits && connection !== undefined ? reasonOfWaiting(connection) : null);
  const words = reason === null ? (waits ? NOT_TRIED : null) : (WRITE_WORDS[reason] ?? null);
  const more = { state, waits, reason, detail: row.detail ?? words, ats_connection_id: connection_id, interview_id };
  const what = `${action} ${kind}`;
  return { place: id, body: entry({ id, at: at.toISOString(), kind: 'ats_write', what, ...more }) };
}

/** Returns the newest entries of several lists, and the place of the last shown entry of each list. */
export function newestOf(
  lists: Readonly<Record<CandidateEntryKind, readonly PlacedEntry[]>>,
  limit: number,
): { entries: CandidateEntryBody[]; shown: Partial<Record<CandidateEntryKind, string>> } {
  const rest = Object.values(lists).map((list) => [...list]);
  const entries: CandidateEntryBody[] = [];
  const shown: Partial<Record<CandidateEntryKind, string>> = {};
  while (entries.length < limit) {
    const [newest] = rest
      .filter((list) => list.length > 0)
      .sort(([a], [b]) => (a!.body.at < b!.body.at ? 1 : a!.body.at > b!.body.at ? -1 : 0));
    if (newest === undefined) break;
    const { place, body } = newest.shift()!;
    entries.push(body);
    shown[body.kind] = place;
  }
  return { entries, shown };
}

function entry(
  one: Pick<CandidateEntryBody, 'id' | 'at' | 'kind' | 'what'> & Partial<CandidateEntryBody>,
): CandidateEntryBody {
  const none = { state: null, waits: false, reason: null, detail: null, ats_connection_id: null, interview_id: null };
  return { ...none, ...one };
}

/** Records of ATSs that one candidate can be; usually one. */
const MOST_RECORDS = 5;
/** After every id. */
const LAST_ID = '~';

type Places = Partial<Record<CandidateEntryKind, string>>;

/** The history of one candidate: inbound events, outbound writes, and waiting ones with the reason. */
@Injectable()
export class CandidateHistoryService {
  constructor(
    private readonly candidates: CandidatesRepository,
    private readonly events: EventReader,
    private readonly interviews: InterviewsRepository,
    private readonly records: AtsRecordsRepository,
    private readonly connections: AtsConnectionStore,
    private readonly inbound: InboundEventsService,
    private readonly writes: AtsWritesRepository,
    private readonly connectionRows: AtsConnectionsRepository,
  ) {}

  async page(tenantId: string, candidateId: string, request: PageRequest): Promise<Page<CandidateEntryBody>> {
    if ((await this.candidates.one(tenantId, candidateId)) === undefined) throw new NotFound('candidate');
    const places = request.after === null ? {} : (JSON.parse(request.after) as Places);
    const most = request.limit + 1;
    const [event, atsEvent, interview, write] = await Promise.all([
      this.events.ofRecord(tenantId, candidateId, most, places.event ?? null),
      this.atsEvents(tenantId, candidateId, places.ats_event ?? null, most),
      this.interviews.list(tenantId, { candidate_id: candidateId }, pageAfter(places.interview, request.limit)),
      this.writes.ofCandidate(tenantId, candidateId, places.ats_write ?? LAST_ID, most),
    ]);
    const lists = {
      event: event.map(entryOfEvent),
      ats_event: atsEvent,
      interview: interview.rows.map((row) => entryOfInterview(interviewBody(row))),
      ats_write: await this.writeEntries(tenantId, write),
    };
    const { entries, shown } = newestOf(lists, request.limit);
    const found = Object.values(lists).reduce((sum, list) => sum + list.length, 0);
    const isLast = found <= request.limit && !interview.cut;
    const after = JSON.stringify({ ...places, ...shown });
    return { data: entries, next_cursor: isLast ? null : encodeCursor({ a: after, l: request.list }) };
  }

  private async writeEntries(tenantId: string, writes: readonly AtsWriteRow[]): Promise<PlacedEntry[]> {
    const known = new Map<string, WriteConnection>();
    if (writes.some(({ state }) => state === 'waiting')) {
      const rows = await this.connectionRows.rows(tenantId);
      const facts = await this.connectionRows.factsOf(
        tenantId,
        rows.map(({ id }) => id),
      );
      for (const { id, provider, paused, writes: how, approved_by: approvedBy } of rows) {
        const connector = connectorOf(provider);
        const lacks = connector !== undefined && lacksWriter(connector, how, approvedBy);
        known.set(id, { paused, problems: facts.get(id)?.problems ?? [], lacksWriter: lacks });
      }
    }
    return writes.map((row) => entryOfWrite(row, known.get(row.connection_id)));
  }

  private async atsEvents(
    tenantId: string,
    candidateId: string,
    after: string | null,
    most: number,
  ): Promise<PlacedEntry[]> {
    const records = await this.records.ofRecord(tenantId, candidateId, MOST_RECORDS);
    const known = new Set((await this.connections.of(tenantId)).map(({ id }) => id));
    const lists = records
      .filter(({ connectionId }) => known.has(connectionId))
      .map(async ({ connectionId, remoteId }) => {
        const page = { after, limit: most };
        const rows = await this.inbound.list({ tenantId }, connectionId, { remoteId, kind: 'candidate' }, page);
        return rows.map((row) => entryOfAtsEvent(listedEvent(row), connectionId));
      });
    return (await Promise.all(lists))
      .flat()
      .sort((a, b) => (a.place < b.place ? 1 : -1))
      .slice(0, most);
  }
}

function pageAfter(place: string | undefined, limit: number): PageRequest {
  return { after: place ?? null, limit, list: '' };
}
