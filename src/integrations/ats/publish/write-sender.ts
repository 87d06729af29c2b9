import { Injectable } from '@nestjs/common';
import type { SqlRunner } from '../../../base/database/database.js';
import { DomainEvents } from '../../../base/domain-events.js';
import { newId } from '../../../base/ids.js';
import { CandidateRemoved } from '../../../hiring/candidates/candidates.errors.js';
import type { InterviewRow } from '../../../hiring/interviews/interview.js';
import {
  InterviewCancelled,
  InterviewMoved,
  InterviewScheduled,
  ScorecardPut,
} from '../../../hiring/interviews/interviews.errors.js';
import { InterviewsRepository } from '../../../hiring/interviews/interviews.repository.js';
import { type AtsFailureKind, AtsFailure, type AtsApi } from '../api/ats-api.js';
import { AtsApis } from '../calls/ats-apis.js';
import { AtsCallOptions } from '../calls/connection-api.js';
import { AtsConnectionStore } from '../connections/ats-connections.store.js';
import { type AtsProblem, AtsStates } from '../connections/ats-states.js';
import type { AtsConnection } from '../connections/connection.js';
import type { AtsWrite, Connector } from '../connectors/connector.js';
import { connectorOf } from '../providers/providers.js';
import { AtsPublish } from './ats-publish.js';
import { AtsWritesRepository, type WriteEnd } from './ats-writes.repository.js';
import { WritePlanner } from './write-planner.js';
import { GONE, type AtsWriteRow, scorecardMarker } from './write.js';

type FailureVerdict =
  /** It is tried again, without end. `problem`: that of the connection. */
  { kind: 'wait'; problem: AtsProblem | null; retryAfterMs: number | null } | { kind: 'gone' } | { kind: 'fail' };

/** Repetitions after undocumented answers. The page of a proxy does not come from the ATS, and ends some time. */
const MOST_MALFORMED = 8;
const OF_A_PROXY = 'not_json';

/** No connection was made, or the ATS has answered: the call cannot take effect later. */
const OVER = /^(status_|rate_limited$|dns$|refused$|blocked$|unknown_)/;

export function mayComeLate({ kind, reason }: { kind: AtsFailureKind; reason: string }): boolean {
  return kind === 'away' && !OVER.test(reason);
}

export function writeAfterFailure(
  { kind, reason, retryAfterMs }: { kind: AtsFailureKind; reason: string; retryAfterMs: number | null },
  {
    attempts,
    provedSince,
  }: {
    attempts: number;
    /** Since the first try of this write the ATS has taken another one: the permission is there. */
    provedSince: boolean;
  },
): FailureVerdict {
  switch (kind) {
    case 'away':
      return { kind: 'wait', problem: null, retryAfterMs };
    case 'refused':
      return { kind: 'wait', problem: 'grant', retryAfterMs };
    case 'forbidden':
      return provedSince ? { kind: 'fail' } : { kind: 'wait', problem: 'writes', retryAfterMs };
    case 'malformed':
      return attempts >= MOST_MALFORMED && reason !== OF_A_PROXY
        ? { kind: 'fail' }
        : { kind: 'wait', problem: null, retryAfterMs: null };
    case 'not_found':
      return { kind: 'gone' };
    case 'rejected':
      return { kind: 'fail' };
  }
}

export type AtsWriteResult =
  /** The write is in the ATS, or never will be. */
  | { kind: 'ended'; end: WriteEnd }
  /** It is tried again. `ours`: the failure is not the ATS's. */
  | { kind: 'wait'; reason: string; detail: string | null; retryAfterMs: number | null; ours?: boolean };

interface WriteTurn {
  /** Failures in a row before this try. */
  failures: number;
  lastSuccessAt: Date | null;
}

/** Beside the bounds of a call: a slow ATS may finish a call that was given up. */
const SLACK_MS = 5_000;
/** Look-ups of a write that the ATS took and does not show. */
const MOST_LOOKS = 5;

interface Job {
  connection: AtsConnection;
  connector: Connector;
  api: AtsApi;
  write: AtsWriteRow;
  request: AtsWrite;
  turn: WriteTurn;
}

const BUSY: AtsWriteResult = {
  kind: 'wait',
  reason: 'busy',
  detail: 'Another process makes this write.',
  retryAfterMs: 1_000,
  ours: true,
};

function wordOf({ kind, reason }: AtsFailure): string {
  return kind === 'away' || kind === 'malformed' ? reason : kind;
}

function waiting(reason: string): AtsWriteResult {
  return { kind: 'wait', reason, detail: null, retryAfterMs: null };
}

/** Where the ATS has no ids, its answer is the text: no personal data is kept of it. */
function refOf(ref: string, { text, target, marker }: AtsWrite): string {
  return target !== 'link' && (ref === text || ref.includes(marker)) ? marker : ref;
}

/** Above every revision. */
const ALL = 2_147_483_647;

/**
 * Writes to an ATS so that nothing is there twice. The beginning of the call that takes effect is committed first; the
 * next try after a crash or a lost answer looks for the marker. Two processes never make that call at the same time,
 * even after a lost lease: the row of the write admits one.
 *
 * Writes are recorded in the transaction of the fact, which has locked the candidate. So the writes of a candidate are
 * numbered in the order of their commits, and a lane never skips one.
 */
@Injectable()
export class WriteSender {
  constructor(
    private readonly planner: WritePlanner,
    private readonly writes: AtsWritesRepository,
    private readonly publish: AtsPublish,
    private readonly states: AtsStates,
    private readonly apis: AtsApis,
    private readonly options: AtsCallOptions,
    private readonly connections: AtsConnectionStore,
    private readonly interviews: InterviewsRepository,
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

  async send(connection: AtsConnection, write: AtsWriteRow, turn: WriteTurn): Promise<AtsWriteResult> {
    const connector = connectorOf(connection.provider);
    if (connector === undefined) return waiting('unknown_provider');
    if (connection.state === 'disconnected')
      return this.end(write, connection, { state: 'left', reason: 'disconnected' });
    if (connection.paused) return waiting('paused');
    if (connection.state === 'reconnect_needed') return waiting('reconnect_needed');
    const planned = await this.planner.plan(connection, connector, write);
    if (planned.kind === 'end') return this.end(write, connection, planned.end);
    try {
      const api = this.apis.of(connection);
      const writer = await this.publish.writerOf(connection, connector, api);
      if ('missing' in writer) return await this.withoutWriter(connection, writer.missing);
      const request = { ...planned.request, asUser: writer.id };
      return await this.performAs({ connection, connector, api, write, request, turn }, planned.outdated);
    } catch (error) {
      if (!(error instanceof AtsFailure)) throw error;
      return this.failed({ connection, write, turn }, error);
    }
  }

  /** A refusal can be that of the user, who was active a moment before: then the write is not at fault, and waits. */
  private async performAs(job: Job, outdated: boolean): Promise<AtsWriteResult> {
    try {
      return await this.perform(job, outdated);
    } catch (error) {
      const isRefusal = error instanceof AtsFailure && (error.kind === 'rejected' || error.kind === 'forbidden');
      if (!isRefusal || !job.connector.writes.needsUser) throw error;
      const { connection, connector, api } = job;
      this.publish.forgetWriter(connection);
      const writer = await this.publish.writerOf(connection, connector, api);
      if (!('missing' in writer)) throw error;
      return this.withoutWriter(connection, writer.missing);
    }
  }

  private async withoutWriter(
    connection: AtsConnection,
    missing: 'no_writer' | 'writer_gone',
  ): Promise<AtsWriteResult> {
    await this.states.problem(connection, 'writer', missing);
    return waiting(missing);
  }

  /** Repeats the write for the survivor, where the ATS has merged the candidate. */
  private async perform(job: Job, outdated: boolean): Promise<AtsWriteResult> {
    try {
      return await this.attempt(job, outdated);
    } catch (error) {
      if (!(error instanceof AtsFailure) || error.kind !== 'not_found') throw error;
      const { connection, connector, api, request, write } = job;
      // The answer can be about the field or the user.
      if ((await connector.candidate(api, request.candidateRemoteId)) !== null) {
        throw new AtsFailure('rejected', 'not_found', error.message);
      }
      const survivor = await this.writes.survivorOf(connection, request.candidateRemoteId);
      const now = await this.writes.one(connection.tenantId, connection.id, write.id);
      if (survivor === null || now === undefined) throw error;
      const again = { ...request, candidateRemoteId: survivor, applicationRemoteId: null };
      return this.attempt({ ...job, write: now, request: again }, outdated);
    }
  }

  private async attempt(job: Job, outdated: boolean): Promise<AtsWriteResult> {
    const { connection, connector, api, write, request, turn } = job;
    if (write.action === 'remove') return this.takeBack(job);
    if (write.attempts > 0) {
      const found = await connector.writes.find(api, request);
      if (found !== null) return this.written(job, found);
      if (write.remote_ref !== null) {
        if (turn.failures < MOST_LOOKS) return waiting('not_read_back');
        const detail = `${connector.title} took the write, and does not show it.`;
        return this.end(write, connection, { state: 'failed', reason: 'not_read_back', detail });
      }
    }
    if (outdated) return this.end(write, connection, { state: 'superseded', reason: 'newer_revision' });
    if (!(await this.begin(job))) return BUSY;
    const ref = await this.fenced(job, () => connector.writes.write(api, request));
    await this.writes.keepRef(connection.tenantId, write.id, refOf(ref, request));
    if ((await connector.writes.find(api, request)) === null) return waiting('not_read_back');
    return this.written(job, ref);
  }

  private async takeBack(job: Job): Promise<AtsWriteResult> {
    const { connection, connector, api, write, request } = job;
    const found = await connector.writes.find(api, request);
    if (found === null) return this.written(job, null);
    if (!(await this.begin(job))) return BUSY;
    if (await this.fenced(job, () => connector.writes.undo(api, request, found))) return this.written(job, null);
    const detail = `The API of ${connector.title} cannot take a ${request.target} back.`;
    return this.end(write, connection, { state: 'left', reason: 'cannot_take_back', detail });
  }

  private begin({ connection, write, request }: Job): Promise<boolean> {
    const { maxWaitMs, timeoutMs } = this.options;
    return this.writes.begin(connection.tenantId, write, request.target, maxWaitMs + timeoutMs + SLACK_MS);
  }

  /** Makes the call that takes effect. After a permanent failure the next try need not wait for its end. */
  private async fenced<T>({ connection, write }: Job, call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      if (error instanceof AtsFailure && !mayComeLate(error)) await this.writes.release(connection.tenantId, write.id);
      throw error;
    }
  }

  private async written({ connection, write, request }: Job, ref: string | null): Promise<AtsWriteResult> {
    if (connection.state === 'degraded') {
      await this.states.solved(connection, 'writer');
      await this.states.solved(connection, 'writes');
    }
    return this.end(write, connection, { state: 'written', remoteRef: ref === null ? null : refOf(ref, request) });
  }

  private async failed(
    { connection, write, turn }: Pick<Job, 'connection' | 'write' | 'turn'>,
    failure: AtsFailure,
  ): Promise<AtsWriteResult> {
    const provedSince =
      write.attempted_at !== null && turn.lastSuccessAt !== null && turn.lastSuccessAt > write.attempted_at;
    const verdict = writeAfterFailure(failure, { attempts: write.attempts, provedSince });
    const { reason, message: detail } = failure;
    switch (verdict.kind) {
      case 'wait':
        if (verdict.problem !== null) await this.states.problem(connection, verdict.problem, reason);
        return { kind: 'wait', reason: wordOf(failure), detail, retryAfterMs: verdict.retryAfterMs };
      case 'gone':
        return this.end(write, connection, { state: 'failed', reason: GONE, detail });
      case 'fail':
        return this.end(write, connection, { state: 'failed', reason, detail });
    }
  }

  private async end({ id }: AtsWriteRow, { tenantId }: AtsConnection, end: WriteEnd): Promise<AtsWriteResult> {
    await this.writes.end(tenantId, id, end);
    return { kind: 'ended', end };
  }

  private async merged(tx: SqlRunner, tenantId: string, from: string, into: string): Promise<void> {
    await this.interviews.lockCandidate(tx, tenantId, into);
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

  /** Another link replaces the one in the ATS; a removed link is removed there. */
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

  /** A link that the ATS has, or may have, is removed; one that it cannot have is not written. */
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
    await this.publish.demandDestination(tx, connection);
    const row = { id: newId('awr'), connection_id: connection.id, candidate_id, interview_id, ...write };
    await this.writes.add(tx, connection.tenantId, row);
  }

  /** Returns the connection that the candidate came through; null when it is not connected. */
  private async connectionOf(
    tx: SqlRunner,
    tenantId: string,
    { candidate_id: candidateId }: InterviewRow,
  ): Promise<AtsConnection | null> {
    const id = await this.writes.connectionOfCandidate(tx, tenantId, candidateId);
    if (id === null) return null;
    // The transaction's own connection to the database: a second one could wait for this one.
    const connection = await this.connections.fresh(tenantId, id, tx);
    return connection === undefined || connection.state === 'disconnected' ? null : connection;
  }
}
