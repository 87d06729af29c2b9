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
    // An opening can have the same id in the ATS: its events stay.
    for (const { connection_id, remote_id } of await this.records.erased(tx, tenantId, candidateId)) {
      await tx.query(
        `update ats_events set body = null, headers = null,
           reason = case when state in ('waiting', 'failed') then 'erased' else reason end,
           decided_at = coalesce(decided_at, now()),
           state = case when state in ('waiting', 'failed') then 'no_effect' else state end
         where tenant_id = $1 and connection_id = $2 and kind = 'candidate' and remote_id = $3 and body is not null`,
        [tenantId, connection_id, remote_id],
      );
    }
  }
}
