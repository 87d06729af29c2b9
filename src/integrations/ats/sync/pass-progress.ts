import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../base/database/database.js';
import { newId } from '../../../base/ids.js';
import { EventRecorder } from '../../../engine/events/event-recorder.js';
import type { Pass } from './pass.js';
import { newPass, nextPhase } from './pass.rules.js';
import type { PassGround } from './pass-ground.js';
import { RunsRepository } from './runs.repository.js';
import { SyncOptions } from './sync.options.js';
import { SyncsRepository, type ClaimedSync } from './syncs.repository.js';

/** Stores how far passes have come, with the runs that an administrator sees. */
@Injectable()
export class PassProgress {
  constructor(
    private readonly db: Database,
    private readonly syncs: SyncsRepository,
    private readonly runs: RunsRepository,
    private readonly events: EventRecorder,
    private readonly options: SyncOptions,
  ) {}

  /** Returns the pass of a claimed sync: the one that was interrupted, or a new one. */
  async passOf(sync: ClaimedSync): Promise<Pass> {
    return this.resumed(sync) ?? (await this.begin(sync));
  }

  /** Begins the next phase, or ends the pass. */
  async turn(ground: PassGround, pass: Pass): Promise<Pass | null> {
    const next = nextPhase(pass, new Date());
    await this.db.transaction(ground.connection.tenantId, (tx) => this.note(tx, ground, pass, next));
    if (next === null) this.wake(ground.connection.tenantId);
    return next;
  }

  /**
   * Stores the place of a pass.
   *
   * @param next the pass after it; null: the pass is over
   */
  async note(tx: SqlRunner, { sync, connection }: PassGround, pass: Pass, next: Pass | null): Promise<void> {
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

  /** Stores in the run of a pass that it waits for the ATS, or has failed. */
  async stop(sync: ClaimedSync, pass: Pass, state: 'waiting' | 'failed', why: string): Promise<void> {
    await this.db.transaction(sync.tenantId, async (tx) => {
      await this.syncs.keep(tx, sync, state === 'waiting' ? pass : null);
      await this.runs.put(tx, sync, pass, state, why);
    });
  }

  /** Sends out the events of a pass that is over. */
  wake(tenantId: string): void {
    this.events.wake(tenantId);
  }

  private resumed({ pass }: ClaimedSync): Pass | null {
    if (pass === null) return null;
    return Date.now() - Date.parse(pass.startedAt) < this.options.resumeMs ? pass : null;
  }

  /** Begins a new pass. */
  private async begin(sync: ClaimedSync): Promise<Pass> {
    const { fullAt } = await this.syncs.mark(sync, 'jobs');
    const candidates = await this.syncs.mark(sync, 'candidates');
    const isFirst = fullAt === null && candidates.fullAt === null;
    const { reason, fullIsDue } = sync;
    const pass = newPass(newId('run'), { reason, isFirst, isFull: isFirst || fullIsDue }, new Date());
    await this.db.transaction(sync.tenantId, async (tx) => {
      await this.syncs.keep(tx, sync, pass, true);
      await this.runs.put(tx, sync, pass, 'running', null);
    });
    return pass;
  }
}
