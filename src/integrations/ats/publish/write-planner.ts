import { Injectable } from '@nestjs/common';
import { cutTo } from '../../../base/characters.js';
import type { Criterion, ScorecardRow } from '../../../hiring/interviews/interview.js';
import { InterviewsRepository } from '../../../hiring/interviews/interviews.repository.js';
import type { AtsConnection } from '../connections/connection.js';
import type { WriteTarget, AtsWrite, Connector } from '../connectors/connector.js';
import { AtsWritesRepository, type WriteEnd } from './ats-writes.repository.js';
import { MARKER_BEGIN, markerOf, type AtsWriteRow, type WriteKind } from './write.js';

/** Vendors bound notes; the shortest known bound is 10 000 characters (SmartRecruiters). */
const MOST = 9_000;

interface TextParts {
  marker: string;
  /** The last revision in the ATS, or null. */
  replaces: number | null;
}

/** Returns the text of a scorecard for readers in the ATS. The marker is the last line, and is never cut. */
export function scorecardText({ version, content }: ScorecardRow, { marker, replaces }: TextParts): string {
  const { overall, recommendation, summary, criteria, link } = content;
  const head = [
    `Interview scorecard, revision ${version}`,
    ...(replaces === null ? [] : [`Replaces revision ${replaces} of this scorecard.`]),
    ...(recommendation === null ? [] : [`Recommendation: ${unmarked(recommendation)}`]),
    ...(overall === null ? [] : [`Overall: ${overall}`]),
  ];
  const body = [
    ...(summary === null ? [] : ['', summary]),
    ...(criteria.length === 0 ? [] : ['', ...criteria.map(lineOf)]),
  ];
  const foot = [...(link === null ? [] : ['', `Full scorecard: ${link}`]), '', marker];
  const room = MOST - [...head, ...foot].join('\n').length;
  const text = unmarked(body.join('\n'));
  const shown = text.length <= room ? text : `${cutTo(text, Math.max(room, 0))} …`;
  return [...head, ...(shown === '' ? [] : [shown]), ...foot].join('\n');
}

/** As a link or field the text is the address alone; a note ends with its marker. */
export function linkText(target: WriteTarget, url: string, marker: string): string {
  return target === 'note' ? `Interview: ${url}\n\n${marker}` : url;
}

/** A text that quotes the marker of another note would be taken for that note. */
function unmarked(text: string): string {
  return text.replaceAll(MARKER_BEGIN, `(${MARKER_BEGIN.slice(1)}`);
}

function lineOf({ name, score, scale, evidence }: Criterion): string {
  const rated = score === null ? '' : `: ${score}${scale === null ? '' : ` (${scale.min} to ${scale.max})`}`;
  return `- ${name}${rated}${evidence === null ? '' : `. ${evidence}`}`;
}

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
