import { Injectable } from '@nestjs/common';
import { InterviewsRepository } from '../../../hiring/interviews/interviews.repository.js';
import type { AtsConnection } from '../connections/connection.js';
import type { AtsWrite, Connector, WriteTarget } from '../connectors/connector.js';
import { AtsWritesRepository, type WriteEnd } from './ats-writes.repository.js';
import { linkText, scorecardText } from './write-text.mapping.js';
import { markerOf, type AtsWriteRow, type WriteKind } from './write.js';

type PlannedWrite =
  { kind: 'call'; request: Omit<AtsWrite, 'asUser'>; outdated: boolean } | { kind: 'end'; end: WriteEnd };

/** Makes the text of a write from stored data when it is sent, so that an erased record is stored nowhere else. */
@Injectable()
export class WritePlanner {
  constructor(
    private readonly writes: AtsWritesRepository,
    private readonly interviews: InterviewsRepository,
  ) {}

  async plan(connection: AtsConnection, connector: Connector, write: AtsWriteRow): Promise<PlannedWrite> {
    const { tenantId, writes: settings } = connection;
    const candidate = await this.writes.findWritten(connection, write.candidate_id);
    if (candidate === null) return left('not_managed');
    // A write that may be in the ATS is looked for where it was put.
    const target = write.attempts > 0 && write.target !== null ? write.target : targetOf(connection, write.kind);
    if (target === null) return left('no_target');
    if (!connector.writes.targets.includes(target)) {
      const detail = `${connector.title} takes no ${write.kind} as ${target}.`;
      return { kind: 'end', end: { state: 'failed', reason: 'target_not_supported', detail } };
    }
    const of = { connectionId: connection.id, interviewId: write.interview_id, kind: write.kind };
    const revisions = await this.writes.revisions(tenantId, of);
    const previous = revisions.find(({ revision, state }) => revision < write.revision && state === 'written');
    const marker = markerOf(write, target);
    const text = await this.textOf(tenantId, write, { target, marker, replaces: previous?.revision ?? null });
    if (text === null) return left('no_scorecard');
    const request = {
      target,
      candidateRemoteId: candidate.remoteId,
      applicationRemoteId: candidate.applicationId,
      text,
      marker,
      visibility: settings.visibility,
      field: write.kind === 'link' ? settings.link_field : settings.scorecard_field,
      replaces: target === 'link' && write.action === 'put' ? (previous?.remote_ref ?? null) : null,
    };
    return { kind: 'call', request, outdated: revisions[0]!.revision > write.revision };
  }

  private async textOf(
    tenantId: string,
    { kind, interview_id, revision, marker: url }: AtsWriteRow,
    { target, marker, replaces }: { target: WriteTarget; marker: string; replaces: number | null },
  ): Promise<string | null> {
    if (kind === 'link') return linkText(target, url, marker);
    const scorecard = await this.interviews.scorecard(tenantId, interview_id, revision);
    return scorecard === undefined ? null : scorecardText(scorecard, { marker, replaces });
  }
}

function targetOf({ writes }: AtsConnection, kind: WriteKind): WriteTarget | null {
  return kind === 'link' ? writes.link_target : writes.scorecard_target;
}

function left(reason: string): PlannedWrite {
  return { kind: 'end', end: { state: 'left', reason } };
}
