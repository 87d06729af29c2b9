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
        held_at: string | null;
        /** The substitute `userName` since then, where the old one was taken. */
        user_name?: string;
      };
    };

/** Adds a note about the subject of the statement to the user's history. */
export function addNote(statement: WriteStatement, tenantId: string, note: UserNote, source: ChangeSource): void {
  statement.add(
    (p) => `insert into user_notes (tenant_id, user_id, kind, detail, source)
      select ${p.shared(tenantId)}, id, ${p.shared(note.kind)}, ${p.add(JSON.stringify(note.detail), 'jsonb')},
        ${p.add(JSON.stringify(source), 'jsonb')} from subject`,
    { each: true },
  );
}
