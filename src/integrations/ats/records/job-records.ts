import { Injectable } from '@nestjs/common';
import type { SqlRunner } from '../../../base/database/database.js';
import { JobsService, type SyncedJob, type SyncedOpening } from '../../../hiring/jobs/jobs.service.js';
import { lockTitles } from '../../../hiring/jobs/jobs.repository.js';
import type { AtsConnection } from '../connections/connection.js';
import { externalIdOf, openingOf } from './record-fields.mapping.js';
import { clamped, leftOut, refusalOfKnown } from './record.rules.js';
import type { AtsRecordRow, RecordItem, RecordResult, RecordWrite } from './record.js';
import { AtsRecordsRepository } from './records.repository.js';

interface Decided {
  item: RecordItem;
  externalId: string;
  fields: SyncedOpening['fields'];
}

/** Writes the openings of an ATS. */
@Injectable()
export class JobRecords {
  constructor(
    private readonly records: AtsRecordsRepository,
    private readonly jobs: JobsService,
  ) {}

  async write(
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
      // A record that a full pass shows is there, also where nothing of it is news.
      if (typeof found === 'string' && record?.state === 'live' && pass !== null)
        put.push({ ...record, seen_in: pass });
    }
    const openings = decided.map(({ externalId, fields }) => ({ externalId, fields }));
    const written = await this.jobs.sync(tx, tenantId, openings, { quiet: events === 'none' });
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
}

function resultOf(item: RecordItem, { outcome, id }: SyncedJob): RecordResult {
  const base = { kind: 'job' as const, remoteId: item.remoteId, recordId: id };
  if (outcome === 'refused') {
    return { ...base, outcome: 'left_out', reason: item.kind === 'gone' ? 'unknown' : 'claimed_by_another_connection' };
  }
  const closes = item.kind === 'gone' || (item.kind === 'job' && item.job.status === 'closed');
  return { ...base, outcome: closes && outcome === 'updated' ? 'closed' : outcome, reason: null };
}
