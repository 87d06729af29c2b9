import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../base/database/database.js';
import { NotFound } from '../../../base/errors/domain-error.js';
import { csvLine } from '../../../base/http/export.js';
import type { PageRequest } from '../../../base/http/page.js';
import { listAttempts, type ListedAttempt } from '../../../engine/delivery/attempts.js';
import { LaneWakeups } from '../../../engine/delivery/lane-state.js';
import { CandidateLock } from '../../../hiring/interviews/interviews.repository.js';
import { AuditService } from '../../../tenancy/tenants/audit/audit.service.js';
import type { Caller } from '../../../tenancy/tenants/caller.js';
import { AtsConnectionStore } from '../connections/ats-connections.store.js';
import { WrongAtsState } from '../connections/ats.errors.js';
import type { AtsConnection } from '../connections/connection.js';
import { atsWriteBody } from './ats-write.mapping.js';
import type { AtsWriteBody } from './ats-writes.dto.js';
import { AtsDestinations, destinationOf } from './ats-destinations.js';
import { AtsWritesRepository, type WriteFilter } from './ats-writes.repository.js';
import type { AtsWriteRow, WriteState } from './write.js';

const RETRIED: readonly WriteState[] = ['failed', 'dismissed', 'left'];
const DISMISSED: readonly WriteState[] = ['waiting', 'failed', 'left'];
/** The most tries of a write that are shown. */
const TRIES = 50;

const CSV_PAGE = 200;
const CSV_COLUMNS = [
  'id',
  'candidate_id',
  'interview_id',
  'kind',
  'action',
  'revision',
  'state',
  'target',
  'attempts',
  'reason',
  'detail',
  'attempted_at',
  'written_at',
  'created_at',
  'updated_at',
] as const satisfies readonly (keyof AtsWriteBody)[];

/** Shows what is written to an ATS, and settles by hand what failed. */
@Injectable()
export class AtsWritesService {
  constructor(
    private readonly db: Database,
    private readonly writes: AtsWritesRepository,
    private readonly connections: AtsConnectionStore,
    private readonly destinations: AtsDestinations,
    private readonly lock: CandidateLock,
    private readonly wakeups: LaneWakeups,
    private readonly audit: AuditService,
  ) {}

  /** Returns a page of the writes of a connection, newest first, with one too many. */
  async list(tenantId: string, connectionId: string, filter: WriteFilter, page: PageRequest): Promise<AtsWriteRow[]> {
    await this.connection(tenantId, connectionId);
    return this.writes.list(tenantId, connectionId, filter, page);
  }

  /** Returns all writes of a list as CSV, newest first, a page at a time. */
  async *csv(tenantId: string, connectionId: string, filter: WriteFilter): AsyncGenerator<string> {
    yield csvLine(CSV_COLUMNS);
    for (let after: string | null = null; ;) {
      const found: AtsWriteRow[] = await this.writes.list(tenantId, connectionId, filter, { after, limit: CSV_PAGE });
      const page = found.slice(0, CSV_PAGE);
      if (page.length === 0) return;
      yield page.map((row) => csvLine(CSV_COLUMNS.map((name) => atsWriteBody(row)[name]))).join('');
      after = page.at(-1)!.id;
    }
  }

  /** Returns a write with its last tries, newest first. */
  async get(
    tenantId: string,
    connectionId: string,
    id: string,
  ): Promise<{ write: AtsWriteRow; tries: readonly ListedAttempt[] }> {
    const connection = await this.connection(tenantId, connectionId);
    const write = await this.writes.one(tenantId, connectionId, id);
    if (write === undefined) throw new NotFound('write');
    const message = { id, sequence: write.sequence, subjects: [write.candidate_id] };
    const page = { after: null, limit: TRIES };
    const tries = await listAttempts(this.db, destinationOf(connection), { message }, page);
    return { write, tries: tries.slice(0, TRIES) };
  }

  /**
   * Lets a write that ended be tried again, behind what waits for its candidate.
   *
   * @throws {WrongAtsState} when it waits or is written, or a newer revision took its place
   */
  async retry(caller: Caller, connectionId: string, id: string): Promise<AtsWriteRow> {
    const { tenantId } = caller;
    const connection = await this.connection(tenantId, connectionId);
    if (connection.state === 'disconnected') throw new WrongAtsState('The connection is disconnected.');
    await this.db.transaction(tenantId, async (tx) => {
      const write = await this.locked(tx, tenantId, connectionId, id);
      if (!RETRIED.includes(write.state)) throw new WrongAtsState(`A write that is ${write.state} is not tried again.`);
      const of = { connectionId, interviewId: write.interview_id, kind: write.kind };
      const [newest] = await this.writes.revisions(tenantId, of, tx);
      if (newest!.revision > write.revision) throw new WrongAtsState('A newer revision took the place of this write.');
      await this.destinations.demand(tx, connection);
      await this.writes.again(tx, tenantId, write);
      await this.note(tx, caller, 'ats_write.retried', write, { before: { state: write.state, reason: write.reason } });
    });
    this.wakeups.wake(destinationOf(connection));
    return (await this.writes.one(tenantId, connectionId, id))!;
  }

  /**
   * Ends a write by hand.
   *
   * @throws {WrongAtsState} when it is written, or ended otherwise
   */
  async dismiss(caller: Caller, connectionId: string, id: string, reason: string): Promise<AtsWriteRow> {
    const { tenantId } = caller;
    await this.connection(tenantId, connectionId);
    await this.db.transaction(tenantId, async (tx) => {
      const write = await this.locked(tx, tenantId, connectionId, id);
      if (!DISMISSED.includes(write.state)) throw new WrongAtsState(`A write that is ${write.state} is not dismissed.`);
      await this.writes.dismiss(tx, tenantId, id, reason);
      await this.note(tx, caller, 'ats_write.dismissed', write, { before: { state: write.state }, after: { reason } });
    });
    return (await this.writes.one(tenantId, connectionId, id))!;
  }

  /** @throws {NotFound} when the tenant has no such connection */
  async connection(tenantId: string, id: string): Promise<AtsConnection> {
    const connection = (await this.connections.get(tenantId, id)) ?? (await this.connections.fresh(tenantId, id));
    if (connection === undefined) throw new NotFound('ATS connection');
    return connection;
  }

  /** Locks the candidate, as all writes of its lane do, and then the write. */
  private async locked(tx: SqlRunner, tenantId: string, connectionId: string, id: string): Promise<AtsWriteRow> {
    const seen = await this.writes.one(tenantId, connectionId, id, tx);
    if (seen === undefined) throw new NotFound('write');
    await this.lock.take(tx, tenantId, seen.candidate_id);
    const write = await this.writes.one(tenantId, connectionId, id, tx, true);
    if (write === undefined || write.candidate_id !== seen.candidate_id) throw new NotFound('write');
    return write;
  }

  private note(
    tx: SqlRunner,
    { tenantId, actor, requestId }: Caller,
    action: string,
    { id, connection_id }: AtsWriteRow,
    change: { before?: object; after?: object },
  ): Promise<unknown> {
    const about = { ats_connection_id: connection_id, ...change.after };
    return this.audit.record(tx, {
      tenantId,
      actor,
      requestId,
      action,
      targetType: 'ats_write',
      targetId: id,
      ...change,
      after: about,
    });
  }
}
