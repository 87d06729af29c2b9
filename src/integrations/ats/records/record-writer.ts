import { Injectable } from '@nestjs/common';
import { type SqlRunner, Database } from '../../../base/database/database.js';
import { lockTitles } from '../../../hiring/jobs/jobs.repository.js';
import { JobsService, type SyncedJob, type SyncedOpening } from '../../../hiring/jobs/jobs.service.js';
import { AtsFailure, type AtsApi } from '../api/ats-api.js';
import type { AtsConnection } from '../connections/connection.js';
import { type AtsCandidate, type AtsJob, NotUnderstood, type Connector } from '../connectors/connector.js';
import { CandidateRecords } from './candidate-records.js';
import { externalIdOf, openingOf, personRefusal } from './record-fields.mapping.js';
import {
  clamped,
  leftOut,
  refusalOfKnown,
  type AtsRecordRow,
  type RecordItem,
  type RecordResult,
  type RecordWrite,
  jobItem,
} from './record.js';
import { AtsRecordsRepository } from './records.repository.js';

interface Decided {
  item: RecordItem;
  externalId: string;
  fields: SyncedOpening['fields'];
}

function resultOf(item: RecordItem, { outcome, id }: SyncedJob): RecordResult {
  const base = { kind: 'job' as const, remoteId: item.remoteId, recordId: id };
  if (outcome === 'refused') {
    return { ...base, outcome: 'left_out', reason: item.kind === 'gone' ? 'unknown' : 'claimed_by_another_connection' };
  }
  const closes = item.kind === 'gone' || (item.kind === 'job' && item.job.status === 'closed');
  return { ...base, outcome: closes && outcome === 'updated' ? 'closed' : outcome, reason: null };
}

/** Where openings are read: null when the connection cannot read. */
export interface Source {
  connector: Connector;
  api: AtsApi | null;
}

/**
 * The one writer of records of ATSs, for polls and events. It drops items older than the stored ones, and takes those
 * in the connection's selection; a record that leaves the selection stays up to date. Openings that candidates name
 * are written before the candidates, which take their titles.
 */
@Injectable()
export class AtsRecordWriter {
  constructor(
    private readonly candidates: CandidateRecords,
    private readonly records: AtsRecordsRepository,
    private readonly jobsService: JobsService,
    private readonly db: Database,
  ) {}

  /** Writes openings, each at most once. No transaction writes candidates too: both take the locks of titles first. */
  async writeJobs(
    tx: SqlRunner,
    connection: AtsConnection,
    items: readonly RecordItem[],
    { source, events, pass, forced = new Set() }: RecordWrite,
  ): Promise<RecordResult[]> {
    const { tenantId } = connection;
    const names = items.map(({ remoteId }) => externalIdOf(connection, remoteId)).filter((name) => name !== null);
    await lockTitles(tx, tenantId, names);
    const remoteIds = items.map(({ remoteId }) => remoteId);
    const known = await this.records.of(connection, 'job', remoteIds, { db: tx, lock: true });
    const results: RecordResult[] = [];
    const decided: Decided[] = [];
    const put: AtsRecordRow[] = [];
    for (const item of items) {
      const record = known.get(item.remoteId);
      const found = this.decide(connection, item, record, forced);
      if (typeof found !== 'string') decided.push(found);
      else results.push(leftOut('job', item.remoteId, found));
      // A record that a full pass shows exists, even without a change.
      if (typeof found === 'string' && record?.state === 'live' && pass !== null)
        put.push({ ...record, seen_in: pass });
    }
    const openings = decided.map(({ externalId, fields }) => ({ externalId, fields }));
    const written = await this.jobsService.sync(tx, tenantId, openings, { quiet: events === 'none' });
    const byName = new Map(written.map((one) => [one.externalId, one]));
    for (const { item, externalId } of decided) {
      const one = byName.get(externalId)!;
      const record = known.get(item.remoteId);
      results.push(resultOf(item, one));
      if (one.outcome === 'refused' && item.kind !== 'gone') continue;
      put.push({
        remote_id: item.remoteId,
        record_id: one.id,
        state: item.kind === 'gone' ? 'deleted' : 'live',
        survivor_id: null,
        changed_at: clamped(item.changedAt),
        person_at: null,
        brought_by: one.outcome === 'unchanged' && record !== undefined ? record.brought_by : source,
        seen_in: pass,
      });
    }
    await this.records.put(tx, connection, 'job', put);
    return results;
  }

  /** Writes candidates in the transaction. Their openings are written before. */
  writeCandidates(
    tx: SqlRunner,
    connection: AtsConnection,
    items: readonly RecordItem[],
    write: RecordWrite,
  ): Promise<RecordResult[]> {
    return this.candidates.write(tx, connection, items, write);
  }

  /** Wakes the delivery of the events, after the commit. */
  wake(tenantId: string): void {
    this.candidates.wake(tenantId);
  }

  private decide(
    connection: AtsConnection,
    item: RecordItem,
    record: AtsRecordRow | undefined,
    forced: ReadonlySet<string>,
  ): Decided | NonNullable<RecordResult['reason']> {
    const refusal = refusalOfKnown(record, item);
    if (refusal !== null) return refusal;
    const externalId = externalIdOf(connection, item.remoteId);
    if (externalId === null) return 'bad_id';
    if (item.kind === 'gone')
      return { item, externalId, fields: { status: 'closed', ats_connection_id: connection.id } };
    if (item.kind !== 'job') throw new Error('a candidate was given to the openings');
    const open = connection.takes.postings === 'all' || item.job.status === 'open';
    if (record === undefined && !open && !forced.has(item.remoteId)) return 'job_not_open';
    return { item, externalId, fields: openingOf(connection, item.job) };
  }

  /**
   * Writes the openings of new candidates, from the candidates or from the ATS.
   *
   * @param guard runs first in the transaction
   * @throws {AtsFailure} when the ATS does not answer
   */
  async ensureOpenings(
    connection: AtsConnection,
    { connector, api }: Source,
    candidates: readonly AtsCandidate[],
    write: RecordWrite,
    guard: (tx: SqlRunner) => Promise<void> = async () => undefined,
  ): Promise<void> {
    const wanted = new Map<string, AtsJob | undefined>();
    for (const candidate of candidates) {
      const { jobRemoteId, job } = candidate;
      if (jobRemoteId == null || jobRemoteId === '') continue;
      const refusal = personRefusal(connection.takes, candidate, candidate.changedAt ?? new Date());
      if (refusal === null || refusal === 'before_since') wanted.set(jobRemoteId, wanted.get(jobRemoteId) ?? job);
    }
    const known = await this.records.of(connection, 'job', [...wanted.keys()]);
    const jobs: AtsJob[] = [];
    for (const [remoteId, given] of wanted) {
      if (known.has(remoteId)) continue;
      const job = given ?? (api === null ? null : await readJob(connector, api, remoteId));
      if (job !== null) jobs.push({ ...job, remoteId });
    }
    if (jobs.length === 0) return;
    const items = jobs.map((job) => jobItem(job, new Date()));
    const forced = new Set(jobs.map(({ remoteId }) => remoteId));
    await this.db.transaction(connection.tenantId, async (tx) => {
      await guard(tx);
      await this.writeJobs(tx, connection, items, { ...write, pass: null, forced });
    });
  }
}

/** Returns null where the ATS does not show the opening: the candidate comes in without its title. */
async function readJob(connector: Connector, api: AtsApi, remoteId: string): Promise<AtsJob | null> {
  try {
    return await connector.job(api, remoteId);
  } catch (error) {
    if (error instanceof NotUnderstood) return null;
    if (error instanceof AtsFailure && ['forbidden', 'not_found', 'rejected', 'malformed'].includes(error.kind))
      return null;
    throw error;
  }
}
