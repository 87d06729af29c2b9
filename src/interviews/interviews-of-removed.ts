import { Injectable } from '@nestjs/common';
import { DomainEvents } from '../base/domain-events.js';
import { CandidateRemoved } from '../candidates/candidates.events.js';
import { eraseRecord } from '../events/erase-record.js';
import { CandidateLock } from './candidate-lock.js';
import { InterviewsRepository } from './interviews.repository.js';

/**
 * Follows the removal of candidates, in its transaction: the interviews of an erased candidate are removed, and what
 * events say of them; those of a merged one move to the candidate that it was merged into.
 */
@Injectable()
export class InterviewsOfRemoved {
  constructor(
    private readonly repository: InterviewsRepository,
    private readonly lock: CandidateLock,
    domainEvents: DomainEvents,
  ) {
    domainEvents.on(CandidateRemoved, (removed) =>
      removed.mergedInto === null ? this.erase(removed) : this.move(removed, removed.mergedInto),
    );
  }

  private async erase({ tx, tenantId, candidate }: CandidateRemoved): Promise<void> {
    const ids = await this.repository.removeOf(tx, tenantId, candidate.id);
    for (const id of ids) await eraseRecord(tx, tenantId, id, { id });
  }

  private async move({ tx, tenantId, candidate }: CandidateRemoved, into: string): Promise<void> {
    await this.lock.take(tx, tenantId, into);
    await this.repository.move(tx, tenantId, candidate.id, into, new Date());
  }
}
