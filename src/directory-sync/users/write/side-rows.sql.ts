import type { WriteStatement } from '../../../base/database/write-statement.js';
import type { LinkedBy } from '../../../tenancy/identity/user-change.rules.js';
import type { ChangeSource } from '../../../tenancy/identity/person.js';
import type { UserDraft } from '../user.mapping.js';
import type { UserRow } from '../user.row.js';

// Rows beside that of the user, written by the same statement.

export function addEmails(statement: WriteStatement, tenantId: string, { emails }: UserDraft, onConflict = ''): void {
  if (emails.length === 0) return;
  const values = emails.map((e) => e.value);
  const types = emails.map((e) => e.type);
  statement.add(
    (p) => `insert into user_emails (tenant_id, user_id, ordinal, value_key, type_key)
      select ${p.shared(tenantId)}, subject.id, e.n, e.v, e.t from subject
        cross join unnest(${p.add(values, 'text[]')}, ${p.add(types, 'text[]')}) with ordinality as e(v, t, n)
      ${onConflict}`,
    { each: true },
  );
}

export function replaceEmails(statement: WriteStatement, tenantId: string, draft: UserDraft): void {
  statement.add(
    (p) => `delete from user_emails e using subject where e.tenant_id = ${p.shared(tenantId)}
      and e.user_id = subject.id and e.ordinal > ${p.add(draft.emails.length, 'int')}`,
    { each: true },
  );
  addEmails(
    statement,
    tenantId,
    draft,
    `on conflict (tenant_id, user_id, ordinal) do update
        set value_key = excluded.value_key, type_key = excluded.type_key`,
  );
}

/**
 * Adds steps of the population: the number of users that each directory shows; the owner null means no directory.
 * Statements that run together have one step for each owner.
 */
export function addPopulation(
  statement: WriteStatement,
  tenantId: string,
  steps: { owner: string | null; step: number }[],
): void {
  statement.add(
    (p) => `insert into population_steps (tenant_id, owner, step)
      select ${p.shared(tenantId)}, x.owner, sum(x.step) from subject, lateral (values ${steps
        .map(({ owner, step }) => `(${p.add(owner ?? '')}, ${step})`)
        .join(', ')}) as x(owner, step) group by x.owner`,
    { each: true },
  );
}

export function emailsDiffer(before: UserRow, draft: UserDraft): boolean {
  const emails = draft.doc['emails'];
  // A row that this process wrote last has the same text. A row from the database has blanks, and another order of
  // keys.
  if (emails !== undefined && before.doc.includes(`"emails":${JSON.stringify(emails)}`)) return false;
  const old = (JSON.parse(before.doc) as { emails?: unknown }).emails;
  return JSON.stringify(sorted(old)) !== JSON.stringify(sorted(emails));
}

// The database orders the keys of the stored text.
function sorted(emails: unknown): unknown {
  if (!Array.isArray(emails)) return [];
  return (emails as { value?: unknown; type?: unknown }[]).map((e) => [e.value ?? null, e.type ?? null]);
}

/** An event of a user's history that no other table has. */
export type UserNote =
  | { kind: 'linked'; detail: { by: LinkedBy; directory_id: string; from_directory_id: string | null } }
  | {
      kind: 'held';
      detail: {
        event: 'held' | 'released' | 'discarded' | 'returned';
        reason: string;
        /** The substitute `userName`, where the old one was taken. */
        user_name?: string;
      };
    };

// The user's row before the statement: the end of a hold is recorded with its begin.
const HELD_AT = `(select to_char(u.held_since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') from users u
        where u.tenant_id = TENANT and u.id = subject.id)`;

/** Adds a note about the subject to the user's history. The note of a hold has `held_at`. */
export function addNote(statement: WriteStatement, tenantId: string, note: UserNote, source: ChangeSource): void {
  statement.add(
    (p) => {
      const tenant = p.shared(tenantId);
      const heldAt =
        note.kind === 'held' ? `|| jsonb_build_object('held_at', ${HELD_AT.replace('TENANT', tenant)})` : '';
      return `insert into user_notes (tenant_id, user_id, kind, detail, source)
      select ${tenant}, id, ${p.shared(note.kind)}, ${p.add(JSON.stringify(note.detail), 'jsonb')}${heldAt},
        ${p.add(JSON.stringify(source), 'jsonb')} from subject`;
    },
    { each: true },
  );
}
