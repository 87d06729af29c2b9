import { Injectable } from '@nestjs/common';
import type { SqlRunner } from '../../base/database/database.js';
import { DomainEvents } from '../../base/domain-events.js';
import { CandidateRemoved } from '../../candidates/candidates.events.js';
import { AtsRecordsRepository } from './records.repository.js';

/** Erases what came in about a candidate, in the transaction that removes it. */
@Injectable()
export class RemovedCandidates {
  constructor(
    private readonly records: AtsRecordsRepository,
    events: DomainEvents,
  ) {
    events.on(CandidateRemoved, ({ tx, tenantId, candidate }) => this.removed(tx, tenantId, candidate.id));
  }

  private async removed(tx: SqlRunner, tenantId: string, candidateId: string): Promise<void> {
    for (const { connection_id, remote_id } of await this.records.erased(tx, tenantId, candidateId)) {
      await this.records.eraseEvents(tx, { tenantId, id: connection_id }, remote_id);
    }
  }
}
