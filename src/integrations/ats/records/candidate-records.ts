import { Injectable } from '@nestjs/common';
import type { SqlRunner } from '../../../base/database/database.js';
import type { CandidateRow } from '../../../hiring/candidates/candidate.js';
import type { SyncedCandidate } from '../../../hiring/candidates/candidate.rules.js';
import { CandidatesService } from '../../../hiring/candidates/candidates.service.js';
import { SyncedCandidates, type HeldCandidates } from '../../../hiring/candidates/synced-candidates.js';
import type { JobStatus } from '../../../hiring/jobs/job.js';
import { JobsRepository } from '../../../hiring/jobs/jobs.repository.js';
import type { AtsConnection } from '../connections/connection.js';
import { newsOf, type News } from './news.rules.js';
import { externalIdOf, syncedOf, openingRefusal, personRefusal, survivorFrom } from './record-fields.mapping.js';
import {
  clamped,
  leftOut,
  refusalOfKnown,
  isMergeCircle,
  recordResultOf,
  type AtsRecordRow,
  type LeftOutReason,
  type RecordItem,
  type RecordResult,
  type RecordWrite,
} from './record.js';
import { AtsRecordsRepository } from './records.repository.js';

type CandidateItem = Extract<RecordItem, { kind: 'candidate' }>;
type GoneItem = Extract<RecordItem, { kind: 'gone' }>;

interface Known {
  tx: SqlRunner;
  connection: AtsConnection;
  held: HeldCandidates;
  records: Map<string, AtsRecordRow>;
  openings: ReadonlyMap<string, JobStatus>;
  write: RecordWrite;
}

@Injectable()
export class CandidateRecords {
  constructor(
    private readonly records: AtsRecordsRepository,
    private readonly synced: SyncedCandidates,
    private readonly candidates: CandidatesService,
    private readonly jobs: JobsRepository,
  ) {}

  wake(tenantId: string): void {
    this.synced.wake(tenantId);
  }

  async write(
    tx: SqlRunner,
    connection: AtsConnection,
    items: readonly RecordItem[],
    write: RecordWrite,
  ): Promise<RecordResult[]> {
    const known = await this.hold(tx, connection, items, write);
    const changed = items.filter((item) => item.kind === 'candidate');
    const gone = items.filter((item) => item.kind === 'gone');
    const results = await this.writeChanged(known, changed);
    // After the changes: a record can be merged into one of the same batch.
    for (const item of gone) results.push(await this.writeGone(known, item));
    return results;
  }

  /** Locks titles, then candidates by id, then records by id. */
  private async hold(
    tx: SqlRunner,
    connection: AtsConnection,
    items: readonly RecordItem[],
    write: RecordWrite,
  ): Promise<Known> {
    const survivors = items.flatMap((item) => (item.kind === 'gone' ? (item.gone.survivorId ?? []) : []));
    const remoteIds = [...new Set([...items.map(({ remoteId }) => remoteId), ...survivors])];
    const nameOf = (remoteId: string) => externalIdOf(connection, remoteId) ?? [];
    const openings = items.flatMap((item) =>
      item.kind === 'candidate' && item.candidate.jobRemoteId != null ? nameOf(item.candidate.jobRemoteId) : [],
    );
    const held = await this.synced.hold(tx, connection.tenantId, { externalIds: remoteIds.flatMap(nameOf), openings });
    const records = await this.records.of(connection, 'candidate', remoteIds, { db: tx, lock: true });
    const jobs = await this.jobs.byExternalIds(connection.tenantId, openings, tx);
    const states = new Map([...jobs].map(([name, job]) => [name, job.status]));
    return { tx, connection, held, records, openings: states, write };
  }

  private async writeChanged(known: Known, items: readonly CandidateItem[]): Promise<RecordResult[]> {
    const { tx, connection, held, records, write } = known;
    const results: RecordResult[] = [];
    const accepted: { item: CandidateItem; synced: SyncedCandidate; news: News }[] = [];
    const [put, added]: [AtsRecordRow[], AtsRecordRow[]] = [[], []];
    for (const item of items) {
      const news = newsOf(item, records.get(item.remoteId), held.get(externalIdOf(connection, item.remoteId) ?? ''));
      const synced = this.decide(known, item, news);
      if (typeof synced !== 'string') accepted.push({ item, synced, news });
      else results.push(leftOut('candidate', item.remoteId, synced));
      const record = records.get(item.remoteId);
      // A record that a full pass shows exists, even without a change.
      if (typeof synced === 'string' && record?.state === 'live' && write.pass !== null) {
        put.push({ ...record, seen_in: write.pass });
      }
    }
    const wanted = accepted.map(({ synced }) => synced);
    const plan = await this.synced.plan(tx, connection.tenantId, held, wanted);
    const writing = this.synced.write(tx, connection.tenantId, plan, write.events);
    writing.catch(() => undefined); // Its failure is met below.
    for (const [place, { item, news }] of accepted.entries()) {
      const result = plan.results[place]!;
      results.push(recordResultOf(item, result));
      if (result.outcome === 'refused') continue;
      const record = records.get(item.remoteId);
      const isNews = result.outcome !== 'unchanged' || record === undefined;
      (record === undefined ? added : put).push({
        remote_id: item.remoteId,
        record_id: result.id,
        state: 'live',
        survivor_id: null,
        changed_at: clamped(news.changedAt),
        person_at: clamped(news.personAt),
        brought_by: isNews ? write.source : record.brought_by,
        seen_in: write.pass,
      });
    }
    await writing;
    await this.records.put(tx, connection, 'candidate', put);
    await this.records.put(tx, connection, 'candidate', added, true);
    await this.linkMerged(
      known,
      accepted.flatMap(({ item }, place) => (plan.results[place]!.outcome === 'created' ? item.remoteId : [])),
      [...put, ...added],
    );
    return results;
  }

  private decide(
    { connection, records, held, openings, write }: Known,
    item: CandidateItem,
    news: News,
  ): SyncedCandidate | LeftOutReason {
    const { candidate, remoteId, changedAt } = item;
    const record = records.get(remoteId);
    const refusal = refusalOfKnown(record, item);
    if (refusal !== null) return refusal;
    const before = held.get(externalIdOf(connection, remoteId) ?? '');
    const isTaken =
      record !== undefined || write.forced?.has(remoteId) === true || before?.ats_connection_id === connection.id;
    if (!isTaken) {
      const job = candidate.jobRemoteId == null ? undefined : externalIdOf(connection, candidate.jobRemoteId);
      const status = openings.get(job ?? '') ?? candidate.job?.status;
      const notTaken =
        personRefusal(connection.takes, candidate, changedAt) ?? openingRefusal(connection.takes, status);
      if (notTaken !== null) return notTaken;
    }
    return syncedOf(connection, news.candidate, before);
  }

  /** Removes a candidate that the ATS no longer has, and keeps its record, even one that was never taken. */
  private async writeGone(known: Known, item: GoneItem): Promise<RecordResult> {
    const { tx, connection, records, write } = known;
    const { remoteId, gone } = item;
    const record = records.get(remoteId);
    const refusal = refusalOfKnown(record, item);
    if (refusal !== null) return leftOut('candidate', remoteId, refusal);
    if (isMergeCircle(records, item)) return leftOut('candidate', remoteId, 'circle');
    const row = await this.heldRow(known, remoteId);
    const survivor = await this.survivorOf(known, item, row);
    if (row !== undefined) await this.candidates.removeLocked(tx, connection.tenantId, row, survivor?.id ?? null);
    const state = gone.survivorId === null ? 'deleted' : 'merged';
    const over = {
      remote_id: remoteId,
      record_id: null,
      state,
      survivor_id: gone.survivorId,
      person_at: null,
    } as const;
    const put = { ...over, changed_at: clamped(item.changedAt), brought_by: write.source, seen_in: null };
    await this.records.put(tx, connection, 'candidate', [put]);
    records.set(remoteId, put);
    // A merged candidate that never came in is known by its id alone, so that `resolve` can return the survivor.
    const name = externalIdOf(connection, remoteId);
    if (row === undefined && gone.survivorId !== null && name !== null) {
      await this.synced.keepMerged(tx, connection.tenantId, name, survivor?.id ?? null);
    }
    // The middle record of two merges can be gone before.
    if (survivor !== undefined)
      await this.linkMerged(known, [remoteId], [{ remote_id: remoteId, record_id: survivor.id }]);
    if (row === undefined) {
      await this.records.eraseEvents(tx, connection, remoteId);
      return leftOut('candidate', remoteId, 'unknown');
    }
    return { kind: 'candidate', remoteId, outcome: state, reason: null, recordId: row.id };
  }

  /**
   * Returns the candidate that another one was merged into, through earlier merges. A survivor that did not come in
   * yet is made from the merged candidate: the interviews and writes of that person continue with it.
   */
  private async survivorOf(
    known: Known,
    { remoteId, gone }: GoneItem,
    merged: CandidateRow | undefined,
  ): Promise<CandidateRow | undefined> {
    const passed = new Set([remoteId]);
    for (let id = gone.survivorId; id !== null && !passed.has(id);) {
      const found = await this.heldRow(known, id);
      if (found !== undefined) return found;
      passed.add(id);
      const record = await this.recordOf(known, id);
      if (record === undefined || record.state === 'live') return this.madeFrom(known, id, merged);
      id = record.state === 'merged' ? record.survivor_id : null;
    }
    return undefined;
  }

  private async madeFrom(
    known: Known,
    remoteId: string,
    merged: CandidateRow | undefined,
  ): Promise<CandidateRow | undefined> {
    const { tx, connection, write } = known;
    if (merged === undefined || write.missing?.has(remoteId) === true) return undefined;
    const told = { candidate: survivorFrom(merged, remoteId), changedAt: new Date(0) };
    const item: CandidateItem = { kind: 'candidate', remoteId, ...told };
    const again = await this.hold(tx, connection, [item], { ...write, pass: null, forced: new Set([remoteId]) });
    await this.writeChanged(again, [item]);
    return this.heldRow(known, remoteId);
  }

  private async recordOf({ tx, connection }: Known, remoteId: string): Promise<AtsRecordRow | undefined> {
    return (await this.records.of(connection, 'candidate', [remoteId], { db: tx, lock: true })).get(remoteId);
  }

  /** Returns the candidate of a record if this connection owns it, as the transaction has it now. */
  private async heldRow({ tx, connection }: Known, remoteId: string): Promise<CandidateRow | undefined> {
    const name = externalIdOf(connection, remoteId);
    if (name === null) return undefined;
    const found = await this.synced.hold(tx, connection.tenantId, { externalIds: [name], openings: [] });
    const row = found.get(name);
    return row?.ats_connection_id === connection.id ? row : undefined;
  }

  /** `resolve` returns the survivor of a merge also where the survivor comes in later. */
  private async linkMerged(
    { tx, connection }: Known,
    created: readonly string[],
    put: readonly Pick<AtsRecordRow, 'remote_id' | 'record_id'>[],
  ): Promise<void> {
    const merged = await this.records.mergedInto(tx, connection, created);
    for (const survivorId of new Set(merged.map((one) => one.survivor_id))) {
      const own = merged.filter((one) => one.survivor_id === survivorId);
      const names = own.flatMap(({ remote_id: remoteId }) => externalIdOf(connection, remoteId) ?? []);
      const survivor = put.find(({ remote_id: remoteId }) => remoteId === survivorId)!;
      await this.synced.linkMerged(tx, connection.tenantId, names, survivor.record_id!);
    }
  }
}
