import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../base/database/database.js';
import { Logger } from '../../../base/log/logger.js';
import { WorkSlots } from '../../../base/work-slots.js';
import { EventRecorder } from '../../../engine/events/event-recorder.js';
import { AtsFailure, type AtsApi } from '../api/ats-api.js';
import type { AtsConnection } from '../connections/connection.js';
import type { AtsRecordKind } from '../connectors/ats-records.js';
import type { Connector } from '../connectors/connector.js';
import { AtsRecordWriter } from '../records/ats-record-writer.js';
import { MissingOpenings } from '../records/openings.js';
import { isPassing } from '../connections/passing-failure.js';
import { leftOut } from '../records/record.rules.js';
import type { RecordItem, RecordResult, RecordWrite } from '../records/record.js';
import { AtsRecordsRepository } from '../records/records.repository.js';
import { ABSENT_AT_ONCE, hasList, readAbsent, readPages, type ReadPage, type ReadPages } from './page-reader.js';
import type { Pass, PollKind, PollMark } from './pass.js';
import { counted, nextPhase } from './pass.rules.js';
import { RunsRepository } from './runs.repository.js';
import { SyncOptions } from './sync.options.js';
import { SyncsRepository, type ClaimedSync } from './syncs.repository.js';

/** What a pass reads with. */
export interface PassGround {
  sync: ClaimedSync;
  connection: AtsConnection;
  connector: Connector;
  api: AtsApi;
  /** Where the list that is being read began. */
  mark?: { phase: PollKind; mark: PollMark } | undefined;
  /** The pages after those that are being written: they are read meanwhile. */
  ahead?: { phase: PollKind; cursor: string; pages: Promise<ReadPages | null> } | undefined;
}

/** Moves a pass by some pages: they are read outside of transactions, and written together with the place where the pass continues. */
@Injectable()
export class SyncPass {
  constructor(
    private readonly db: Database,
    private readonly syncs: SyncsRepository,
    private readonly runs: RunsRepository,
    private readonly records: AtsRecordsRepository,
    private readonly openings: MissingOpenings,
    private readonly writer: AtsRecordWriter,
    private readonly events: EventRecorder,
    private readonly options: SyncOptions,
    private readonly logger: Logger,
    private readonly slots: WorkSlots,
  ) {}

  /**
   * Reads and writes some pages.
   *
   * @returns the pass after it; null: the pass is over
   * @throws {AtsFailure} or {@link ListWithoutEnd}, with nothing written
   */
  async step(ground: PassGround, pass: Pass): Promise<Pass | null> {
    const { phase } = pass;
    if (phase === 'absent_jobs') return this.absent(ground, pass, 'job');
    if (phase === 'absent_candidates') return this.absent(ground, pass, 'candidate');
    if (!hasList(ground.connector, phase)) return this.turn(ground, pass);
    return this.list(ground, pass, phase);
  }

  private async list(ground: PassGround, pass: Pass, kind: PollKind): Promise<Pass | null> {
    const { connector, api, sync } = ground;
    const mark = await this.markOf(ground, kind);
    const pages = await this.nextOf(ground, pass, kind, mark);
    if (pages === null) return { ...pass, isFull: true, cursor: null };
    const moved = { ...pass, cursor: pages.next, watch: pages.watch };
    if (moved.cursor !== null) this.readAhead(ground, moved, kind, mark);
    const candidates = pages.items.flatMap((item) => (item.kind === 'candidate' ? item.candidate : []));
    await this.openings.ensure(ground.connection, { connector, api }, candidates, writeOf(ground, pass));
    const since = new Date(Date.parse(pass.phaseAt) - this.options.overlapMs);
    const end = { since, syncToken: pages.syncToken, fullAt: pass.isFull ? new Date(pass.phaseAt) : null };
    return this.write(
      ground,
      moved,
      pages,
      pages.next === null ? (tx) => this.syncs.setMark(tx, sync, kind, end) : null,
    );
  }

  private async markOf(ground: PassGround, phase: PollKind): Promise<PollMark> {
    // It changes at the end of the list alone.
    if (ground.mark?.phase !== phase) ground.mark = { phase, mark: await this.syncs.mark(ground.sync, phase) };
    return ground.mark.mark;
  }

  /** Returns the pages that were read ahead, or reads them. */
  private nextOf(ground: PassGround, pass: Pass, kind: PollKind, mark: PollMark): Promise<ReadPages | null> {
    const { ahead } = ground;
    ground.ahead = undefined;
    if (ahead?.phase === kind && ahead.cursor === pass.cursor) return ahead.pages;
    return this.pagesOf(ground, pass, kind, mark);
  }

  private readAhead(ground: PassGround, pass: Pass, phase: PollKind, mark: PollMark): void {
    const pages = this.pagesOf(ground, pass, phase, mark);
    // Their failure is that of the next step, which may never come.
    pages.catch(() => undefined);
    ground.ahead = { phase, cursor: pass.cursor!, pages };
  }

  /** Returns null where the ATS does not take the token of the last pass any more: the list is read whole. */
  private async pagesOf(ground: PassGround, pass: Pass, kind: PollKind, mark: PollMark): Promise<ReadPages | null> {
    try {
      return await readPages(ground.connector, ground.api, kind, pass, mark);
    } catch (error) {
      const hasToken = mark.syncToken !== null && !pass.isFull;
      if (hasToken && error instanceof AtsFailure && error.kind === 'rejected') return null;
      throw error;
    }
  }

  private async absent(ground: PassGround, pass: Pass, kind: AtsRecordKind): Promise<Pass | null> {
    const { connector, api, connection } = ground;
    if (!hasList(connector, kind === 'job' ? 'jobs' : 'candidates')) return this.turn(ground, pass);
    const after = pass.cursor ?? '';
    const ids = await this.records.unseen(connection, kind, pass.runId, after, ABSENT_AT_ONCE);
    if (ids.length === 0) return this.turn(ground, pass);
    const page = await readAbsent(connector, api, kind, ids);
    return this.write(ground, { ...pass, cursor: ids.at(-1)! }, page, null);
  }

  private write(
    ground: PassGround,
    pass: Pass,
    page: ReadPage,
    atEnd: ((tx: SqlRunner) => Promise<void>) | null,
  ): Promise<Pass | null> {
    return this.slots.run(() => this.writeNow(ground, pass, page, atEnd));
  }

  /** Writes pages, openings before candidates, each kind in its own transaction; the last one moves the pass. */
  private async writeNow(
    ground: PassGround,
    pass: Pass,
    page: ReadPage,
    atEnd: ((tx: SqlRunner) => Promise<void>) | null,
  ): Promise<Pass | null> {
    const { connection } = ground;
    const { tenantId } = connection;
    const write = writeOf(ground, pass);
    const jobs = page.items.filter((item) => kindOf(item) === 'job');
    const candidates = page.items.filter((item) => kindOf(item) === 'candidate');
    const results = jobs.length === 0 ? [] : await this.stored(connection, 'job', jobs, write);
    const move = (rest: readonly RecordItem[]) =>
      this.db.transaction(tenantId, async (tx) => {
        const found = [...results];
        if (rest.length > 0) found.push(...(await this.writer.writeCandidates(tx, connection, rest, write)));
        const after = counted(pass, page.items.length, found, page.leftOut);
        await atEnd?.(tx);
        // The end of a list: its mark is set, and the pass continues with the next one.
        const next = atEnd === null ? after : nextPhase(after, new Date());
        await this.note(tx, ground, after, next);
        return next;
      });
    const moved = await move(candidates).catch(async (error: unknown) => {
      if (candidates.length === 0 || isPassing(error)) throw error;
      results.push(...(await this.stored(connection, 'candidate', candidates, write)));
      return move([]);
    });
    this.writer.wake(tenantId);
    if (moved === null) this.events.wake(tenantId);
    return moved;
  }

  /** Writes records in one transaction; where one of them makes it fail, each half in its own, so that the others are stored. */
  private async stored(
    connection: AtsConnection,
    kind: AtsRecordKind,
    items: readonly RecordItem[],
    write: RecordWrite,
  ): Promise<RecordResult[]> {
    try {
      return await this.db.transaction(connection.tenantId, (tx) =>
        kind === 'job'
          ? this.writer.writeJobs(tx, connection, items, write)
          : this.writer.writeCandidates(tx, connection, items, write),
      );
    } catch (error) {
      if (isPassing(error)) throw error;
      if (items.length > 1) {
        const middle = items.length >> 1;
        const first = await this.stored(connection, kind, items.slice(0, middle), write);
        return [...first, ...(await this.stored(connection, kind, items.slice(middle), write))];
      }
      const { tenantId, id } = connection;
      this.logger.error('ats.record_not_stored', { tenant_id: tenantId, connection: id, kind, error });
      return [leftOut(kind, items[0]!.remoteId, 'not_stored')];
    }
  }

  /** Begins the next phase, or ends the pass. */
  private async turn(ground: PassGround, pass: Pass): Promise<Pass | null> {
    const next = nextPhase(pass, new Date());
    await this.db.transaction(ground.connection.tenantId, (tx) => this.note(tx, ground, pass, next));
    if (next === null) this.events.wake(ground.connection.tenantId);
    return next;
  }

  private async note(tx: SqlRunner, { sync, connection }: PassGround, pass: Pass, next: Pass | null): Promise<void> {
    await this.syncs.keep(tx, sync, next ?? pass);
    await this.runs.put(tx, sync, next ?? pass, next === null ? 'done' : 'running', null);
    if (next !== null) return;
    await this.syncs.done(tx, sync, pass, this.options);
    await this.runs.trim(tx, sync);
    if (!pass.isFull) return;
    const { created, updated, closed } = pass.counts;
    const { id, provider } = connection;
    const data = JSON.stringify({ ats_connection_id: id, provider, full: true, created, updated, closed });
    await this.events.record(tx, connection.tenantId, [{ event: 'ats.sync_completed', record: null, data }]);
  }
}

function writeOf({ connection }: PassGround, { isFirst, isFull, runId }: Pass): RecordWrite {
  const isImport = isFirst || isFull;
  const backfill = connection.takes.backfill_events;
  const events = !isImport ? 'all' : backfill ? 'backfill' : isFirst ? 'none' : 'updates';
  return { source: isImport ? 'import' : 'poll', events, pass: isFull ? runId : null };
}

function kindOf(item: RecordItem): AtsRecordKind {
  return item.kind === 'gone' ? item.gone.kind : item.kind;
}
