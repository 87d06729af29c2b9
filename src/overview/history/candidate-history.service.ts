import { Injectable } from '@nestjs/common';
import { NotFound } from '../../base/errors/domain-error.js';
import { encodeCursor, type Page, type PageRequest } from '../../base/http/page.js';
import { EventReader } from '../../engine/events/event-reader.js';
import { CandidatesRepository } from '../../hiring/candidates/candidates.repository.js';
import { interviewBody } from '../../hiring/interviews/interview.dto.js';
import { InterviewsRepository } from '../../hiring/interviews/interviews.repository.js';
import { AtsConnectionsRepository } from '../../integrations/ats/connections/ats-connections.repository.js';
import { AtsConnectionStore } from '../../integrations/ats/connections/ats-connections.store.js';
import { lacksWriter } from '../../integrations/ats/connections/ats-settings.rules.js';
import { listedEvent } from '../../integrations/ats/inbound/inbound-events.dto.js';
import { InboundEventsService } from '../../integrations/ats/inbound/inbound-events.service.js';
import { connectorOf } from '../../integrations/ats/providers/providers.js';
import { AtsWritesRepository } from '../../integrations/ats/publish/ats-writes.repository.js';
import type { AtsWriteRow } from '../../integrations/ats/publish/write.js';
import { AtsRecordsRepository } from '../../integrations/ats/records/records.repository.js';
import {
  entryOfAtsEvent,
  entryOfEvent,
  entryOfInterview,
  entryOfWrite,
  newestOf,
  type PlacedEntry,
  type WriteConnection,
} from './candidate-entry.mapping.js';
import type { CandidateEntryBody, CandidateEntryKind } from './candidate-history.dto.js';

/** Records of ATSs that one candidate can be; usually there is one. */
const MOST_RECORDS = 5;
/** After every id. */
const LAST_ID = '~';

/** The entries that were shown last, by kind. */
type Places = Partial<Record<CandidateEntryKind, string>>;

/** The history of one candidate: what came in, what went out, what waits and why. */
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

  /**
   * Returns a page, newest first.
   *
   * @throws {NotFound} when the tenant has no such candidate
   */
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
      const facts = await this.connectionRows.factsOf(tenantId, rows.map(({ id }) => id)); // prettier-ignore
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
    return (await Promise.all(lists)).flat().sort((a, b) => (a.place < b.place ? 1 : -1)).slice(0, most); // prettier-ignore
  }
}

function pageAfter(place: string | undefined, limit: number): PageRequest {
  return { after: place ?? null, limit, list: '' };
}
