import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../base/database/database.js';
import { EventRecorder } from '../../engine/events/event-recorder.js';
import { TaskHandlers, type Batch, type Task } from '../../engine/work/task.js';
import { TasksRepository } from '../../engine/work/tasks.repository.js';
import { systemActor } from '../../tenancy/identity/person.js';
import { lockTitle, JobsRepository } from '../jobs/jobs.repository.js';
import { TitleFollowers, type RetitledOpening } from '../jobs/jobs.service.js';
import type { CandidateRow } from './candidate.js';
import { CANDIDATE_COLUMNS, writtenFact } from './candidate.mapping.js';

const BATCH = 100;
/** More candidates than this become a task; the request does not wait for them. */
const AT_ONCE = 500;

/** `after`: the candidate after which the next batch begins. */
interface RetitlePayload {
  name: string;
  after: string;
}

@Injectable()
export class OpeningFollowers extends TitleFollowers {
  constructor(
    private readonly db: Database,
    private readonly events: EventRecorder,
    private readonly jobs: JobsRepository,
    private readonly tasks: TasksRepository,
    handlers: TaskHandlers,
  ) {
    super();
    handlers.add<RetitlePayload>(['candidates.retitle'], { run: (task) => this.batch(task), cancellable: false });
  }

  override async titleChanged(tx: SqlRunner, tenantId: string, { names, title }: RetitledOpening): Promise<void> {
    for (const name of names) {
      let after = '';
      for (let done = 0; done < AT_ONCE; done += BATCH) {
        const { last } = await this.retitle(tx, tenantId, name, title, after);
        if (last === null) break;
        after = last;
        if (done + BATCH < AT_ONCE) continue;
        const payload: RetitlePayload = { name, after };
        await this.tasks.add(tx, tenantId, { kind: 'candidates.retitle', payload, createdBy: systemActor('titles') });
      }
    }
  }

  private async batch({ tenantId, payload }: Task<RetitlePayload>): Promise<Batch> {
    const { name, after } = payload;
    const { done, last } = await this.db.transaction(tenantId, async (tx) => {
      // The title of now: a later rename has its own task, and the lock keeps it from changing in between.
      await lockTitle(tx, tenantId, name);
      const title = await this.jobs.titleOf(tenantId, name, true, tx);
      if (title === null) throw new Error('an opening that was renamed is gone');
      return this.retitle(tx, tenantId, name, title, after);
    });
    this.events.wake(tenantId);
    return { done, next: last === null ? null : { name, after: last } };
  }

  /**
   * Writes the title of one batch of candidates, with an event for each.
   *
   * @returns how many have a new title, and the last candidate of a full batch; null after the last batch
   */
  private async retitle(
    tx: SqlRunner,
    tenantId: string,
    name: string,
    title: string,
    after: string,
  ): Promise<{ done: number; last: string | null }> {
    const { rows: found } = await tx.query<CandidateRow>(
      `select ${CANDIDATE_COLUMNS} from candidates
       where tenant_id = $1 and job_opening_id = $2 and not job_title_set and id > $3
       order by candidates.id limit ${BATCH} for update`,
      [tenantId, name, after],
    );
    const at = new Date();
    const changed = found
      .filter((row) => row.job_title !== title)
      .map((row) => ({ ...row, job_title: title, sequence: row.sequence + 1, updated_at: at }));
    if (changed.length > 0) {
      await tx.query(
        `update candidates set job_title = $2, sequence = sequence + 1, updated_at = $3
         where tenant_id = $1 and id = any($4::text[])`,
        [tenantId, title, at, changed.map(({ id }) => id)],
      );
      const facts = changed.map((row) => writtenFact('candidate.updated', row));
      await this.events.record(tx, tenantId, facts);
    }
    return { done: changed.length, last: found.length < BATCH ? null : found.at(-1)!.id };
  }
}
