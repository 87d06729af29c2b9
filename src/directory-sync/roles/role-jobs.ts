import { Injectable } from '@nestjs/common';
import { Database } from '../../base/database/database.js';
import { NotFound } from '../../base/errors/domain-error.js';
import { Logger } from '../../base/log/logger.js';
import { Background } from '../../base/loop.js';
import type { Actor, ChangeSource } from '../../identity/source.js';
import { UsersService } from '../../users/users.service.js';
import type { WriteContext, WritingDirectory } from '../../users/write/write-context.js';
import { postponeTask } from '../../tasks/task-failures.js';
import { DirectoryStore } from '../../directories/directory.store.js';
import { PreviewLive } from '../preview/preview-live.js';

/** What one batch of a job came to. */
interface Step {
  done: number;
  last: boolean;
  /** The user after which the next batch begins. */
  after: string | null;
}

interface Job {
  tenant_id: string;
  id: string;
  kind: 'role-review' | 'rules-changed' | 'preview-live';
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
    private readonly live: PreviewLive,
    private readonly directories: DirectoryStore,
    private readonly logger: Logger,
  ) {
    super(1000, 'a role job', logger);
  }

  /** One batch of one job; true if there may be more. */
  override async run(): Promise<boolean> {
    const job = await this.claim();
    if (!job) return false;
    try {
      await this.step(job);
    } catch (error) {
      this.logger.error('job.interrupted', { tenant_id: job.tenant_id, job_id: job.id, kind: job.kind, error });
      await postponeTask(this.db, { ...job, tenantId: job.tenant_id }, error);
    }
    return true;
  }

  private async step(job: Job): Promise<void> {
    const { done, last, after } = job.kind === 'preview-live' ? await this.goLive(job) : await this.reviewed(job);
    await this.db.query(
      `update jobs set done = done + $3, payload = (payload - 'failures') || $4::jsonb, lease_until = now(),
         state = case when $5 then 'done' else 'waiting' end, finished_at = case when $5 then now() end
       -- Whoever was too slow and lost the job to somebody else changes nothing: the batch is the other's now.
       where tenant_id = $1 and id = $2 and done = $6`,
      [job.tenant_id, job.id, done, JSON.stringify({ after }), last, job.done],
    );
  }

  /** Works out the state of a batch of users again. */
  private async reviewed(job: Job): Promise<Step> {
    const ids = job.kind === 'role-review' ? this.listed(job) : await this.ofDirectory(job);
    if (ids.length > 0) await this.review(job, ids);
    return { done: ids.length, last: ids.length < BATCH, after: ids.at(-1) ?? null };
  }

  /** Writes a batch of what the directory wrote in preview; ends where it is back in preview. */
  private async goLive(job: Job): Promise<Step> {
    const context = await this.contextOf(job);
    const done = context?.directory.state === 'live' ? await this.live.step(job.id, context) : 0;
    return { done, last: done === 0, after: null };
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
    const context = await this.contextOf(job);
    if (context === null) return;
    for (const id of ids) {
      await this.users.reconsider(context, id).catch((error: unknown) => {
        if (!(error instanceof NotFound)) throw error; // gone meanwhile
      });
    }
  }

  /** Null where the directory was deleted: its users keep what they have. */
  private async contextOf(job: Job): Promise<(WriteContext & { directory: WritingDirectory }) | null> {
    // As it is now: what a second ago was another map or role would be worked off for nothing.
    const directory = await this.directories.fresh(job.tenant_id, job.payload.directory_id);
    if (directory === null) return null;
    const source: ChangeSource = {
      request_id: job.id,
      surface: 'system',
      directory_id: directory.id,
      actor: job.created_by,
    };
    return { tenantId: job.tenant_id, channel: 'scim', directory, source, receivedAt: new Date() };
  }

  private async claim(): Promise<Job | undefined> {
    const { rows } = await this.db.query<Job>(
      `update jobs j set state = 'running', lease_until = now() + interval '60 seconds'
       from (select tenant_id, id from jobs where state in ('waiting', 'running')
             and kind in ('role-review', 'rules-changed', 'preview-live') and (lease_until is null or lease_until <= now())
             order by coalesce(lease_until, created_at), created_at limit 1 for update skip locked) due
       where j.tenant_id = due.tenant_id and j.id = due.id
       returning j.tenant_id, j.id, j.kind, j.payload, j.done, j.created_by`,
    );
    return rows[0];
  }
}
