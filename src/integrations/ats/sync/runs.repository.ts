import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../base/database/database.js';
import type { LeftOut, Pass, PassCounts, PassReason, Phase } from './pass.js';
import type { SyncKey } from './syncs.repository.js';

/** The states of a run. `waiting`: the ATS does not answer, and the run resumes at its place later. */
export const RUN_STATES = ['running', 'waiting', 'done', 'failed'] as const;

/** The state of a run. */
export type RunState = (typeof RUN_STATES)[number];

/** One pass, as it is shown. */
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

/** Runs of one connection that are kept. */
const KEPT = 1_000;
const COLUMNS = 'id, reason, is_full, state, phase, counts, left_out, error, started_at, finished_at';

/** The statements of runs. */
@Injectable()
export class RunsRepository {
  constructor(private readonly db: Database) {}

  /** Notes a run and how far it is. */
  async put(
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

  /** Deletes the oldest runs beyond those that are kept. */
  async trim(tx: SqlRunner, { tenantId, connectionId }: SyncKey): Promise<void> {
    await tx.query(
      `delete from ats_runs where tenant_id = $1 and connection_id = $2 and id < (
         select r.id from ats_runs r where r.tenant_id = $1 and r.connection_id = $2
         order by r.id desc offset ${KEPT} limit 1)`,
      [tenantId, connectionId],
    );
  }

  /** Returns one page, newest first, with one row too many. */
  async list(tenantId: string, connectionId: string, after: string | null, limit: number): Promise<RunRow[]> {
    const { rows } = await this.db.query<RunRow>(
      `select ${COLUMNS} from ats_runs
       where tenant_id = $1 and connection_id = $2 and ($3::text is null or id < $3) order by id desc limit $4`,
      [tenantId, connectionId, after, limit + 1],
    );
    return rows;
  }
}
