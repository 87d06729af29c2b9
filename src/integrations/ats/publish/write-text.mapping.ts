import type { Criterion, ScorecardRow } from '../../../hiring/interviews/interview.js';
import type { WriteTarget } from '../connectors/connector.js';
import { cutTo } from '../../../base/characters.js';
import { MARKER_BEGIN } from './write.js';

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
