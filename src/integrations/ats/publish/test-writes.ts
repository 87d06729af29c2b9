import { Injectable } from '@nestjs/common';
import { Config } from '../../../base/config/config.js';
import { Database } from '../../../base/database/database.js';
import { Conflict, InvalidFields } from '../../../base/errors/domain-error.js';
import { newId } from '../../../base/ids.js';
import { AuditService } from '../../../tenancy/tenants/audit/audit.service.js';
import type { Caller } from '../../../tenancy/tenants/caller.js';
import { AtsFailure, type AtsApi } from '../api/ats-api.js';
import { AtsApis } from '../calls/ats-apis.js';
import { WrongAtsState } from '../connections/ats.errors.js';
import type { AtsConnection } from '../connections/connection.js';
import type { AtsWrite, Connector, WriteTarget } from '../connectors/connector.js';
import { connectorOf } from '../providers/providers.js';
import { AtsWriters } from './ats-writers.js';
import { AtsWritesService } from './ats-writes.service.js';
import type { TestStepBody, TestWriteBody } from './ats-writes.dto.js';
import { linkText } from './write-text.mapping.js';
import { MARKER_BEGIN } from './write.js';
import { WrittenCandidates } from './written-candidates.js';

/** The test would leave something in the ATS, and the caller has not confirmed it. */
class TestStays extends Conflict {
  constructor(detail: string) {
    super('confirm_needed', detail);
  }
}

/** Writes to one candidate that the caller names, reads it back and takes it back, while the caller waits. */
@Injectable()
export class TestWrites {
  constructor(
    private readonly db: Database,
    private readonly service: AtsWritesService,
    private readonly candidates: WrittenCandidates,
    private readonly writers: AtsWriters,
    private readonly apis: AtsApis,
    private readonly config: Config,
    private readonly audit: AuditService,
  ) {}

  /**
   * Tests where the connection puts scorecards, or else links.
   *
   * @throws {InvalidFields} for a candidate that did not come through the connection
   * @throws {WrongAtsState} where the connection writes nothing, or is disconnected
   * @throws {TestStays} where the test leaves something, and that is not confirmed
   */
  async test(caller: Caller, connectionId: string, candidateId: string, confirm: boolean): Promise<TestWriteBody> {
    const { tenantId, actor, requestId } = caller;
    const connection = await this.service.connection(tenantId, connectionId);
    const connector = connectorOf(connection.provider);
    if (connection.state === 'disconnected' || connector === undefined) {
      throw new WrongAtsState('The connection is disconnected.');
    }
    const target = connection.writes.scorecard_target ?? connection.writes.link_target;
    if (target === null)
      throw new WrongAtsState('The connection writes nothing: neither links nor scorecards have a target.');
    const candidate = await this.candidates.find(connection, candidateId);
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
      this.writers.forget(connection);
      const writer = await this.writers.of(connection, connector, api);
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
