import { Injectable } from '@nestjs/common';
import { Database } from '../../base/database/database.js';
import { NotFound } from '../../base/errors/domain-error.js';
import { Logger } from '../../base/log/logger.js';
import { Background } from '../../base/loop.js';
import type { Actor, ChangeSource } from '../../identity/source.js';
import { UsersService } from '../../users/users.service.js';
import type { WriteContext } from '../../users/write-context.js';
import { DirectoryStore } from '../directories/directory.store.js';

interface Job {
  tenant_id: string;
  id: string;
  kind: 'role-review' | 'rules-changed';
  payload: { directory_id: string; user_ids?: string[]; after?: string };
  done: number;
  created_by: Actor;
}

const BATCH = 200;

/**
 * Works off what memberships and rules mean for people's roles, in small steps that each leave their progress behind:
 * a process that dies is followed by another one where it stopped.
 */
@Injectable()
export class RoleJobs extends Background {
  constructor(
    private readonly db: Database,
    private readonly users: UsersService,
    private readonly directories: DirectoryStore,
    logger: Logger,
  ) {
    super(1000, 'a role job', logger);
  }

  /** One batch of one job; true if there may be more. */
  override async run(): Promise<boolean> {
    const job = await this.claim();
    if (!job) return false;
    const ids = job.kind === 'role-review' ? this.listed(job) : await this.ofDirectory(job);
    if (ids.length > 0) await this.review(job, ids);
    const last = ids.length < BATCH;
    await this.db.query(
      `update jobs set done = done + $3, payload = payload || $4::jsonb, lease_until = now(),
         state = case when $5 then 'done' else 'waiting' end, finished_at = case when $5 then now() end
       -- Whoever was too slow and lost the job to somebody else changes nothing: the batch is the other's now.
       where tenant_id = $1 and id = $2 and done = $6`,
      [job.tenant_id, job.id, ids.length, JSON.stringify({ after: ids.at(-1) ?? null }), last, job.done],
    );
    return true;
  }

  private listed(job: Job): string[] {
    return (job.payload.user_ids ?? []).slice(job.done, job.done + BATCH);
  }

  private async ofDirectory(job: Job): Promise<string[]> {
    const { rows } = await this.db.query<{ id: string }>(
      `select id from users where tenant_id = $1 and directory_id = $2 and id > $3 order by id limit ${BATCH}`,
      [job.tenant_id, job.payload.directory_id, job.payload.after ?? ''],
    );
    return rows.map((row) => row.id);
  }

  private async review(job: Job, ids: string[]): Promise<void> {
    const directory = await this.directories.get(job.tenant_id, job.payload.directory_id).catch((error: unknown) => {
      if (error instanceof NotFound) return null; // the directory was deleted: its people keep what they have
      throw error;
    });
    if (directory === null) return;
    const source: ChangeSource = {
      request_id: job.id,
      surface: 'system',
      directory_id: directory.id,
      actor: job.created_by,
    };
    const context: WriteContext = {
      tenantId: job.tenant_id,
      door: 'scim',
      directory,
      source,
      receivedAt: new Date(),
    };
    for (const id of ids) {
      await this.users.reconsider(context, id).catch((error: unknown) => {
        if (!(error instanceof NotFound)) throw error; // gone meanwhile
      });
    }
  }

  private async claim(): Promise<Job | undefined> {
    const { rows } = await this.db.query<Job>(
      `update jobs j set state = 'running', lease_until = now() + interval '60 seconds'
       from (select tenant_id, id from jobs where state in ('waiting', 'running')
             and kind in ('role-review', 'rules-changed') and (lease_until is null or lease_until <= now())
             order by coalesce(lease_until, created_at), created_at limit 1 for update skip locked) due
       where j.tenant_id = due.tenant_id and j.id = due.id
       returning j.tenant_id, j.id, j.kind, j.payload, j.done, j.created_by`,
    );
    return rows[0];
  }
}
