import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../../base/database/database.js';
import { Logger } from '../../../../base/log/logger.js';
import { WorkSlots } from '../../../../base/loop.js';
import { LeaseLost } from '../../../../base/work/work.js';
import { AtsFailure, type AtsApi } from '../../api/ats-api.js';
import { AtsApis } from '../../calls/ats-apis.js';
import { AtsConnectionStore } from '../../connections/ats-connections.store.js';
import { type AtsConnection, isPassing } from '../../connections/connection.js';
import { NotUnderstood, type Connector } from '../../connectors/connector.js';
import { connectorOf } from '../../providers/providers.js';
import { AtsRecordWriter } from '../../records/record-writer.js';
import {
  goneItem,
  readRecord,
  type AtsRecordRow,
  type RecordItem,
  readsKind,
  overOf,
  type RecordWrite,
} from '../../records/record.js';
import { AtsRecordsRepository } from '../../records/records.repository.js';
import type { ClaimedInbox } from '../inbound-event.js';
import { type EventVerdict, InboundEventsRepository, type WaitingEvent } from '../inbound-events.repository.js';
import { readInboundBody, readingOf } from '../inbound.service.js';
import {
  newestTimeOf,
  type Group,
  type ReadEvent,
  isUnprovenEnd,
  recordStepOf,
  settledVerdict,
  unreadable,
  triedAgain,
  verdictsOf,
  faultOf,
  upToMerge,
  type ReadBatch,
  groupsOf,
} from './plan.rules.js';

const MOST = 40;
const AT_ONCE = 4;
/** Well within the lease of the batch. */
const DEADLINE_MS = 45_000;

/** The result of reading a record. `later`: it was not tried, and its events wait. */
export type ReadBack =
  | { kind: 'item'; item: RecordItem }
  | { kind: 'not_found' }
  | { kind: 'failed'; failure: AtsFailure }
  | { kind: 'later' };

/** Reads records from the ATS, some in parallel. After a failure of the ATS no further one is read. */
class ReadBacks {
  stopped: AtsFailure | null = null;
  private asked = 0;
  private readonly began = performance.now();

  constructor(
    private readonly connector: Connector,
    private readonly api: AtsApi,
    private readonly onError: (error: unknown) => void,
  ) {}

  get hasAnswered(): boolean {
    return this.asked > 0 && this.stopped === null;
  }

  /** Reads the records of groups. @param known the records as stored */
  async of(groups: readonly Group[], known: (group: Group) => AtsRecordRow | undefined): Promise<Map<Group, ReadBack>> {
    const found = new Map<Group, ReadBack>();
    for (let i = 0; i < groups.length; i += AT_ONCE) {
      const some = groups.slice(i, i + AT_ONCE);
      const read = await Promise.all(some.map((group) => this.one(group, known(group))));
      some.forEach((group, place) => found.set(group, read[place]!));
    }
    return found;
  }

  private async one(group: Group, known: AtsRecordRow | undefined): Promise<ReadBack> {
    const isOver = performance.now() - this.began > DEADLINE_MS;
    if (this.stopped !== null || this.asked >= MOST || isOver) return { kind: 'later' };
    this.asked++;
    const { kind, remoteId } = group;
    const at = newestTimeOf(group);
    try {
      const item = await this.read(kind, remoteId, at);
      if (item !== null) return { kind: 'item', item };
    } catch (error) {
      if (!(error instanceof AtsFailure)) return { kind: 'failed', failure: this.connectorFailed(error) };
      if (error.kind === 'away' || error.kind === 'refused') {
        this.stopped ??= error;
        return { kind: 'later' };
      }
      if (error.kind !== 'not_found') return { kind: 'failed', failure: error };
    }
    const [told] = group.events.flatMap(({ reading: { effect } }) => (effect.kind === 'gone' ? effect.gone : []));
    if (told !== undefined) return { kind: 'item', item: goneItem(told, at) };
    // A known record that the ATS no longer has was deleted there, after any kind of event.
    if (known?.state !== 'live') return { kind: 'not_found' };
    return { kind: 'item', item: goneItem({ kind, remoteId, at, survivorId: null }, at) };
  }

  /** A failure of the connector over one record stops no other one. */
  private connectorFailed(error: unknown): AtsFailure {
    if (error instanceof NotUnderstood) return new AtsFailure('malformed', 'not_understood', error.message);
    this.onError(error);
    return new AtsFailure('malformed', 'not_understood', 'The record is not one that this ATS documents.');
  }

  read(kind: Group['kind'], remoteId: string, at: Date): Promise<RecordItem | null> {
    const { connector, api } = this;
    return readRecord({ connector, api }, kind, remoteId, at);
  }
}

interface RecordWork {
  group: Group;
  item: RecordItem;
  /** The event with the data; null when the record was read. */
  by: ReadEvent | null;
}

class InboundBatch {
  works: RecordWork[] = [];
  survivors: RecordItem[] = [];
  readonly forced = new Set<string>();
  readonly missing = new Set<string>();
  readonly reads: ReadBacks | null;
  failure: AtsFailure | null = null;
  tried = false;
  /** Another batch reads the records, and their events wait. */
  later = false;

  constructor(
    readonly connection: AtsConnection,
    readonly connector: Connector,
    readonly api: AtsApi | null,
    onError: (error: unknown) => void,
  ) {
    this.reads = api === null ? null : new ReadBacks(connector, api, onError);
  }
}

const WRITE: RecordWrite = { source: 'webhook', events: 'all', pass: null };

function readEvents(
  connector: Connector,
  rows: readonly WaitingEvent[],
): { read: ReadEvent[]; verdicts: EventVerdict[] } {
  const read: ReadEvent[] = [];
  const verdicts: EventVerdict[] = [];
  const now = new Date();
  for (const row of rows) {
    const { id, at, tries, body: raw, headers, signed } = row;
    if (raw === null) {
      verdicts.push(settledVerdict(row, 'no_effect', 'erased'));
      continue;
    }
    const { body, fault } = readInboundBody(raw, row.content_type ?? '', undefined);
    const reading = readingOf(connector, { raw, body, headers: headers ?? {}, receivedAt: at }, fault);
    if (typeof reading === 'string') {
      verdicts.push(settledVerdict(row, 'failed', 'not_understood', reading));
      continue;
    }
    const event = { id, at, tries, reading, signed };
    const wrong = faultOf(event, now);
    if (wrong === null) read.push(event);
    else verdicts.push(settledVerdict(row, wrong === 'no_data' ? 'no_effect' : 'failed', wrong));
  }
  return { read, verdicts };
}

export interface Applied {
  /** The failure of the ATS that lets events wait, or null. */
  failure: AtsFailure | null;
  answered: boolean;
  /** Events failed on their own account, and are tried again. */
  tried: boolean;
  /** The next events, when all of this batch is decided; null without any, or at the end of the connection's turn. */
  next: NextEvents | null;
}

/** The events after a batch. They are read while the batch is written. */
export type NextEvents = Promise<ReadBatch>;

/** From this number of events on, the next ones are read while they are written. */
const LEAST_AHEAD = 50;
const NOTHING: Applied = { failure: null, answered: false, tried: false, next: null };

/** Plans the write of each record of a batch, and stores it with the verdicts on its events, under the turn's lease. */
@Injectable()
export class EventsApplier {
  constructor(
    private readonly store: AtsConnectionStore,
    private readonly apis: AtsApis,
    private readonly events: InboundEventsRepository,
    private readonly logger: Logger,
    private readonly records: AtsRecordsRepository,
    private readonly db: Database,
    private readonly writer: AtsRecordWriter,
    private readonly slots: WorkSlots,
  ) {}

  /**
   * Applies the oldest events, or those that were read ahead.
   *
   * @throws {LeaseLost} when another worker has the connection
   * @throws {AtsFailure} `away` for a provider that this version does not know: its events wait
   */
  async apply(inbox: ClaimedInbox, given: NextEvents | null = null): Promise<Applied> {
    const connection = await this.store.get(inbox.tenantId, inbox.connectionId);
    // Removed or paused since its events were found: they are removed with it, or wait.
    if (connection === undefined || connection.paused || connection.state === 'disconnected') return NOTHING;
    const connector = connectorOf(connection.provider);
    if (connector === undefined) {
      throw new AtsFailure('away', 'unknown_provider', 'There is no connector of this name.');
    }
    const whole = await (given ?? this.readBatch(inbox, connector));
    const { rows, read, verdicts, isCut } =
      connection.credential === null ? upToMerge(whole) : { ...whole, isCut: false };
    if (rows.length === 0) return NOTHING;
    // A small batch is the last one, or so large in bytes that two of them do not fit in memory.
    const next = rows.length < LEAST_AHEAD || isCut ? null : this.readBatch(inbox, connector, rows.at(-1)!.id);
    // Its failure belongs to the next batch, which may never come.
    next?.catch(() => undefined);
    const batch = new InboundBatch(connection, connector, this.apiOf(connection), (error) =>
      this.logger.error('ats.connector_failed', { provider: connection.provider, error }),
    );
    await this.plan(batch, groupsOf(read), verdicts);
    if (verdicts.length > 0) await this.decide(inbox, verdicts);
    await this.bringOpenings(inbox, batch);
    for (const kind of ['job', 'candidate'] as const) {
      const works = batch.works.filter(({ group }) => group.kind === kind);
      const extra = kind === 'candidate' ? batch.survivors : [];
      if (works.length > 0) await this.write(inbox, batch, kind, works, extra);
    }
    this.writer.wake(inbox.tenantId);
    const failure = batch.failure ?? batch.reads?.stopped ?? null;
    const isDecided = failure === null && !batch.tried && !batch.later;
    return { failure, answered: batch.reads?.hasAnswered ?? false, tried: batch.tried, next: isDecided ? next : null };
  }

  private async readBatch(inbox: ClaimedInbox, connector: Connector, after?: string): Promise<ReadBatch> {
    const rows = await this.events.oldest(inbox, after);
    return { rows, ...readEvents(connector, rows) };
  }

  private apiOf(connection: AtsConnection): AtsApi | null {
    return connection.credential === null ? null : this.apis.of(connection);
  }

  private async plan(batch: InboundBatch, groups: readonly Group[], verdicts: EventVerdict[]): Promise<void> {
    const { connection, connector } = batch;
    const ids = (kind: Group['kind']) => groups.filter((one) => one.kind === kind).map(({ remoteId }) => remoteId);
    const known = {
      job: await this.records.of(connection, 'job', ids('job')),
      candidate: await this.records.of(connection, 'candidate', ids('candidate')),
    };
    const knownOf = (group: Group): AtsRecordRow | undefined => known[group.kind].get(group.remoteId);
    const toRead: Group[] = [];
    for (const group of groups) {
      const over = overOf(knownOf(group));
      if (over !== null) {
        verdicts.push(...group.events.map((event) => settledVerdict(event, 'no_effect', over)));
        continue;
      }
      const canRead = batch.reads !== null && readsKind(connector, group.kind);
      if (!canRead) {
        const unproven = group.events.filter(isUnprovenEnd);
        verdicts.push(...unproven.map((event) => settledVerdict(event, 'failed', 'not_signed')));
        group.events = group.events.filter((event) => !isUnprovenEnd(event));
        if (group.events.length === 0) continue;
      }
      const step = recordStepOf(group, knownOf(group), canRead);
      if (step.do === 'write') batch.works.push({ group, item: step.item, by: step.by });
      else if (step.do === 'read') toRead.push(group);
      else verdicts.push(...group.events.map((event) => settledVerdict(event, 'failed', 'cannot_read')));
    }
    const found = batch.reads === null ? new Map<Group, ReadBack>() : await batch.reads.of(toRead, knownOf);
    for (const [group, read] of found) {
      if (read.kind === 'item') batch.works.push({ group, item: read.item, by: null });
      if (read.kind === 'not_found') {
        verdicts.push(...group.events.map((event) => settledVerdict(event, 'no_effect', 'not_found')));
      }
      if (read.kind === 'later') batch.later = true;
      if (read.kind !== 'failed') continue;
      verdicts.push(...group.events.map((event) => unreadable(event, read.failure)));
      batch.tried = true;
    }
    await this.readSurvivors(batch);
  }

  /** The survivor of a merge is brought in with it, so that `resolve` can return it. */
  private async readSurvivors(batch: InboundBatch): Promise<void> {
    const { connection, reads, works } = batch;
    const wanted = works.flatMap(({ item }) => (item.kind === 'gone' ? (item.gone.survivorId ?? []) : []));
    const given = new Set(works.map(({ item }) => item.remoteId));
    const known = await this.records.of(connection, 'candidate', wanted);
    for (const remoteId of new Set(wanted)) {
      batch.forced.add(remoteId);
      if (reads === null || reads.stopped !== null || known.has(remoteId) || given.has(remoteId)) continue;
      try {
        const item = await reads.read('candidate', remoteId, new Date());
        if (item === null) batch.missing.add(remoteId);
        else batch.survivors.push(item);
      } catch (error) {
        if (error instanceof AtsFailure && error.kind === 'not_found') batch.missing.add(remoteId);
        // The merge itself is known, and does not wait: the data of the merged candidate serve for the survivor until
        // the next poll.
        this.logger.warn('ats.survivor_not_read', { connection: connection.id, error });
      }
    }
  }

  /** Stores the verdicts on events. @throws {LeaseLost} when another worker has the connection */
  private decide(inbox: ClaimedInbox, verdicts: EventVerdict[]): Promise<void> {
    return this.commit(inbox, (tx) => this.events.decide(tx, inbox, verdicts));
  }

  private async bringOpenings(inbox: ClaimedInbox, batch: InboundBatch): Promise<void> {
    const { connection, connector, api } = batch;
    const items = [...batch.works.map(({ item }) => item), ...batch.survivors];
    const candidates = items.flatMap((item) => (item.kind === 'candidate' ? item.candidate : []));
    try {
      const guard = (tx: SqlRunner): Promise<void> => inbox.turn.hold(tx);
      await this.writer.ensureOpenings(connection, { connector, api }, candidates, WRITE, guard);
    } catch (error) {
      if (!(error instanceof AtsFailure)) throw error;
      // Without its opening a candidate would be left out, so these events wait.
      batch.failure = error;
      batch.works = batch.works.filter(({ item }) => item.kind !== 'candidate' || item.candidate.jobRemoteId == null);
      batch.survivors = [];
    }
  }

  /** Writes records and the verdicts on their events in one transaction; where that fails, each record in its own. */
  private async write(
    inbox: ClaimedInbox,
    batch: InboundBatch,
    kind: Group['kind'],
    works: readonly RecordWork[],
    extra: readonly RecordItem[],
  ): Promise<void> {
    try {
      await this.commit(inbox, (tx) => this.writeIn(tx, inbox, batch, kind, works, extra));
    } catch (error) {
      if (error instanceof LeaseLost || isPassing(error)) throw error;
      if (works.length > 1) {
        for (const work of works) await this.write(inbox, batch, kind, [work], extra);
        return;
      }
      const { tenantId, connectionId } = inbox;
      this.logger.error('ats.event_not_applied', { tenant_id: tenantId, connection: connectionId, error });
      batch.tried = true;
      const detail = 'The event could not be applied because of an error inside the service, which its log describes.';
      const verdicts = works[0]!.group.events.map((event) => triedAgain(event, 'not_applied', detail));
      await this.decide(inbox, verdicts);
    }
  }

  private async writeIn(
    tx: SqlRunner,
    inbox: ClaimedInbox,
    { connection, forced, missing }: InboundBatch,
    kind: Group['kind'],
    works: readonly RecordWork[],
    extra: readonly RecordItem[],
  ): Promise<void> {
    const items = [...works.map(({ item }) => item), ...extra];
    const write = { ...WRITE, forced, missing };
    const results =
      kind === 'job'
        ? await this.writer.writeJobs(tx, connection, items, write)
        : await this.writer.writeCandidates(tx, connection, items, write);
    const byId = new Map(results.map((result) => [result.remoteId, result]));
    const verdicts = works.flatMap(({ group, item, by }) => verdictsOf(group.events, byId.get(item.remoteId)!, by));
    await this.events.decide(tx, inbox, verdicts);
  }

  private commit(inbox: ClaimedInbox, work: (tx: SqlRunner) => Promise<void>): Promise<void> {
    return this.slots.run(() =>
      this.db.transaction(inbox.tenantId, async (tx) => {
        await inbox.turn.hold(tx);
        await work(tx);
      }),
    );
  }
}
