import type { SqlRunner } from '../../base/database/database.js';
import { textArray } from '../../base/database/params.js';
import type { CandidateRow } from './candidate.js';
import { BETWEEN_KEYS, namesOf, SYNCED, WRITTEN } from './candidate.columns.js';
import { candidateEmailKey } from './candidate.mapping.js';

const CHANGED = [...WRITTEN, ...SYNCED];
const SET = CHANGED.map(({ name }) =>
  name === 'ats_keys' ? `ats_keys = string_to_array(u.ats_keys, E'\\x1f')` : `${name} = u.${name}`,
).join(', ');

// Of what all new candidates of a batch have in common there is one parameter: reading arrays cost as much as writing rows.
// Their lists of keys are few, and named by their place; their metadata are one text, since an array would escape each
// quote. Another candidate with the `external_id` fails the statement: a row that may give way to another one is written
// twice. Lists that stand beside each other in a select are read as they are needed; in `from` each would be copied first.
const INSERT = `
  insert into candidates (tenant_id, id, external_id, email, email_key, first_name, last_name, job_title, job_title_set,
    metadata, job_opening_id, ats_priority, ats_connection_id, ats_keys, stage, ats_status, sequence, created_at,
    updated_at)
  select $1, u.id, u.external_id, u.email, coalesce(u.email_key, u.email), u.first_name, u.last_name, u.job_title, false,
    u.metadata, u.job_opening_id, u.ats_priority, $2, string_to_array(($3::text[])[u.keys], E'\\x1f'), u.stage, u.ats_status, 1, $4, $4
  from (
    select unnest($5::text[]) as id, unnest($6::text[]) as external_id, unnest($7::text[]) as email,
      unnest($8::text[]) as email_key, unnest($9::text[]) as first_name, unnest($10::text[]) as last_name,
      unnest($11::text[]) as job_title, json_array_elements($12::json) as metadata, unnest($13::text[]) as job_opening_id,
      unnest($14::text[]) as ats_priority, unnest($15::int[]) as keys, unnest($16::text[]) as stage,
      unnest($17::text[]) as ats_status) u`;

const UPDATE = `
  update candidates c set ${SET}
  from unnest($2::text[], ${CHANGED.map(({ type }, place) => `$${place + 3}::${type}[]`).join(', ')})
    as u(id, ${namesOf(CHANGED)})
  where c.tenant_id = $1 and c.id = u.id and c.sequence = u.sequence - 1 returning c.id`;

/**
 * Adds many new candidates of one ATS connection in one statement: their title is that of their opening.
 *
 * @throws `unique_violation` where another one has an `external_id`
 */
export async function insertCandidates(tx: SqlRunner, tenantId: string, rows: readonly CandidateRow[]): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  const of = <T>(pick: (row: CandidateRow) => T): T[] => rows.map(pick);
  const places = new Map<string, number>();
  const placeOf = (keys: string): number => {
    const place = places.get(keys) ?? places.size + 1;
    places.set(keys, place);
    return place;
  };
  const keys = of((row) => placeOf(row.ats_keys?.join(BETWEEN_KEYS) ?? ''));
  const texts = (pick: (row: CandidateRow) => string | null) => textArray(of(pick));
  await tx.query(INSERT, [
    tenantId,
    first.ats_connection_id,
    [...places.keys()],
    first.created_at,
    texts(({ id }) => id),
    texts((row) => row.external_id),
    texts(({ email }) => email),
    texts(({ email }) => keyBeside(email)),
    texts((row) => row.first_name),
    texts((row) => row.last_name),
    texts((row) => row.job_title),
    `[${of(({ metadata }) => metadata).join(',')}]`,
    texts((row) => row.job_opening_id),
    texts((row) => row.ats_priority),
    `{${keys.join(',')}}`,
    texts(({ stage }) => stage),
    texts((row) => row.ats_status),
  ]);
}

/** Returns the key of an e-mail; null: it is the e-mail itself. */
function keyBeside(email: string): string | null {
  const key = candidateEmailKey(email);
  return key === email ? null : key;
}

/** Changes many candidates in one statement, each from its last sequence to the next one. @returns how many */
export async function updateCandidates(
  tx: SqlRunner,
  tenantId: string,
  rows: readonly CandidateRow[],
): Promise<number> {
  if (rows.length === 0) return 0;
  const values = CHANGED.map(({ valueOf }) => rows.map(valueOf));
  return (await tx.query(UPDATE, [tenantId, rows.map(({ id }) => id), ...values])).rowCount ?? 0;
}
