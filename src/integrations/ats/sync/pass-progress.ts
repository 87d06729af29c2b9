import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../base/database/database.js';
import { newId } from '../../../base/ids.js';
import { EventRecorder } from '../../../engine/events/event-recorder.js';
import { type PassGround, SyncOptions } from './pass-ground.js';
import type { LeftOut, Pass, PassCounts, PassReason, Phase } from './pass.js';
import { newPass, nextPhase } from './pass.rules.js';
import { type SyncKey, SyncsRepository, type ClaimedSync } from './syncs.repository.js';

/** `waiting`: the ATS does not answer, and the run resumes at its place later. */
export const RUN_STATES = ['running', 'waiting', 'done', 'failed'] as const;

export type RunState = (typeof RUN_STATES)[number];

export interface RunRow {
  id: string;
  reason: PassReason;
  is_full: boolean;
  state: RunState;
  phase: Phase | null;
  counts: PassCounts;
  left_out: LeftOut[];
  error: string | null;
  started_at: Date;
  finished_at: Date | null;
}

const KEPT = 1_000;
const COLUMNS = 'id, reason, is_full, state, phase, counts, left_out, error, started_at, finished_at';

/** Stores the progress of passes, with the runs that an administrator sees. */
@Injectable()
export class PassProgress {
  constructor(
    private readonly db: Database,
    private readonly syncs: SyncsRepository,
    private readonly events: EventRecorder,
    private readonly options: SyncOptions,
  ) {}

  async passOf(sync: ClaimedSync): Promise<Pass> {
    return this.resumed(sync) ?? (await this.begin(sync));
  }

  async turn(ground: PassGround, pass: Pass): Promise<Pass | null> {
    const next = nextPhase(pass, new Date());
    await this.db.transaction(ground.connection.tenantId, (tx) => this.note(tx, ground, pass, next));
    if (next === null) this.wake(ground.connection.tenantId);
    return next;
  }

  /** Stores the place of a pass. @param next the pass after it; null when the pass is over */
  async note(tx: SqlRunner, { sync, connection }: PassGround, pass: Pass, next: Pass | null): Promise<void> {
    await this.syncs.keep(tx, sync, next ?? pass);
    await this.putRun(tx, sync, next ?? pass, next === null ? 'done' : 'running', null);
    if (next !== null) return;
    await this.syncs.done(tx, sync, pass, this.options);
    await this.trimRuns(tx, sync);
    if (!pass.isFull) return;
    const { created, updated, closed } = pass.counts;
    const { id, provider } = connection;
    const data = JSON.stringify({ ats_connection_id: id, provider, full: true, created, updated, closed });
    await this.events.record(tx, connection.tenantId, [{ event: 'ats.sync_completed', record: null, data }]);
  }

  async stop(sync: ClaimedSync, pass: Pass, state: 'waiting' | 'failed', why: string): Promise<void> {
    await this.db.transaction(sync.tenantId, async (tx) => {
      await this.syncs.keep(tx, sync, state === 'waiting' ? pass : null);
      await this.putRun(tx, sync, pass, state, why);
    });
  }

  wake(tenantId: string): void {
    this.events.wake(tenantId);
  }

  private resumed({ pass }: ClaimedSync): Pass | null {
    if (pass === null) return null;
    return Date.now() - Date.parse(pass.startedAt) < this.options.resumeMs ? pass : null;
  }

  private async begin(sync: ClaimedSync): Promise<Pass> {
    const { fullAt } = await this.syncs.mark(sync, 'jobs');
    const candidates = await this.syncs.mark(sync, 'candidates');
    const isFirst = fullAt === null && candidates.fullAt === null;
    const { reason, fullIsDue } = sync;
    const pass = newPass(newId('run'), { reason, isFirst, isFull: isFirst || fullIsDue }, new Date());
    await this.db.transaction(sync.tenantId, async (tx) => {
      await this.syncs.keep(tx, sync, pass, true);
      await this.putRun(tx, sync, pass, 'running', null);
    });
    return pass;
  }

  private async putRun(
    tx: SqlRunner,
    { tenantId, connectionId }: SyncKey,
    pass: Pass,
    state: RunState,
    error: string | null,
  ): Promise<void> {
    const isOver = state === 'done' || state === 'failed';
    await tx.query(
      `insert into ats_runs (tenant_id, connection_id, ${COLUMNS})
       values ($1, $2, $3, $4, $5, $6, $7, $8::json, $9::json, $10, $11, $12)
       on conflict (tenant_id, connection_id, id) do update set state = excluded.state, phase = excluded.phase,
         counts = excluded.counts, left_out = excluded.left_out, error = excluded.error,
         finished_at = excluded.finished_at, is_full = excluded.is_full`,
      [
        tenantId,
        connectionId,
        pass.runId,
        pass.reason,
        pass.isFull,
        state,
        isOver ? null : pass.phase,
        JSON.stringify(pass.counts),
        JSON.stringify(pass.leftOut),
        error,
        pass.startedAt,
        isOver ? new Date() : null,
      ],
    );
  }

  private async trimRuns(tx: SqlRunner, { tenantId, connectionId }: SyncKey): Promise<void> {
    await tx.query(
      `delete from ats_runs where tenant_id = $1 and connection_id = $2 and id < (
         select r.id from ats_runs r where r.tenant_id = $1 and r.connection_id = $2
         order by r.id desc offset ${KEPT} limit 1)`,
      [tenantId, connectionId],
    );
  }

  async listRuns(tenantId: string, connectionId: string, after: string | null, limit: number): Promise<RunRow[]> {
    const { rows } = await this.db.query<RunRow>(
      `select ${COLUMNS} from ats_runs
       where tenant_id = $1 and connection_id = $2 and ($3::text is null or id < $3) order by id desc limit $4`,
      [tenantId, connectionId, after, limit + 1],
    );
    return rows;
  }
}
