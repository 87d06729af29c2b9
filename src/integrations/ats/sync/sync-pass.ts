import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Activity } from '../../../base/activity.js';
import { Database, type SqlRunner } from '../../../base/database/database.js';
import { Logger } from '../../../base/log/logger.js';
import { WorkSlots } from '../../../base/loop.js';
import { AtsFailure } from '../api/ats-api.js';
import { type AtsConnection, isPassing } from '../connections/connection.js';
import type { AtsRecordKind } from '../connectors/connector.js';
import { AtsRecordWriter } from '../records/record-writer.js';
import { leftOut, type RecordItem, type RecordResult, type RecordWrite } from '../records/record.js';
import { AtsRecordsRepository } from '../records/records.repository.js';
import { type ReadPage, ABSENT_AT_ONCE, hasList, readAbsent, readPages, type ReadPages } from './page-reader.js';
import { type PassGround, SyncOptions } from './pass-ground.js';
import { PassProgress } from './pass-progress.js';
import type { Pass, PollKind, PollMark } from './pass.js';
import { counted, nextPhase } from './pass.rules.js';
import { SyncsRepository } from './syncs.repository.js';

export function writeOf({ connection }: PassGround, { isFirst, isFull, runId }: Pass): RecordWrite {
  const isImport = isFirst || isFull;
  const backfill = connection.takes.backfill_events;
  const events = !isImport ? 'all' : backfill ? 'backfill' : isFirst ? 'none' : 'updates';
  return { source: isImport ? 'import' : 'poll', events, pass: isFull ? runId : null };
}

function kindOf(item: RecordItem): AtsRecordKind {
  return item.kind === 'gone' ? item.gone.kind : item.kind;
}

/** Under load a pause comes before each further step: a step of ten pages costs as much as two hundred creates. */
const BUSY_PAUSE_MS = 1_600;

/** Moves a pass by some pages: read outside of transactions, written together with the place of the pass. */
@Injectable()
export class SyncPass {
  constructor(
    private readonly syncs: SyncsRepository,
    private readonly records: AtsRecordsRepository,
    private readonly writer: AtsRecordWriter,
    private readonly progress: PassProgress,
    private readonly options: SyncOptions,
    private readonly activity: Activity,
    private readonly db: Database,
    private readonly logger: Logger,
    private readonly slots: WorkSlots,
  ) {}

  /**
   * @returns the pass after some pages; null when the pass is over
   * @throws {AtsFailure} or {@link ListWithoutEnd}, with nothing written
   */
  async step(ground: PassGround, pass: Pass): Promise<Pass | null> {
    if (ground.hasBegun && this.activity.isBusy()) await sleep(BUSY_PAUSE_MS);
    ground.hasBegun = true;
    const { phase } = pass;
    if (phase === 'absent_jobs') return this.absent(ground, pass, 'job');
    if (phase === 'absent_candidates') return this.absent(ground, pass, 'candidate');
    if (!hasList(ground.connector, phase)) return this.progress.turn(ground, pass);
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
    await this.writer.ensureOpenings(ground.connection, { connector, api }, candidates, writeOf(ground, pass));
    const since = new Date(Date.parse(pass.phaseAt) - this.options.overlapMs);
    const end = { since, syncToken: pages.syncToken, fullAt: pass.isFull ? new Date(pass.phaseAt) : null };
    return this.writePage(
      ground,
      moved,
      pages,
      pages.next === null ? (tx) => this.syncs.setMark(tx, sync, kind, end) : null,
    );
  }

  private async markOf(ground: PassGround, phase: PollKind): Promise<PollMark> {
    // The mark changes only at the end of the list.
    if (ground.mark?.phase !== phase) ground.mark = { phase, mark: await this.syncs.mark(ground.sync, phase) };
    return ground.mark.mark;
  }

  private nextOf(ground: PassGround, pass: Pass, kind: PollKind, mark: PollMark): Promise<ReadPages | null> {
    const { ahead } = ground;
    ground.ahead = undefined;
    if (ahead?.phase === kind && ahead.cursor === pass.cursor) return ahead.pages;
    return this.pagesOf(ground, pass, kind, mark);
  }

  private readAhead(ground: PassGround, pass: Pass, phase: PollKind, mark: PollMark): void {
    const pages = this.pagesOf(ground, pass, phase, mark);
    // Its failure belongs to the next step, which may never come.
    pages.catch(() => undefined);
    ground.ahead = { phase, cursor: pass.cursor!, pages };
  }

  /** Returns null where the ATS no longer takes the token of the last pass: the whole list is read. */
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
    if (!hasList(connector, kind === 'job' ? 'jobs' : 'candidates')) return this.progress.turn(ground, pass);
    const after = pass.cursor ?? '';
    const ids = await this.records.unseen(connection, kind, pass.runId, after, ABSENT_AT_ONCE);
    if (ids.length === 0) return this.progress.turn(ground, pass);
    const page = await readAbsent(connector, api, kind, ids);
    return this.writePage(ground, { ...pass, cursor: ids.at(-1)! }, page, null);
  }

  /**
   * Writes pages when a slot is free. Returns null when the pass is over.
   *
   * @param atEnd runs in the transaction that ends a list; null when the list continues
   */
  private writePage(
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
        await this.progress.note(tx, ground, after, next);
        return next;
      });
    const moved = await move(candidates).catch(async (error: unknown) => {
      if (candidates.length === 0 || isPassing(error)) throw error;
      results.push(...(await this.stored(connection, 'candidate', candidates, write)));
      return move([]);
    });
    this.writer.wake(tenantId);
    if (moved === null) this.progress.wake(tenantId);
    return moved;
  }

  /** Writes records in one transaction; after a failure each half in its own, so that the others are stored. */
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
}
