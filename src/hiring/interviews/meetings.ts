import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Config } from '../../base/config/config.js';
import type { SqlRunner } from '../../base/database/database.js';
import { WriteStatement } from '../../base/database/write-statement.js';
import { DomainEvents } from '../../base/domain-events.js';
import { DestinationsRepository } from '../../engine/delivery/destinations/destinations.repository.js';
import { LaneWakeups } from '../../engine/delivery/lane-state.js';
import { enqueueMessages } from '../../engine/delivery/lanes/enqueue.js';
import { eraseRecord } from '../../engine/events/stored-events.js';
import { CandidateRemoved } from '../candidates/candidates.errors.js';
import { ENGINE, engineOf, InstallationEngine, ownEngine } from './installation-engine.js';
import type { InterviewRow, Meeting } from './interview.js';
import { InterviewsRepository } from './interviews.repository.js';
import { ASKED_MEETING, awaitsLink, NO_MEETING, readyMeeting, mayBeAtEngine } from './meeting.rules.js';

/** After this wait the answer has no link; the link follows. */
const PATIENCE_MS = 3_000;
const LOOK_MS = 50;

/**
 * Decides where the link of an interview comes from, and notes what the engine has to learn. When a candidate is
 * erased, its interviews and their data in events are removed in the same transaction. When it is merged, they move to
 * the surviving candidate.
 */
@Injectable()
export class Meetings {
  constructor(
    private readonly destinations: DestinationsRepository,
    private readonly interviews: InterviewsRepository,
    private readonly wakeups: LaneWakeups,
    private readonly config: Config,
    private readonly installation: InstallationEngine,
    domainEvents: DomainEvents,
  ) {
    domainEvents.on(CandidateRemoved, (removed) =>
      removed.mergedInto === null ? this.erase(removed) : this.move(removed, removed.mergedInto),
    );
  }

  /** Returns the meeting of a new interview, or of an interview without a link that has a new plan. */
  async planned(tx: SqlRunner, tenantId: string, id: string, sent: string | null): Promise<Meeting> {
    if (sent !== null) return readyMeeting(sent, 'caller');
    if (await this.hasEngine(tx, tenantId)) return ASKED_MEETING;
    return this.config.production ? NO_MEETING : readyMeeting(this.sandboxUrl(tenantId, id), 'sandbox');
  }

  /** Notes that the engine has to learn of an interview, in the transaction that has locked it or its candidate. */
  async tell(tx: SqlRunner, tenantId: string, id: string): Promise<void> {
    const statement = new WriteStatement().subject(
      (p) =>
        `select ${p.add(tenantId, 'text')} as tenant_id, ${p.add(id, 'text')} as id, nextval('change_sequence') as sequence, now() as created_at`,
    );
    const messages = { part: { name: 'subject' }, id: 'm.id', record: 'm.id', at: 'm.created_at' };
    enqueueMessages(statement, { tenantId, channel: ENGINE }, [{ id: engineOf(tenantId).id, ordered: true }], messages);
    await statement.run(tx);
  }

  /** Ends the waiting for an engine that was removed, unless the engine of the installation replaces it. */
  async engineRemoved(tx: SqlRunner, tenantId: string): Promise<void> {
    if (!(await this.hasEngine(tx, tenantId))) await this.interviews.endWaiting(tx, tenantId);
  }

  /** Calls the engine, after the commit. */
  wake(tenantId: string): void {
    this.wakeups.wake(engineOf(tenantId));
  }

  /** Returns the interview once its link is there or refused, at the latest after `PATIENCE_MS`. */
  async settled(tenantId: string, row: InterviewRow): Promise<InterviewRow> {
    const until = performance.now() + PATIENCE_MS;
    let seen = row;
    while (awaitsLink(seen) && performance.now() < until) {
      await sleep(LOOK_MS);
      seen = (await this.interviews.one(tenantId, row.id)) ?? seen;
    }
    return seen;
  }

  private async hasEngine(tx: SqlRunner, tenantId: string): Promise<boolean> {
    const known = await this.destinations.read(engineOf(tenantId), tx);
    if (ownEngine(known) !== null) return true;
    await this.installation.demandDestination(tx, tenantId, known);
    return this.installation.connection !== null;
  }

  private sandboxUrl(tenantId: string, id: string): string {
    return `${this.config.baseUrl}/i/${tenantId}/${id}`;
  }

  private async erase({ tx, tenantId, candidate }: CandidateRemoved): Promise<void> {
    for (const { id, ...meeting } of await this.interviews.removeOf(tx, tenantId, candidate.id)) {
      await eraseRecord(tx, tenantId, id, { id });
      if (mayBeAtEngine(meeting)) await this.tell(tx, tenantId, id);
    }
  }

  private async move({ tx, tenantId, candidate }: CandidateRemoved, into: string): Promise<void> {
    await this.interviews.lockCandidate(tx, tenantId, into);
    await this.interviews.move(tx, tenantId, candidate.id, into, new Date());
  }
}
