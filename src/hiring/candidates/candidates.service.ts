import { Injectable } from '@nestjs/common';
import { codeOf } from '../../base/database/database.errors.js';
import { Database, type SqlRunner } from '../../base/database/database.js';
import { DomainEvents } from '../../base/domain-events.js';
import { NotFound, InvalidFields } from '../../base/errors/domain-error.js';
import { csvLine } from '../../base/http/export.js';
import { queryChoice, queryTime } from '../../base/http/query.js';
import { newId } from '../../base/ids.js';
import { EventRecorder } from '../../engine/events/event-recorder.js';
import { eraseRecord } from '../../engine/events/stored-events.js';
import { holdTitle, JobsRepository } from '../jobs/jobs.repository.js';
import { type CandidateChange, type CandidateFields, type CandidateRow, ATS_STATUSES } from './candidate.js';
import { deletedFact, writtenFact } from './candidate.mapping.js';
import { changedCandidate, newCandidate, openingAfter, sameCandidate, titled } from './candidate.rules.js';
import { CandidateRemoved, CandidateContention, ExternalIdTaken, ManagedByAts } from './candidates.errors.js';
import {
  insertCandidate,
  removeCandidate,
  updateCandidate,
  CandidatesRepository,
  type CandidateFilter,
} from './candidates.repository.js';
import { managedChange } from './metadata.rules.js';

type IfExists = 'refuse' | 'return' | 'update';

interface CandidateResult {
  row: CandidateRow;
  created: boolean;
}

/** Attempts of a write without a lock, and of look-ups of a candidate that others create and delete. */
const ATTEMPTS = 4;
/** `unique_violation` */
const NOT_UNIQUE = '23505';

/** @throws {ManagedByAts} where the candidate's ATS owns what would change */
function allowedChange(before: CandidateRow, change: CandidateChange): CandidateChange {
  if (before.ats_connection_id === null) return change;
  const managed = managedChange(before, change);
  if (managed.wrong.length > 0) throw new ManagedByAts(before.ats_connection_id, managed.wrong);
  return managed.change;
}

export const CANDIDATE_FILTERS = [
  'email',
  'external_id',
  'ats_priority',
  'stage',
  'ats_status',
  'job',
  'connection',
  'q',
  'updated_since',
] as const;

/** The shortest prefix: one letter begins too many names. */
const LEAST_PREFIX = 2;
const MOST_PREFIX = 100;
const PAGE = 200;

const COLUMNS = [
  'id',
  'external_id',
  'first_name',
  'last_name',
  'email',
  'job_title',
  'stage',
  'ats_status',
  'ats_connection_id',
  'job_opening_id',
  'created_at',
  'updated_at',
] as const satisfies readonly (keyof CandidateRow)[];

/**
 * The one way to write a candidate, whichever channel the write arrives by. The record and its event are one
 * statement, which checks what was read before. Where the statement writes nothing (a lost race, an opening with a new
 * title), the write is decided again; after some attempts with the row locked.
 */
@Injectable()
export class CandidatesService {
  constructor(
    private readonly db: Database,
    private readonly repository: CandidatesRepository,
    private readonly jobs: JobsRepository,
    private readonly events: EventRecorder,
    private readonly domainEvents: DomainEvents,
  ) {}

  /** @throws {NotFound} when the tenant has no such candidate */
  async get(tenantId: string, id: string): Promise<CandidateRow> {
    const row = await this.repository.one(tenantId, id);
    if (row === undefined) throw new NotFound('candidate');
    return row;
  }

  /**
   * Creates a candidate, or does what `ifExists` asks with the one that has its `external_id`.
   *
   * @throws {ExternalIdTaken} for `refuse`
   * @throws {CandidateContention} when other writes were quicker in each attempt
   */
  async create(tenantId: string, fields: CandidateFields, ifExists: IfExists = 'refuse'): Promise<CandidateResult> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (attempt > 0 || ifExists !== 'refuse') {
        const known = await this.existing(tenantId, fields, ifExists);
        if (known !== null) return { row: known, created: false };
      }
      const row =
        attempt === 0 ? await this.insert(this.db, tenantId, fields, false) : await this.insertHeld(tenantId, fields);
      if (row === null) continue;
      this.events.wake(tenantId, 'candidate.created');
      return { row, created: true };
    }
    throw new CandidateContention();
  }

  /**
   * Changes the named fields. A change without effect records no event.
   *
   * @throws {NotFound} when the tenant has no such candidate
   * @throws {ManagedByAts} when an ATS owns one of the fields
   * @throws {ExternalIdTaken} when another candidate has the new `external_id`
   * @throws {CandidateContention} when other writes were quicker in each attempt
   */
  async change(tenantId: string, id: string, change: CandidateChange): Promise<CandidateRow> {
    const after =
      (await this.changeOptimistically(tenantId, id, change)) ?? (await this.changeLocked(tenantId, id, change));
    this.events.wake(tenantId, 'candidate.updated');
    return after;
  }

  private async changeOptimistically(
    tenantId: string,
    id: string,
    change: CandidateChange,
  ): Promise<CandidateRow | null> {
    for (let attempt = 1; attempt < ATTEMPTS; attempt++) {
      const after = await this.update(this.db, tenantId, await this.get(tenantId, id), change, attempt > 1);
      if (after !== null) return after;
    }
    return null;
  }

  private changeLocked(tenantId: string, id: string, change: CandidateChange): Promise<CandidateRow> {
    return this.db.transaction(tenantId, async (tx) => {
      // A rename locks the title, then the candidates: the other order would be a deadlock.
      const known = await this.repository.one(tenantId, id, tx);
      if (known === undefined) throw new NotFound('candidate');
      const name = change.metadata === undefined ? known.job_opening_id : openingAfter(known, change.metadata);
      if (name !== null) await holdTitle(tx, tenantId, name);
      const before = await this.repository.one(tenantId, id, tx, true);
      if (before === undefined) throw new NotFound('candidate');
      const after = await this.update(tx, tenantId, before, change, true);
      if (after === null) throw new CandidateContention();
      return after;
    });
  }

  /** Erases the candidate's data from its events too. @throws {NotFound} when the tenant has no such candidate */
  async remove(tenantId: string, id: string): Promise<void> {
    await this.db.transaction(tenantId, async (tx) => {
      // The lock lets a write that is under way finish, so that its event is seen and erased.
      const row = await this.repository.one(tenantId, id, tx, true);
      if (row === undefined) throw new NotFound('candidate');
      await this.removeLocked(tx, tenantId, row, null);
    });
    this.events.wake(tenantId, 'candidate.deleted');
  }

  /**
   * Removes a candidate that the transaction has locked. The caller wakes the delivery after the commit.
   *
   * @param mergedInto the candidate that `resolve` returns from now on, or null
   */
  async removeLocked(tx: SqlRunner, tenantId: string, row: CandidateRow, mergedInto: string | null): Promise<void> {
    const { id, external_id: externalId } = row;
    await this.domainEvents.publish(new CandidateRemoved(tx, tenantId, row, mergedInto));
    await eraseRecord(tx, tenantId, id, { id, external_id: externalId });
    const statement = removeCandidate(tenantId, row, new Date(), mergedInto);
    await this.events.addTo(statement, tenantId, deletedFact(row), tx);
    await statement.run(tx);
  }

  /** Returns the candidate with the key after `ifExists` is done; null when there is none. */
  private async existing(tenantId: string, fields: CandidateFields, ifExists: IfExists): Promise<CandidateRow | null> {
    const known = await this.repository.byExternalId(tenantId, fields.external_id);
    if (known === undefined) return null;
    if (ifExists === 'refuse') throw new ExternalIdTaken(known.id);
    if (ifExists === 'return') return known;
    try {
      return await this.change(tenantId, known.id, fields);
    } catch (error) {
      if (error instanceof NotFound) return null; // Deleted since: the candidate is created.
      throw error;
    }
  }

  /** Returns null where another candidate has the key, or the opening has another title by now. */
  private async insert(
    db: SqlRunner,
    tenantId: string,
    fields: CandidateFields,
    anew: boolean,
  ): Promise<CandidateRow | null> {
    const edit = newCandidate(fields, newId('cand'), new Date());
    const { titleFrom } = edit;
    const row = titled(edit, titleFrom === null ? null : await this.jobs.titleOf(tenantId, titleFrom, anew, db));
    const statement = insertCandidate(tenantId, row, titleFrom);
    await this.events.addTo(statement, tenantId, writtenFact('candidate.created', row), db);
    return (await statement.run(db)).length === 0 ? null : row;
  }

  /** Inserts with the title held, so that only another candidate with the key can be in the way. */
  private insertHeld(tenantId: string, fields: CandidateFields): Promise<CandidateRow | null> {
    return this.db.transaction(tenantId, async (tx) => {
      const name = fields.metadata?.openingId;
      if (name != null) await holdTitle(tx, tenantId, name);
      return this.insert(tx, tenantId, fields, true);
    });
  }

  /** Returns null where another write was quicker, or the opening has another title by now. */
  private async update(
    db: SqlRunner,
    tenantId: string,
    before: CandidateRow,
    change: CandidateChange,
    anew: boolean,
  ): Promise<CandidateRow | null> {
    const edit = changedCandidate(before, allowedChange(before, change), new Date());
    const { titleFrom } = edit;
    const after = titled(edit, titleFrom === null ? null : await this.jobs.titleOf(tenantId, titleFrom, anew, db));
    if (sameCandidate(before, after)) return before;
    const statement = updateCandidate(tenantId, after, titleFrom);
    await this.events.addTo(statement, tenantId, writtenFact('candidate.updated', after), db);
    try {
      if ((await statement.run(db)).length === 0) return null;
    } catch (error) {
      if (codeOf(error) !== NOT_UNIQUE) throw error;
      const holder = await this.repository.byExternalId(tenantId, after.external_id);
      if (holder === undefined) return null;
      throw new ExternalIdTaken(holder.id);
    }
    return after;
  }

  /** @throws {InvalidFields} */
  async filterOf(
    tenantId: string,
    query: Partial<Record<(typeof CANDIDATE_FILTERS)[number], string>>,
  ): Promise<CandidateFilter> {
    const { email, external_id, ats_priority, stage, job, connection, q } = query;
    return {
      email,
      external_id,
      ats_priority,
      stage,
      ats_status: queryChoice('ats_status', query.ats_status, ATS_STATUSES),
      openings: job === undefined ? undefined : await this.namesOf(tenantId, job),
      connection,
      q: q === undefined ? undefined : prefixOf(q),
      updated_since: queryTime('updated_since', query.updated_since),
    };
  }

  async *csvOf(tenantId: string, filter: CandidateFilter): AsyncGenerator<string> {
    yield csvLine(COLUMNS);
    for (let after: string | null = null; ;) {
      const { rows }: { rows: CandidateRow[] } = await this.repository.list(tenantId, filter, {
        list: 'candidates',
        after,
        limit: PAGE,
      });
      const page = rows.slice(0, PAGE);
      if (page.length > 0) yield page.map((row) => csvLine(COLUMNS.map((name) => row[name]))).join('');
      if (page.length === 0) return;
      after = page.at(-1)!.id;
    }
  }

  /** Metadata names an opening by its id or its `external_id`. */
  private async namesOf(tenantId: string, job: string): Promise<readonly string[]> {
    const found = (await this.jobs.one(tenantId, job)) ?? (await this.jobs.byExternalId(tenantId, job));
    return found === undefined ? [job] : [found.id, found.external_id];
  }
}

/** @throws {InvalidFields} for a prefix that is too short or too long */
function prefixOf(text: string): string {
  const prefix = text.normalize('NFC').trim().toLowerCase();
  if (prefix.length >= LEAST_PREFIX && prefix.length <= MOST_PREFIX) return prefix;
  throw new InvalidFields([{ field: 'q', message: `must have ${LEAST_PREFIX} to ${MOST_PREFIX} characters` }]);
}
