import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../base/database/database.js';
import { newId } from '../../base/ids.js';
import type { Actor } from '../../identity/source.js';
import { postponeTask } from '../../tasks/task-failures.js';
import type { Batch, Job, JobKind } from './forwarding-job.js';

export const KINDS: readonly JobKind[] = ['platform.reforward', 'platform.import', 'platform.drift', 'changes.resend'];
/** Longer than any batch takes. */
const LEASE_SECONDS = 120;
/** Claims go one after the other, over all processes: two at once could take two jobs of one tenant. */
const CLAIMS = 7_301;

/** A job as the API shows it. */
export interface JobView {
  id: string;
  kind: JobKind;
  state: 'waiting' | 'running' | 'done' | 'failed';
  done: number;
  total: number | null;
  result: Record<string, number> | null;
  error: string | null;
  created_at: Date;
  finished_at: Date | null;
}

/** The jobs of this room, in the table that all rooms share. */
@Injectable()
export class JobsRepository {
  constructor(private readonly db: Database) {}

  async add(db: SqlRunner, tenantId: string, kind: JobKind, payload: object, createdBy: Actor): Promise<JobView> {
    const { rows } = await db.query<JobView>(
      `insert into jobs (tenant_id, id, kind, payload, created_by) values ($1, $2, $3, $4::jsonb, $5::jsonb)
       returning id, kind, state, done, total, result, error, created_at, finished_at`,
      [tenantId, newId('job'), kind, JSON.stringify(payload), JSON.stringify(createdBy)],
    );
    return rows[0]!;
  }

  /**
   * Leases the job that has waited the longest since it was made or last worked on, of a tenant for whom nobody works
   * just now: so a large job, or one that fails again and again, is only one among others.
   */
  claim(kinds: readonly JobKind[] = KINDS): Promise<Job | null> {
    return this.db.transaction(null, async (tx) => {
      await tx.query(`select pg_advisory_xact_lock($1)`, [CLAIMS]);
      return this.claimIn(tx, kinds);
    });
  }

  private async claimIn(tx: SqlRunner, kinds: readonly JobKind[]): Promise<Job | null> {
    const { rows } = await tx.query<{
      tenant_id: string;
      id: string;
      kind: JobKind;
      payload: Record<string, unknown>;
      done: number;
      created_by: Actor;
    }>(
      `with due as (
         select d.tenant_id, d.id from jobs d
         where d.state in ('waiting', 'running') and d.kind = any($1::text[])
           and (d.lease_until is null or d.lease_until <= now())
           and not exists (select 1 from jobs o where o.tenant_id = d.tenant_id and o.state = 'running'
                           and o.kind = any($3::text[]) and o.lease_until > now())
         order by coalesce(d.lease_until, d.created_at), d.created_at limit 1 for update skip locked)
       update jobs j set state = 'running', lease_until = clock_timestamp() + $2 * interval '1 second'
       from due where j.tenant_id = due.tenant_id and j.id = due.id
       returning j.tenant_id, j.id, j.kind, j.payload, j.done, j.created_by`,
      [kinds, LEASE_SECONDS, KINDS],
    );
    const [row] = rows;
    if (row === undefined) return null;
    return {
      tenantId: row.tenant_id,
      id: row.id,
      kind: row.kind,
      payload: row.payload,
      done: row.done,
      createdBy: row.created_by,
    };
  }

  /**
   * Notes how far a job is, and gives it back for the next round. Without a next place it is done. Nothing is noted of
   * a batch that took longer than its lease, when somebody else has gone on meanwhile.
   */
  async progress(job: Job, batch: Batch): Promise<void> {
    await this.db.query(
      `update jobs set payload = coalesce($3::jsonb, payload) - 'failures', done = done + $4, total = coalesce($5, total),
         result = coalesce($7::jsonb, result),
         state = case when $3::jsonb is null then 'done' else 'waiting' end,
         finished_at = case when $3::jsonb is null then now() end,
         lease_until = case when $3::jsonb is null then null else now() end
       where tenant_id = $1 and id = $2 and state = 'running' and done = $6`,
      [
        job.tenantId,
        job.id,
        batch.next === null ? null : JSON.stringify(batch.next),
        batch.done,
        batch.total ?? null,
        job.done,
        batch.result === undefined ? null : JSON.stringify(batch.result),
      ],
    );
  }

  /** See {@link postponeTask}. */
  postpone(job: Job, error: unknown): Promise<boolean> {
    return postponeTask(this.db, job, error);
  }

  async fail(job: Job, error: string): Promise<void> {
    await this.db.query(
      `update jobs set state = 'failed', error = $3, finished_at = now(), lease_until = null
       where tenant_id = $1 and id = $2 and state = 'running' and done = $4`,
      [job.tenantId, job.id, error, job.done],
    );
  }

  async list(tenantId: string): Promise<JobView[]> {
    const { rows } = await this.db.query<JobView>(
      `select id, kind, state, done, total, result, error, created_at, finished_at from jobs
       where tenant_id = $1 and kind = any($2::text[]) order by created_at desc limit 50`,
      [tenantId, KINDS],
    );
    return rows;
  }
}
