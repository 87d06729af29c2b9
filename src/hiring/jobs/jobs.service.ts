import { Injectable } from '@nestjs/common';
import { type SqlRunner, Database } from '../../base/database/database.js';
import { Conflict, NotFound } from '../../base/errors/domain-error.js';
import { newId } from '../../base/ids.js';
import { EventRecorder } from '../../engine/events/event-recorder.js';
import { jobData } from './job.dto.js';
import { type JobRow, changedJob, differingFields, newJob, type JobFields } from './job.js';
import { JobsRepository, lockTitle, lockTitles } from './jobs.repository.js';

/** The ATS owns the fields of its opening; the error names those that would change, and the connection. */
class JobManagedByAts extends Conflict {
  constructor(connectionId: string, fields: readonly string[]) {
    super('managed_by_ats', 'The ATS owns this opening: change it there.', {
      members: { ats_connection_id: connectionId },
      errors: fields.map((field) => ({ field, message: 'is managed by the ATS' })),
    });
  }
}

/** An opening with a new title. */
export interface RetitledOpening {
  /** The names by which records refer to the opening: its `external_id` and its id. */
  names: readonly string[];
  title: string;
}

/** A port: gives the title of an opening to the records that show it. `candidates` implements it. */
export abstract class TitleFollowers {
  /** Adds the work of a new title, in the transaction that writes it. Long work becomes a task. */
  abstract titleChanged(tx: SqlRunner, tenantId: string, opening: RetitledOpening): Promise<void>;
}

interface JobResult {
  row: JobRow;
  created: boolean;
}

/** The result for an opening that an ATS brought. `refused`: another connection owns it. */
export interface SyncedJob {
  externalId: string;
  outcome: 'created' | 'updated' | 'unchanged' | 'refused';
  id: string | null;
}

/** An opening as an ATS connection brings it. */
export interface SyncedOpening {
  externalId: string;
  fields: Partial<JobFields> & { ats_connection_id: string };
}

/**
 * The one way to write an opening. A write holds the lock of the opening's name, so that two writes of one opening
 * follow each other, and every candidate gets its title.
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

  /** @throws {JobManagedByAts} when the opening comes from an ATS, and would change */
  async put(tenantId: string, externalId: string, fields: JobFields): Promise<JobResult> {
    const known = await this.repository.byExternalId(tenantId, externalId);
    // A sync repeats unchanged openings: that needs no lock.
    if (known !== undefined && changedJob(known, fields, new Date()) === null) return { row: known, created: false };
    return this.write(tenantId, externalId, (before, at) =>
      before === undefined
        ? newJob(externalId, fields, newId('job'), at)
        : unmanaged(before, changedJob(before, fields, at)),
    );
  }

  /**
   * Writes openings of an ATS connection in its transaction. An opening that the API made is adopted; one of another
   * connection is left alone. A change without a title of a missing opening is left out.
   */
  async sync(
    tx: SqlRunner,
    tenantId: string,
    openings: readonly SyncedOpening[],
    { quiet }: { quiet: boolean },
  ): Promise<SyncedJob[]> {
    const names = openings.map(({ externalId }) => externalId);
    const seen = await this.repository.byExternalIds(tenantId, names, tx);
    // The names under which candidates know an opening are locked before any candidate is.
    await lockTitles(tx, tenantId, [...names, ...[...seen.values()].map(({ id }) => id)]);
    const known = await this.repository.byExternalIds(tenantId, names, tx);
    const results: SyncedJob[] = [];
    for (const { externalId, fields } of openings) {
      const before = known.get(externalId);
      const holder = before?.ats_connection_id ?? null;
      const { title } = fields;
      if ((holder !== null && holder !== fields.ats_connection_id) || (before === undefined && title === undefined)) {
        results.push({ externalId, outcome: 'refused', id: before?.id ?? null });
        continue;
      }
      const at = new Date();
      const after =
        before === undefined
          ? newJob(externalId, { ...fields, title: title! }, newId('job'), at)
          : changedJob(before, fields, at);
      if (after !== null) await this.store(tx, tenantId, before, after, quiet);
      const outcome = after === null ? 'unchanged' : before === undefined ? 'created' : 'updated';
      results.push({ externalId, outcome, id: (after ?? before!).id });
    }
    return results;
  }

  /**
   * Closes an opening; a closed one stays unchanged.
   *
   * @throws {NotFound} when the tenant has no such opening
   * @throws {JobManagedByAts} when it comes from an ATS
   */
  async close(tenantId: string, id: string): Promise<void> {
    const { external_id: externalId, status } = await this.get(tenantId, id);
    if (status === 'closed') return;
    await this.write(tenantId, externalId, (before, at) => {
      if (before === undefined) throw new NotFound('job');
      return unmanaged(before, changedJob(before, { status: 'closed' }, at));
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

  private async store(
    tx: SqlRunner,
    tenantId: string,
    before: JobRow | undefined,
    after: JobRow,
    quiet = false,
  ): Promise<void> {
    const { id, external_id: externalId, title } = after;
    const retitled = before?.title !== title;
    if (before !== undefined && retitled) await lockTitle(tx, tenantId, id);
    const statement =
      before === undefined ? this.repository.insert(tenantId, after) : this.repository.update(tenantId, after);
    if (!quiet)
      await this.events.addTo(statement, tenantId, { event: 'job.synced', record: id, data: jobData(after) }, tx);
    const written = await statement.run(tx);
    if (written.length === 0) throw new Error('an opening was written without its lock');
    if (retitled) await this.followers.titleChanged(tx, tenantId, { names: [externalId, id], title });
  }
}

/** @throws {JobManagedByAts} where an ATS owns the opening, and the API would change it */
function unmanaged(before: JobRow, after: JobRow | null): JobRow | null {
  if (after === null || before.ats_connection_id === null) return after;
  throw new JobManagedByAts(before.ats_connection_id, differingFields(before, after));
}
