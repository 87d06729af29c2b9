import type { WriteStatement } from '../../../base/database/write-statement.js';
import type { LinkedBy } from '../../../tenancy/identity/adoption.rules.js';
import type { ChangeSource } from '../../../tenancy/identity/source.js';

/** An event of a user's history that no other table has. */
export type UserNote =
  | { kind: 'linked'; detail: { by: LinkedBy; directory_id: string; from_directory_id: string | null } }
  | {
      kind: 'held';
      detail: {
        /** `held`: the removal of the user is held. */
        event: 'held' | 'released' | 'discarded' | 'returned';
        reason: string;
        /** The substitute `userName` since then, where the old one was taken. */
        user_name?: string;
      };
    };

// The user's row before the statement: the end of a hold is noted with its beginning.
const HELD_AT = `(select to_char(u.held_since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') from users u
        where u.tenant_id = TENANT and u.id = subject.id)`;

/** Adds a note about the subject of the statement to the user's history. The note of a hold has `held_at`. */
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
