import { Injectable } from '@nestjs/common';
import type { SqlRunner } from '../../../base/database/database.js';
import type { AtsConnection } from '../connections/connection.js';
import { CandidateRecords } from './candidate-records.js';
import { JobRecords } from './job-records.js';
import type { RecordItem, RecordResult, RecordWrite } from './record.js';

/**
 * The one writer of records of ATSs, for polls and events. It drops what is older than what was taken, and takes what the
 * connection's selection lets in; what was taken and leaves the selection stays, and is kept up to date.
 */
@Injectable()
export class AtsRecordWriter {
  constructor(
    private readonly jobs: JobRecords,
    private readonly candidates: CandidateRecords,
  ) {}

  /**
   * Writes openings in the transaction. A transaction writes either openings or candidates: both take the locks of titles
   * first.
   *
   * @param items each record at most once
   */
  writeJobs(
    tx: SqlRunner,
    connection: AtsConnection,
    items: readonly RecordItem[],
    write: RecordWrite,
  ): Promise<RecordResult[]> {
    return this.jobs.write(tx, connection, items, write);
  }

  /** The same for candidates. Their openings are written before. */
  writeCandidates(
    tx: SqlRunner,
    connection: AtsConnection,
    items: readonly RecordItem[],
    write: RecordWrite,
  ): Promise<RecordResult[]> {
    return this.candidates.write(tx, connection, items, write);
  }

  /** After the commit: wakes the delivery of the events. */
  wake(tenantId: string): void {
    this.candidates.wake(tenantId);
  }
}
