import { tidy } from '../../base/http/fields.js';
import type { RecordIds } from '../../engine/events/catalogue.js';
import { type RecordedFact, thinIfLarge } from '../../engine/events/event-recorder.js';
import { foldCase } from '../../protocols/scim/text.js';
import type { CandidateRow } from './candidate.js';

/** Candidates are found by this form of an e-mail. */
export function candidateEmailKey(email: string): string {
  return foldCase(tidy(email));
}

export function candidateText(row: CandidateRow): string {
  return `${members(row)}}`;
}

/** @param backfill the event is marked: a first import brought the candidate */
export function writtenFact(
  event: 'candidate.created' | 'candidate.updated',
  row: CandidateRow,
  { backfill = false } = {},
): RecordedFact {
  const mark = backfill ? ',"backfill":true' : '';
  const data = `${members(row)}${mark},"sequence":${row.sequence}}`;
  return { event, record: row.id, data: thinIfLarge(event, data, idsOf(row)) };
}

export function deletedFact(row: CandidateRow): RecordedFact {
  const event = 'candidate.deleted';
  return { event, record: row.id, data: JSON.stringify(idsOf({ ...row, sequence: row.sequence + 1 })) };
}

function idsOf({ id, external_id, sequence }: CandidateRow): RecordIds {
  return { id, external_id, sequence };
}

// The first seven in the order that the events of candidates are documented with.
function members(row: CandidateRow): string {
  const text = JSON.stringify;
  return (
    `{"id":${text(row.id)},"email":${text(row.email)},"first_name":${text(row.first_name)},` +
    `"last_name":${text(row.last_name)},"external_id":${text(row.external_id)},"job_title":${text(row.job_title)},` +
    `"metadata":${row.metadata},"stage":${text(row.stage)},"ats_status":${text(row.ats_status)},` +
    `"created_at":"${row.created_at.toISOString()}","updated_at":"${row.updated_at.toISOString()}"`
  );
}

/** A column of a candidate; `value` where the row has no member of that name. */
interface Column {
  readonly name: string;
  readonly type: 'text' | 'boolean' | 'json' | 'int' | 'timestamptz';
  readonly valueOf: (row: CandidateRow) => unknown;
}

const column = (name: keyof CandidateRow, type: Column['type'] = 'text'): Column => ({
  name,
  type,
  valueOf: (row) => row[name],
});

export const WRITTEN: readonly Column[] = [
  column('external_id'),
  column('email'),
  { name: 'email_key', type: 'text', valueOf: ({ email }) => candidateEmailKey(email) },
  column('first_name'),
  column('last_name'),
  column('job_title'),
  column('job_title_set', 'boolean'),
  column('metadata', 'json'),
  column('job_opening_id'),
  column('ats_priority'),
  column('sequence', 'int'),
  column('created_at', 'timestamptz'),
  column('updated_at', 'timestamptz'),
];

/** A control character that no key has. */
export const BETWEEN_KEYS = '\u001f';

/** The columns that only the sync of an ATS sets. Keys are text that is split: arrays of arrays would be flattened. */
export const SYNCED: readonly Column[] = [
  column('ats_connection_id'),
  { name: 'ats_keys', type: 'text', valueOf: ({ ats_keys: keys }) => keys?.join(BETWEEN_KEYS) ?? null },
  column('stage'),
  column('ats_status'),
];

export function namesOf(columns: readonly Column[]): string {
  return columns.map(({ name }) => name).join(', ');
}

/** `json` is read as text, since the driver would parse it. */
export const CANDIDATE_COLUMNS =
  `id, ${namesOf([...WRITTEN, ...SYNCED].filter(({ name }) => name !== 'email_key'))}`.replace(
    ' metadata,',
    ' metadata::text as metadata,',
  );
