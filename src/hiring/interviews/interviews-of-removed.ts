import { Injectable } from '@nestjs/common';
import { DomainEvents } from '../../base/domain-events.js';
import { CandidateRemoved } from '../candidates/candidates.events.js';
import { eraseRecord } from '../../engine/events/stored-events.js';
import { CandidateLock } from './candidate-lock.js';
import { Meetings } from './meetings.js';
import { mayBeAtEngine } from './meeting.rules.js';
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
    private readonly meetings: Meetings,
    domainEvents: DomainEvents,
  ) {
    domainEvents.on(CandidateRemoved, (removed) =>
      removed.mergedInto === null ? this.erase(removed) : this.move(removed, removed.mergedInto),
    );
  }

  private async erase({ tx, tenantId, candidate }: CandidateRemoved): Promise<void> {
    for (const { id, ...meeting } of await this.repository.removeOf(tx, tenantId, candidate.id)) {
      await eraseRecord(tx, tenantId, id, { id });
      if (mayBeAtEngine(meeting)) await this.meetings.tell(tx, tenantId, id);
    }
  }

  private async move({ tx, tenantId, candidate }: CandidateRemoved, into: string): Promise<void> {
    await this.lock.take(tx, tenantId, into);
    await this.repository.move(tx, tenantId, candidate.id, into, new Date());
  }
}
