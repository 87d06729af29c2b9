import { Injectable } from '@nestjs/common';
import { Config } from '../../../base/config/config.js';
import { Database, type SqlRunner } from '../../../base/database/database.js';
import { NotFound, Conflict, InvalidFields } from '../../../base/errors/domain-error.js';
import { csvLine } from '../../../base/http/export.js';
import type { PageRequest } from '../../../base/http/page.js';
import { newId } from '../../../base/ids.js';
import { listAttempts, type ListedAttempt } from '../../../engine/delivery/attempts.js';
import { LaneWakeups } from '../../../engine/delivery/lane-state.js';
import { InterviewsRepository } from '../../../hiring/interviews/interviews.repository.js';
import { AuditService } from '../../../tenancy/tenants/audit/audit.service.js';
import type { Caller } from '../../../tenancy/tenants/caller.js';
import { AtsFailure, type AtsApi } from '../api/ats-api.js';
import { AtsApis } from '../calls/ats-apis.js';
import { AtsConnectionStore } from '../connections/ats-connections.store.js';
import { WrongAtsState } from '../connections/ats.errors.js';
import type { AtsConnection } from '../connections/connection.js';
import type { AtsWrite, Connector, WriteTarget } from '../connectors/connector.js';
import { connectorOf } from '../providers/providers.js';
import { AtsPublish, destinationOf } from './ats-publish.js';
import { atsWriteBody, type AtsWriteBody, type TestStepBody, type TestWriteBody } from './ats-writes.dto.js';
import { AtsWritesRepository, type WriteFilter } from './ats-writes.repository.js';
import { linkText } from './write-planner.js';
import { type AtsWriteRow, type WriteState, MARKER_BEGIN } from './write.js';

const RETRIED: readonly WriteState[] = ['failed', 'dismissed', 'left'];
const DISMISSED: readonly WriteState[] = ['waiting', 'failed', 'left'];
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

class TestStays extends Conflict {
  constructor(detail: string) {
    super('confirm_needed', detail);
  }
}

/** Shows the writes to an ATS, settles failed ones by hand, and tests writing while the caller waits. */
@Injectable()
export class AtsWritesService {
  constructor(
    private readonly db: Database,
    private readonly writes: AtsWritesRepository,
    private readonly connections: AtsConnectionStore,
    private readonly publish: AtsPublish,
    private readonly interviews: InterviewsRepository,
    private readonly wakeups: LaneWakeups,
    private readonly audit: AuditService,
    private readonly apis: AtsApis,
    private readonly config: Config,
  ) {}

  async list(tenantId: string, connectionId: string, filter: WriteFilter, page: PageRequest): Promise<AtsWriteRow[]> {
    await this.connection(tenantId, connectionId);
    return this.writes.list(tenantId, connectionId, filter, page);
  }

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
   * Lets an ended write be tried again, after the waiting ones of its candidate.
   *
   * @throws {WrongAtsState} when it waits or is written, or a newer revision replaced it
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
      await this.publish.demandDestination(tx, connection);
      await this.writes.again(tx, tenantId, write);
      await this.note(tx, caller, 'ats_write.retried', write, { before: { state: write.state, reason: write.reason } });
    });
    this.wakeups.wake(destinationOf(connection));
    return (await this.writes.one(tenantId, connectionId, id))!;
  }

  /** Ends a write by hand. @throws {WrongAtsState} when it is written, or ended otherwise */
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

  /** Locks the candidate, as all writes of its lane do, then the write. */
  private async locked(tx: SqlRunner, tenantId: string, connectionId: string, id: string): Promise<AtsWriteRow> {
    const seen = await this.writes.one(tenantId, connectionId, id, tx);
    if (seen === undefined) throw new NotFound('write');
    await this.interviews.lockCandidate(tx, tenantId, seen.candidate_id);
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

  /**
   * Tests the target of scorecards, else of links.
   *
   * @throws {InvalidFields} for a candidate that did not come through the connection
   * @throws {WrongAtsState} where the connection writes nothing, or is disconnected
   * @throws {TestStays} where the test would leave something, without the caller's confirmation
   */
  async test(caller: Caller, connectionId: string, candidateId: string, confirm: boolean): Promise<TestWriteBody> {
    const { tenantId, actor, requestId } = caller;
    const connection = await this.connection(tenantId, connectionId);
    const connector = connectorOf(connection.provider);
    if (connection.state === 'disconnected' || connector === undefined) {
      throw new WrongAtsState('The connection is disconnected.');
    }
    const target = connection.writes.scorecard_target ?? connection.writes.link_target;
    if (target === null)
      throw new WrongAtsState('The connection writes nothing: neither links nor scorecards have a target.');
    const candidate = await this.writes.findWritten(connection, candidateId);
    if (candidate === null) {
      throw new InvalidFields([
        { field: 'candidate_id', message: 'is no candidate that came through this connection' },
      ]);
    }
    demandConfirmation(connector, target, confirm);
    const steps: TestStepBody[] = [];
    const request = { ...this.requestOf(connection, target), ...idsOf(candidate) };
    await this.run(connection, connector, request, steps);
    const body = { ok: steps.every(({ ok }) => ok), target, steps };
    const after = { candidate_id: candidateId, ok: body.ok };
    const line = { action: 'ats_connection.test_written', targetType: 'ats_connection', targetId: connectionId, after };
    await this.audit.record(this.db, { tenantId, actor, requestId, ...line });
    return body;
  }

  private requestOf(
    { writes }: AtsConnection,
    target: WriteTarget,
  ): Omit<AtsWrite, 'asUser' | 'candidateRemoteId' | 'applicationRemoteId'> {
    const id = newId('awr');
    const isLink = writes.scorecard_target === null;
    const url = `${this.config.appUrl.replace(/\/$/, '')}/i/test-${id}`;
    const marker = isLink && target !== 'note' ? url : `${MARKER_BEGIN}test ${id}]`;
    const note = `Test of talent-bridge: it can write here. This is taken back at once.\n\n${marker}`;
    return {
      target,
      marker,
      text: isLink ? linkText(target, url, marker) : note,
      visibility: writes.visibility,
      field: isLink ? writes.link_field : writes.scorecard_field,
      replaces: null,
    };
  }

  private async run(
    connection: AtsConnection,
    connector: Connector,
    request: Omit<AtsWrite, 'asUser'>,
    steps: TestStepBody[],
  ): Promise<void> {
    const { title } = connector;
    let step = 'user';
    const done = (detail: string): void => void steps.push({ step, ok: true, detail });
    const failed = (detail: string): void => void steps.push({ step, ok: false, detail });
    try {
      const api = this.apis.of(connection);
      this.publish.forgetWriter(connection);
      const writer = await this.publish.writerOf(connection, connector, api);
      if ('missing' in writer) {
        return failed(
          writer.missing === 'no_writer'
            ? `${title} needs a user as whom is written, and none is known: set writes.as_user.`
            : `The user of ${title} as whom is written is gone or not active: set another writes.as_user.`,
        );
      }
      done(writer.id === null ? `${title} needs no user.` : `Written as user ${writer.id}.`);
      const write = { ...request, asUser: writer.id };
      step = 'write';
      const ref = await connector.writes.write(api, write);
      done(`${title} took the ${write.target}.`);
      step = 'read_back';
      const found = await connector.writes.find(api, write);
      if (found === null) failed(`${title} does not show what it took.`);
      else done(`${title} shows it.`);
      step = 'take_back';
      await this.takeBack(connector, api, write, found ?? ref, done, failed);
    } catch (error) {
      if (!(error instanceof AtsFailure)) throw error;
      failed(error.message);
    }
  }

  private async takeBack(
    connector: Connector,
    api: AtsApi,
    write: AtsWrite,
    ref: string,
    done: (detail: string) => void,
    failed: (detail: string) => void,
  ): Promise<void> {
    if (await connector.writes.undo(api, write, ref)) done('It was taken back.');
    else failed(`The API of ${connector.title} cannot take it back. Remove it there: ${write.marker}`);
  }
}

function demandConfirmation({ title, writes }: Connector, target: WriteTarget, confirm: boolean): void {
  if (confirm) return;
  if (target === 'field') {
    throw new TestStays(
      'The test empties the custom field of this candidate. Send `confirm: true` where that is right.',
    );
  }
  if (writes.lasting?.includes(target) === true) {
    throw new TestStays(
      `The API of ${title} cannot take a ${target} back. Send \`confirm: true\` to leave the test there.`,
    );
  }
}

function idsOf(candidate: {
  remoteId: string;
  applicationId: string | null;
}): Pick<AtsWrite, 'candidateRemoteId' | 'applicationRemoteId'> {
  return { candidateRemoteId: candidate.remoteId, applicationRemoteId: candidate.applicationId };
}
