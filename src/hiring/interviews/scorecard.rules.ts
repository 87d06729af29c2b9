import type { FieldError } from '../../base/errors/domain-error.js';
import type { ScorecardContent, ScorecardRow } from './interview.js';

/** The most bytes of a scorecard, as JSON in UTF-8. */
const MOST_BYTES = 64 * 1024;

/** Returns what is wrong with a scorecard whose fields are right one by one. */
export function scorecardProblems(content: ScorecardContent): FieldError[] {
  const { overall, recommendation, summary, criteria } = content;
  if (overall === null && recommendation === null && summary === null && criteria.length === 0) {
    return [{ field: 'overall', message: 'is required where the scorecard says nothing else' }];
  }
  const problems = criteria.flatMap(({ score, scale }, i): FieldError[] => {
    if (scale !== null && scale.min >= scale.max) {
      return [{ field: `criteria.${i}.scale.max`, message: 'must be above min' }];
    }
    if (score === null) return [];
    if (scale === null) return [{ field: `criteria.${i}.scale`, message: 'is required with a score' }];
    if (score >= scale.min && score <= scale.max) return [];
    return [{ field: `criteria.${i}.score`, message: `must be from ${scale.min} to ${scale.max}` }];
  });
  const bytes = Buffer.byteLength(JSON.stringify(content));
  if (bytes <= MOST_BYTES) return problems;
  return [
    ...problems,
    { field: 'criteria', message: `the scorecard must have at most ${MOST_BYTES} bytes, and has ${bytes}` },
  ];
}

/** What a scorecard that arrives comes to. */
export type ScorecardVerdict =
  | { kind: 'same' }
  | { kind: 'new'; version: number }
  /** The version that was named is not the next one. */
  | { kind: 'conflict'; next: number };

/**
 * Decides which version a scorecard is. One that is the same as the newest is no new version: the engine sends again what
 * was not answered.
 *
 * @param version the one that the caller names, if any
 */
export function versionOf(
  content: ScorecardContent,
  version: number | null,
  newest: Pick<ScorecardRow, 'version' | 'content'> | undefined,
): ScorecardVerdict {
  const next = (newest?.version ?? 0) + 1;
  const same = newest !== undefined && JSON.stringify(newest.content) === JSON.stringify(content);
  if (same && (version === null || version === newest.version)) return { kind: 'same' };
  return version === null || version === next ? { kind: 'new', version: next } : { kind: 'conflict', next };
}
