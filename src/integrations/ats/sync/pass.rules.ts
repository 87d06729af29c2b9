import { LEFT_OUT_WORDS, type LeftOutReason, type RecordResult } from '../records/record.js';
import {
  PHASES,
  type CursorWatch,
  type LeftOut,
  type Pass,
  type PassCounts,
  type PassReason,
  type Phase,
} from './pass.js';

/** The most rows left out of a pass that are kept by name. */
const MOST_LEFT_OUT = 100;

const NOT_TAKEN: ReadonlySet<string> = new Set<LeftOutReason>([
  'no_open_job',
  'not_active',
  'other_stage',
  'before_since',
  'job_not_open',
]);

/** Reasons that need no admin: they are neither counted nor listed. */
const ORDINARY: ReadonlySet<string> = new Set<LeftOutReason>(['older', 'gone', 'merged', 'erased', 'unknown']);

/** A list that always names another page ends there. The longest page of a vendor has 500 rows, the shortest 50. */
const MOST_PAGES = { empty: 1_000, all: 100_000 };
const NEW_WATCH: CursorWatch = { mark: null, steps: 0, power: 1, pages: 0, empty: 0 };

const NO_COUNTS: PassCounts = { read: 0, created: 0, updated: 0, closed: 0, deleted: 0, not_taken: 0, left_out: 0 };

export function newPass(
  runId: string,
  begin: { reason: PassReason; isFirst: boolean; isFull: boolean },
  at: Date,
): Pass {
  const startedAt = at.toISOString();
  return {
    runId,
    ...begin,
    startedAt,
    phase: 'jobs',
    phaseAt: startedAt,
    cursor: null,
    watch: NEW_WATCH,
    counts: { ...NO_COUNTS },
    leftOut: [],
  };
}

/** Returns the pass at the beginning of its next phase; null when it is over. Full passes look for absent records. */
export function nextPhase(pass: Pass, at: Date): Pass | null {
  const phase: Phase | undefined = PHASES[PHASES.indexOf(pass.phase) + 1];
  const isOver = phase === undefined || (phase.startsWith('absent') && (!pass.isFull || pass.isFirst));
  if (isOver) return null;
  return { ...pass, phase, phaseAt: at.toISOString(), cursor: null, watch: NEW_WATCH };
}

/** Returns the watch after a page of `rows`, unreadable ones included; or in words why the list is given up. */
export function watched(watch: CursorWatch, cursor: string, rows: number): CursorWatch | string {
  const { mark, steps, power } = watch;
  if (cursor === mark) return 'names the same next page again';
  const [pages, empty] = [watch.pages + 1, rows === 0 ? watch.empty + 1 : 0];
  if (empty >= MOST_PAGES.empty) return `has ${MOST_PAGES.empty} pages in a row without a row, and names one more`;
  if (pages >= MOST_PAGES.all) return `has more than ${MOST_PAGES.all} pages`;
  return steps + 1 >= power
    ? { mark: cursor, steps: 0, power: 2 * power, pages, empty }
    : { mark, steps: steps + 1, power, pages, empty };
}

export function counted(
  pass: Pass,
  read: number,
  results: readonly RecordResult[],
  unreadable: readonly LeftOut[] = [],
): Pass {
  const counts = { ...pass.counts, read: pass.counts.read + read };
  const leftOut = [...unreadable];
  for (const { outcome, reason, remoteId } of results) {
    if (outcome === 'created' || outcome === 'updated' || outcome === 'closed') counts[outcome]++;
    else if (outcome === 'deleted' || outcome === 'merged') counts.deleted++;
    if (reason === null || ORDINARY.has(reason)) continue;
    if (NOT_TAKEN.has(reason)) counts.not_taken++;
    else leftOut.push({ remote_id: remoteId, reason: LEFT_OUT_WORDS[reason] });
  }
  counts.left_out += leftOut.length;
  return { ...pass, counts, leftOut: [...pass.leftOut, ...leftOut].slice(0, MOST_LEFT_OUT) };
}
