import type { SqlRunner } from '../base/database/database.js';
import type { CandidateRow } from './candidate.js';
import { emailKey } from './candidate.mapping.js';

/** The columns of {@link columnsOf}, with their types. Keys are text that is split: arrays of arrays would be flattened. */
const TYPES = `$2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::boolean[],
  $10::json[], $11::text[], $12::text[], $13::text[], $14::text[], $15::int[], $16::timestamptz[], $17::timestamptz[]`;
const NAMES = `id, external_id, email, email_key, first_name, last_name, job_title, job_title_set, metadata,
  job_opening_id, ats_priority, ats_connection_id, ats_keys, sequence, created_at, updated_at`;
/** A control character: no key holds one. */
const BETWEEN = '\u001f';

// Of what all new candidates of a batch have in common there is one parameter: reading arrays cost as much as writing rows.
// Their lists of keys are few, and named by their place. Another candidate with the `external_id` fails the statement: a
// row that may give way to another one is written twice.
const INSERT = `
  insert into candidates (tenant_id, id, external_id, email, email_key, first_name, last_name, job_title, job_title_set,
    metadata, job_opening_id, ats_priority, ats_connection_id, ats_keys, sequence, created_at, updated_at)
  select $1, u.id, u.external_id, u.email, coalesce(u.email_key, u.email), u.first_name, u.last_name, u.job_title, false,
    u.metadata::json, u.job_opening_id, u.ats_priority, $2, string_to_array(($3::text[])[u.keys], E'\\x1f'), 1, $4, $4
  from unnest($5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[], $12::text[],
    $13::text[], $14::text[], $15::int[])
    as u(id, external_id, email, email_key, first_name, last_name, job_title, metadata, job_opening_id, ats_priority, keys)`;

const UPDATE = `
  update candidates c set email = u.email, email_key = u.email_key, first_name = u.first_name, last_name = u.last_name,
    external_id = u.external_id, job_title = u.job_title, job_title_set = u.job_title_set, metadata = u.metadata,
    job_opening_id = u.job_opening_id, ats_priority = u.ats_priority, ats_connection_id = u.ats_connection_id,
    ats_keys = string_to_array(u.ats_keys, E'\\x1f'), sequence = u.sequence, created_at = u.created_at,
    updated_at = u.updated_at
  from unnest(${TYPES}) as u(${NAMES})
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
  const keys = of((row) => placeOf(row.ats_keys?.join(BETWEEN) ?? ''));
  await tx.query(INSERT, [
    tenantId,
    first.ats_connection_id,
    [...places.keys()],
    first.created_at,
    of(({ id }) => id),
    of((row) => row.external_id),
    of(({ email }) => email),
    of(({ email }) => keyBeside(email)),
    of((row) => row.first_name),
    of((row) => row.last_name),
    of((row) => row.job_title),
    of(({ metadata }) => metadata),
    of((row) => row.job_opening_id),
    of((row) => row.ats_priority),
    keys,
  ]);
}

/** Returns the key of an e-mail; null: it is the e-mail itself. */
function keyBeside(email: string): string | null {
  const key = emailKey(email);
  return key === email ? null : key;
}

/** Changes many candidates in one statement, each from its last sequence to the next one. @returns how many */
export async function updateCandidates(
  tx: SqlRunner,
  tenantId: string,
  rows: readonly CandidateRow[],
): Promise<number> {
  if (rows.length === 0) return 0;
  return (await tx.query(UPDATE, [tenantId, ...columnsOf(rows)])).rowCount ?? 0;
}

function columnsOf(rows: readonly CandidateRow[]): unknown[] {
  const of = <T>(pick: (row: CandidateRow) => T): T[] => rows.map(pick);
  return [
    of(({ id }) => id),
    of((row) => row.external_id),
    of(({ email }) => email),
    of(({ email }) => emailKey(email)),
    of((row) => row.first_name),
    of((row) => row.last_name),
    of((row) => row.job_title),
    of((row) => row.job_title_set),
    of(({ metadata }) => metadata),
    of((row) => row.job_opening_id),
    of((row) => row.ats_priority),
    of((row) => row.ats_connection_id),
    of((row) => row.ats_keys?.join(BETWEEN) ?? null),
    of(({ sequence }) => sequence),
    of((row) => row.created_at),
    of((row) => row.updated_at),
  ];
}
