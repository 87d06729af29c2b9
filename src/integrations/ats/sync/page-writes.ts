import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../base/database/database.js';
import { Logger } from '../../../base/log/logger.js';
import { WorkSlots } from '../../../base/loop.js';
import type { AtsConnection } from '../connections/connection.js';
import { isPassing } from '../connections/passing-failure.js';
import type { AtsRecordKind } from '../connectors/ats-records.js';
import { AtsRecordWriter } from '../records/ats-record-writer.js';
import { leftOut } from '../records/record.rules.js';
import type { RecordItem, RecordResult, RecordWrite } from '../records/record.js';
import type { ReadPage } from './page-reader.js';
import type { Pass } from './pass.js';
import { counted, nextPhase } from './pass.rules.js';
import type { PassGround } from './pass-ground.js';
import { PassProgress } from './pass-progress.js';

/** Writes the records of pages together with the place where their pass continues. */
@Injectable()
export class PageWrites {
  constructor(
    private readonly db: Database,
    private readonly writer: AtsRecordWriter,
    private readonly progress: PassProgress,
    private readonly logger: Logger,
    private readonly slots: WorkSlots,
  ) {}

  /**
   * Writes pages when a slot is free.
   *
   * @param atEnd runs in the transaction that ends a list; null: the list continues
   * @returns the pass after it; null: the pass is over
   */
  write(
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
}

/** Returns how the records of a pass are written. */
export function writeOf({ connection }: PassGround, { isFirst, isFull, runId }: Pass): RecordWrite {
  const isImport = isFirst || isFull;
  const backfill = connection.takes.backfill_events;
  const events = !isImport ? 'all' : backfill ? 'backfill' : isFirst ? 'none' : 'updates';
  return { source: isImport ? 'import' : 'poll', events, pass: isFull ? runId : null };
}

function kindOf(item: RecordItem): AtsRecordKind {
  return item.kind === 'gone' ? item.gone.kind : item.kind;
}
