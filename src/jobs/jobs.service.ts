import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../base/database/database.js';
import { NotFound } from '../base/errors/domain-error.js';
import { newId } from '../base/ids.js';
import { EventRecorder } from '../events/event-recorder.js';
import type { JobRow } from './job.js';
import { jobData } from './job.mapping.js';
import { changedJob, newJob, type JobFields } from './job.rules.js';
import { JobsRepository } from './jobs.repository.js';
import { lockTitle } from './opening-titles.js';
import { TitleFollowers } from './title-followers.js';

/** What a write came to. */
export interface JobResult {
  row: JobRow;
  created: boolean;
}

/**
 * The one way to write an opening. A write holds the lock of the opening's name, so that two writes of one opening go one
 * after the other, and every candidate gets its title.
 */
@Injectable()
export class JobsService {
  constructor(
    private readonly db: Database,
    private readonly repository: JobsRepository,
    private readonly events: EventRecorder,
    private readonly followers: TitleFollowers,
  ) {}

  /** @throws {NotFound} when the tenant has no such opening */
  async get(tenantId: string, id: string): Promise<JobRow> {
    const row = await this.repository.one(tenantId, id);
    if (row === undefined) throw new NotFound('job');
    return row;
  }

  /** Creates the opening with this key, or changes it; returns which. */
  async put(tenantId: string, externalId: string, fields: JobFields): Promise<JobResult> {
    const known = await this.repository.byExternalId(tenantId, externalId);
    // A sync sends what is there already again and again: that needs no lock.
    if (known !== undefined && changedJob(known, fields, new Date()) === null) return { row: known, created: false };
    return this.write(tenantId, externalId, (before, at) =>
      before === undefined ? newJob(externalId, fields, newId('job'), at) : changedJob(before, fields, at),
    );
  }

  /**
   * Closes an opening; one that is closed stays as it is.
   *
   * @throws {NotFound} when the tenant has no such opening
   */
  async close(tenantId: string, id: string): Promise<void> {
    const { external_id: externalId, status } = await this.get(tenantId, id);
    if (status === 'closed') return;
    await this.write(tenantId, externalId, (before, at) => {
      if (before === undefined) throw new NotFound('job');
      return changedJob(before, { status: 'closed' }, at);
    });
  }

  private async write(
    tenantId: string,
    externalId: string,
    edit: (before: JobRow | undefined, at: Date) => JobRow | null,
  ): Promise<JobResult> {
    const result = await this.db.transaction(tenantId, async (tx) => {
      await lockTitle(tx, tenantId, externalId);
      const before = await this.repository.byExternalId(tenantId, externalId, tx);
      const after = edit(before, new Date());
      if (after === null) return { row: before!, created: false };
      await this.store(tx, tenantId, before, after);
      return { row: after, created: before === undefined };
    });
    this.events.wake(tenantId);
    return result;
  }

  private async store(tx: SqlRunner, tenantId: string, before: JobRow | undefined, after: JobRow): Promise<void> {
    const { id, external_id: externalId, title } = after;
    const retitled = before?.title !== title;
    if (before !== undefined && retitled) await lockTitle(tx, tenantId, id);
    const statement = before === undefined ? this.repository.insert(tenantId, after) : this.repository.update(tenantId, after); // prettier-ignore
    await this.events.addTo(statement, tenantId, { event: 'job.synced', record: id, data: jobData(after) }, tx);
    const written = await statement.run(tx);
    if (written.length === 0) throw new Error('an opening was written without its lock');
    if (retitled) await this.followers.titleChanged(tx, tenantId, { names: [externalId, id], title });
  }
}
