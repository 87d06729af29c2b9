import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../base/database/database.js';
import { AtsFailure, type AtsApi } from '../api/ats-api.js';
import type { AtsConnection } from '../connections/connection.js';
import type { AtsCandidate, AtsJob } from '../connectors/ats-records.js';
import { NotUnderstood, type Connector } from '../connectors/connector.js';
import type { RecordWrite } from './record.js';
import { AtsRecordWriter } from './ats-record-writer.js';
import { jobItem } from './read-record.js';
import { AtsRecordsRepository } from './records.repository.js';
import { personRefusal } from './selection.rules.js';

/** Where openings are read: null where the connection cannot read. */
export interface Source {
  connector: Connector;
  api: AtsApi | null;
}

/** Brings in the openings that candidates name before the candidates: their titles come from there. */
@Injectable()
export class MissingOpenings {
  constructor(
    private readonly db: Database,
    private readonly records: AtsRecordsRepository,
    private readonly writer: AtsRecordWriter,
  ) {}

  /**
   * Writes the openings of candidates that are not known yet, from the candidates or from the ATS.
   *
   * @param guard runs first in the transaction
   * @throws {AtsFailure} when the ATS does not answer
   */
  async ensure(
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
      await this.writer.writeJobs(tx, connection, items, { ...write, pass: null, forced });
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
