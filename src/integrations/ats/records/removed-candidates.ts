import { Injectable } from '@nestjs/common';
import { DomainEvents } from '../../../base/domain-events.js';
import { CandidateRemoved } from '../../../hiring/candidates/candidates.errors.js';
import { AtsConnectionStore } from '../connections/ats-connections.store.js';
import { MentionsRepository } from './mentions.repository.js';
import { AtsRecordsRepository } from './records.repository.js';

/** Erases what came in about a candidate, in the transaction that removes it. */
@Injectable()
export class RemovedCandidates {
  constructor(
    private readonly records: AtsRecordsRepository,
    private readonly mentions: MentionsRepository,
    private readonly connections: AtsConnectionStore,
    events: DomainEvents,
  ) {
    events.on(CandidateRemoved, (event) => this.removed(event));
  }

  private async removed({ tx, tenantId, candidate, mergedInto }: CandidateRemoved): Promise<void> {
    const records = await this.records.erased(tx, tenantId, candidate.id);
    for (const { connection_id, remote_id } of records) {
      await this.records.eraseEvents(tx, { tenantId, id: connection_id }, remote_id);
    }
    // The survivor keeps the data of a merged candidate.
    if (mergedInto !== null) return;
    for (const { id } of await this.connections.of(tenantId)) {
      const ids = records.flatMap((record) => (record.connection_id === id ? record.remote_id : []));
      await this.mentions.erase(tx, tenantId, id, candidate.email === '' ? ids : [...ids, candidate.email]);
    }
  }
}
