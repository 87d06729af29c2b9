import type { Params } from '../../base/database/params.js';
import { WriteStatement } from '../../base/database/write-statement.js';
import { hasTitle } from '../jobs/opening-titles.js';
import type { CandidateRow } from './candidate.js';
import { namesOf, WRITTEN } from './candidate.columns.js';

const NAMES = namesOf(WRITTEN);

/**
 * Returns the statement that adds a candidate. It writes nothing where another one has the `external_id`, or where the
 * opening has another title by now.
 *
 * @param titleFrom the opening that the title is from
 */
export function insertCandidate(tenantId: string, row: CandidateRow, titleFrom: string | null): WriteStatement {
  // One that waits for the name of an opening would hold up those that go with it.
  const joins = titleFrom === null ? { tenantId, key: row.id } : null;
  return new WriteStatement().subject((p) => {
    const list = `${p.shared(tenantId, 'text')}, ${p.add(row.id, 'text')}, ${values(p, row)}`;
    const guard = titleFrom === null ? '' : ` where ${hasTitle(p, tenantId, titleFrom, row.job_title)}`;
    return `insert into candidates (tenant_id, id, ${NAMES}) select ${list} ${p.source}${guard}
      on conflict (tenant_id, external_id) do nothing returning id`;
  }, joins);
}

/**
 * Returns the statement that changes a candidate from its last sequence to the next one. It writes nothing where another
 * write was quicker, or where the opening has another title by now.
 */
export function updateCandidate(tenantId: string, row: CandidateRow, titleFrom: string | null): WriteStatement {
  return new WriteStatement().subject((p) => {
    const tenant = p.add(tenantId, 'text');
    const list = values(p, row);
    const guard = titleFrom === null ? '' : ` and ${hasTitle(p, tenantId, titleFrom, row.job_title)}`;
    return `update candidates set (${NAMES}) = row(${list})
      where tenant_id = ${tenant} and id = ${p.add(row.id, 'text')} and sequence = ${p.add(row.sequence - 1, 'int')}${guard}
      returning id`;
  });
}

/**
 * Returns the statement that removes a candidate, and leaves its ids: they show that it was there, and is gone.
 *
 * @param mergedInto the candidate that `resolve` answers from then on; null: none
 */
export function removeCandidate(
  tenantId: string,
  { id, external_id, sequence }: CandidateRow,
  at: Date,
  mergedInto: string | null = null,
): WriteStatement {
  const statement = new WriteStatement().subject(
    (p) => `delete from candidates where tenant_id = ${p.add(tenantId, 'text')} and id = ${p.add(id, 'text')}
      and sequence = ${p.add(sequence, 'int')} returning id`,
  );
  statement.add(
    (p) => `insert into candidate_tombstones (tenant_id, candidate_id, external_id, merged_into, sequence, gone_at)
      select ${p.add(tenantId, 'text')}, s.id, ${p.add(external_id, 'text')}, ${p.add(mergedInto, 'text')},
        ${p.add(sequence + 1, 'int')}, ${p.add(at, 'timestamptz')} from subject s`,
  );
  return statement;
}

function values(p: Params, row: CandidateRow): string {
  return WRITTEN.map(({ type, valueOf }) => p.add(valueOf(row), type)).join(', ');
}
