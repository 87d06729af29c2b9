import { Injectable } from '@nestjs/common';
import type { SqlRunner } from '../../../base/database/database.js';
import { DomainEvents } from '../../../base/domain-events.js';
import { newId } from '../../../base/ids.js';
import { CandidateRemoved } from '../../../hiring/candidates/candidates.errors.js';
import { CandidateLock } from '../../../hiring/interviews/interviews.repository.js';
import type { InterviewRow } from '../../../hiring/interviews/interview.js';
import {
  InterviewCancelled,
  InterviewMoved,
  InterviewScheduled,
  ScorecardPut,
} from '../../../hiring/interviews/interviews.errors.js';
import { AtsConnectionStore } from '../connections/ats-connections.store.js';
import type { AtsConnection } from '../connections/connection.js';
import { AtsDestinations } from './ats-destinations.js';
import { AtsWritesRepository } from './ats-writes.repository.js';
import { scorecardMarker, type AtsWriteRow } from './write.js';
import { WrittenCandidates } from './written-candidates.js';

/** Above every revision. */
const ALL = 2_147_483_647;

/**
 * Records what the ATS of a candidate is to receive, in the transaction of the fact. The candidate is locked there, so
 * that the writes of a candidate are numbered in the order of their commits: a lane never passes over one.
 */
@Injectable()
export class WriteRecorder {
  constructor(
    private readonly writes: AtsWritesRepository,
    private readonly candidates: WrittenCandidates,
    private readonly connections: AtsConnectionStore,
    private readonly destinations: AtsDestinations,
    private readonly lock: CandidateLock,
    events: DomainEvents,
  ) {
    events.on(InterviewScheduled, ({ tx, tenantId, interview }) => this.scheduled(tx, tenantId, interview));
    events.on(InterviewMoved, ({ tx, tenantId, interview }) => this.linked(tx, tenantId, interview));
    events.on(InterviewCancelled, ({ tx, tenantId, interview }) => this.cancelled(tx, tenantId, interview));
    events.on(ScorecardPut, (put) => this.scored(put));
    events.on(CandidateRemoved, ({ tx, tenantId, candidate, mergedInto }) =>
      mergedInto === null
        ? this.writes.erase(tx, tenantId, candidate.id)
        : this.merged(tx, tenantId, candidate.id, mergedInto),
    );
  }

  private async merged(tx: SqlRunner, tenantId: string, from: string, into: string): Promise<void> {
    await this.lock.take(tx, tenantId, into);
    await this.writes.move(tx, tenantId, from, into);
  }

  private async scheduled(tx: SqlRunner, tenantId: string, interview: InterviewRow): Promise<void> {
    const connection = await this.connectionOf(tx, tenantId, interview);
    if (connection === null || connection.writes.link_target === null || interview.meeting_url === null) return;
    await this.add(tx, connection, interview, {
      kind: 'link',
      action: 'put',
      revision: 1,
      marker: interview.meeting_url,
    });
  }

  /** Another link takes the place of the one that is in the ATS; a link that was taken back is taken back there. */
  private async linked(tx: SqlRunner, tenantId: string, interview: InterviewRow): Promise<void> {
    const { id: interviewId, meeting_url: url } = interview;
    if (url === null) return this.cancelled(tx, tenantId, interview);
    const connection = await this.connectionOf(tx, tenantId, interview);
    if (connection === null || connection.writes.link_target === null) return;
    const of = { connectionId: connection.id, interviewId, kind: 'link' as const };
    const [newest] = await this.writes.revisions(tenantId, of, tx);
    if (newest?.action === 'put' && newest.marker === url) return;
    const revision = (newest?.revision ?? 0) + 1;
    await this.writes.supersede(tx, tenantId, { ...of, before: revision, reason: 'newer_revision' });
    await this.add(tx, connection, interview, { kind: 'link', action: 'put', revision, marker: url });
  }

  /** A link that the ATS has, or may have, is taken back; one that it cannot have is not written. */
  private async cancelled(tx: SqlRunner, tenantId: string, interview: InterviewRow): Promise<void> {
    const connection = await this.connectionOf(tx, tenantId, interview);
    if (connection === null) return;
    const of = { connectionId: connection.id, interviewId: interview.id, kind: 'link' as const };
    await this.writes.supersede(tx, tenantId, { ...of, before: ALL, reason: 'interview_cancelled' });
    const [newest] = await this.writes.revisions(tenantId, of, tx);
    if (newest === undefined || newest.action === 'remove') return;
    if (newest.state !== 'written' && newest.state !== 'waiting') return;
    const { kind, marker } = newest;
    await this.add(tx, connection, interview, { kind, action: 'remove', revision: newest.revision + 1, marker });
  }

  private async scored({ tx, tenantId, interview, scorecard }: ScorecardPut): Promise<void> {
    const connection = await this.connectionOf(tx, tenantId, interview);
    if (connection === null || connection.writes.scorecard_target === null) return;
    const of = { connectionId: connection.id, interviewId: interview.id, kind: 'scorecard' as const };
    const { version: revision } = scorecard;
    await this.writes.supersede(tx, tenantId, { ...of, before: revision, reason: 'newer_revision' });
    const marker = scorecardMarker(interview.id, revision);
    await this.add(tx, connection, interview, { kind: 'scorecard', action: 'put', revision, marker });
  }

  private async add(
    tx: SqlRunner,
    connection: AtsConnection,
    { id: interview_id, candidate_id }: InterviewRow,
    write: Pick<AtsWriteRow, 'kind' | 'action' | 'revision' | 'marker'>,
  ): Promise<void> {
    await this.destinations.demand(tx, connection);
    const row = { id: newId('awr'), connection_id: connection.id, candidate_id, interview_id, ...write };
    await this.writes.add(tx, connection.tenantId, row);
  }

  /** Returns the connection that the candidate came through; null: none that is still connected. */
  private async connectionOf(
    tx: SqlRunner,
    tenantId: string,
    { candidate_id: candidateId }: InterviewRow,
  ): Promise<AtsConnection | null> {
    const id = await this.candidates.connectionOf(tx, tenantId, candidateId);
    if (id === null) return null;
    // The transaction's own connection to the database: a second one could wait for this one.
    const connection = await this.connections.fresh(tenantId, id, tx);
    return connection === undefined || connection.state === 'disconnected' ? null : connection;
  }
}
