import type { CandidateRow } from './candidate.js';
import { candidateEmailKey } from './candidate.mapping.js';

/** A column of a candidate: its type, and its value where that is not the member of the row with the same name. */
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

/** The columns that every write sets, after the id. */
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

/** A control character: no key holds one. */
export const BETWEEN_KEYS = '\u001f';

/** The columns that only the sync of an ATS sets. Keys are text that is split: arrays of arrays would be flattened. */
export const SYNCED: readonly Column[] = [
  column('ats_connection_id'),
  { name: 'ats_keys', type: 'text', valueOf: ({ ats_keys: keys }) => keys?.join(BETWEEN_KEYS) ?? null },
  column('stage'),
  column('ats_status'),
];

/** Returns the names of columns, with commas between. */
export function namesOf(columns: readonly Column[]): string {
  return columns.map(({ name }) => name).join(', ');
}

/** The columns of a row, to be read; `json` as text, since the driver would parse it. */
export const CANDIDATE_COLUMNS =
  `id, ${namesOf([...WRITTEN, ...SYNCED].filter(({ name }) => name !== 'email_key'))}`.replace(
    ' metadata,',
    ' metadata::text as metadata,',
  );
