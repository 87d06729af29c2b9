import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../base/database/database.js';
import { newId } from '../../base/ids.js';
import type { Actor } from '../../identity/source.js';
import type { Batch, Job, JobKind } from './forwarding-job.js';

const KINDS: readonly JobKind[] = ['platform.reforward', 'platform.import', 'changes.resend'];
/** Longer than any batch takes. */
const LEASE_SECONDS = 120;

/** A job as the API shows it. */
export interface JobView {
  id: string;
  kind: JobKind;
  state: 'waiting' | 'running' | 'done' | 'failed';
  done: number;
  total: number | null;
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
       returning id, kind, state, done, total, error, created_at, finished_at`,
      [tenantId, newId('job'), kind, JSON.stringify(payload), JSON.stringify(createdBy)],
    );
    return rows[0]!;
  }

  /** Leases the oldest job that nobody works on. */
  async claim(): Promise<Job | null> {
    const { rows } = await this.db.query<{
      tenant_id: string;
      id: string;
      kind: JobKind;
      payload: Record<string, unknown>;
      done: number;
      created_by: Actor;
    }>(
      `with due as (
         select tenant_id, id from jobs
         where state in ('waiting', 'running') and kind = any($1::text[]) and (lease_until is null or lease_until < now())
         order by created_at limit 1 for update skip locked)
       update jobs j set state = 'running', lease_until = now() + $2 * interval '1 second'
       from due where j.tenant_id = due.tenant_id and j.id = due.id
       returning j.tenant_id, j.id, j.kind, j.payload, j.done, j.created_by`,
      [KINDS, LEASE_SECONDS],
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

  /** Notes how far a job is. Without a next place it is done. */
  async progress(job: Job, batch: Batch): Promise<void> {
    await this.db.query(
      `update jobs set payload = coalesce($3::jsonb, payload), done = done + $4, total = coalesce($5, total),
         state = case when $3::jsonb is null then 'done' else 'running' end,
         finished_at = case when $3::jsonb is null then now() end,
         lease_until = case when $3::jsonb is null then null else now() + $6 * interval '1 second' end
       where tenant_id = $1 and id = $2`,
      [
        job.tenantId,
        job.id,
        batch.next === null ? null : JSON.stringify(batch.next),
        batch.done,
        batch.total ?? null,
        LEASE_SECONDS,
      ],
    );
  }

  /** Lets a job rest for a while; after that anybody may go on with it. */
  async postpone(job: Job, seconds: number): Promise<void> {
    await this.db.query(
      `update jobs set lease_until = now() + $3 * interval '1 second' where tenant_id = $1 and id = $2`,
      [job.tenantId, job.id, seconds],
    );
  }

  async fail(job: Job, error: string): Promise<void> {
    await this.db.query(
      `update jobs set state = 'failed', error = $3, finished_at = now(), lease_until = null
       where tenant_id = $1 and id = $2`,
      [job.tenantId, job.id, error],
    );
  }

  async list(tenantId: string): Promise<JobView[]> {
    const { rows } = await this.db.query<JobView>(
      `select id, kind, state, done, total, error, created_at, finished_at from jobs
       where tenant_id = $1 and kind = any($2::text[]) order by created_at desc limit 50`,
      [tenantId, KINDS],
    );
    return rows;
  }
}
