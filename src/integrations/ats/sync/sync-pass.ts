import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Activity } from '../../../base/activity.js';
import { AtsFailure } from '../api/ats-api.js';
import type { AtsRecordKind } from '../connectors/ats-records.js';
import { MissingOpenings } from '../records/openings.js';
import { AtsRecordsRepository } from '../records/records.repository.js';
import { ABSENT_AT_ONCE, hasList, readAbsent, readPages, type ReadPages } from './page-reader.js';
import { PageWrites, writeOf } from './page-writes.js';
import type { Pass, PollKind, PollMark } from './pass.js';
import type { PassGround } from './pass-ground.js';
import { PassProgress } from './pass-progress.js';
import { SyncOptions } from './sync.options.js';
import { SyncsRepository } from './syncs.repository.js';

/** While many requests come, a pause is before each further step: a step of ten pages costs as much as two hundred creates. */
const BUSY_PAUSE_MS = 1_600;

/** Moves a pass by some pages: they are read outside of transactions, and written together with the place where the pass continues. */
@Injectable()
export class SyncPass {
  constructor(
    private readonly syncs: SyncsRepository,
    private readonly records: AtsRecordsRepository,
    private readonly openings: MissingOpenings,
    private readonly writes: PageWrites,
    private readonly progress: PassProgress,
    private readonly options: SyncOptions,
    private readonly activity: Activity,
  ) {}

  /**
   * Reads and writes some pages.
   *
   * @returns the pass after it; null: the pass is over
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
    await this.openings.ensure(ground.connection, { connector, api }, candidates, writeOf(ground, pass));
    const since = new Date(Date.parse(pass.phaseAt) - this.options.overlapMs);
    const end = { since, syncToken: pages.syncToken, fullAt: pass.isFull ? new Date(pass.phaseAt) : null };
    return this.writes.write(
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
    if (!hasList(connector, kind === 'job' ? 'jobs' : 'candidates')) return this.progress.turn(ground, pass);
    const after = pass.cursor ?? '';
    const ids = await this.records.unseen(connection, kind, pass.runId, after, ABSENT_AT_ONCE);
    if (ids.length === 0) return this.progress.turn(ground, pass);
    const page = await readAbsent(connector, api, kind, ids);
    return this.writes.write(ground, { ...pass, cursor: ids.at(-1)! }, page, null);
  }
}
