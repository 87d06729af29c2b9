import type { Params } from '../../../base/database/params.js';
import type { Part, WriteStatement } from '../../../base/database/write-statement.js';
import { asideKeys } from '../held-name.js';
import { emailKey, type UserDraft } from '../user.mapping.js';
import { managerColumn } from '../user-relations.js';
import { addEmails, addPopulation } from './side-rows.sql.js';
import type { UserWrite } from './user-write.js';

/** The conditions of an insert. */
export interface InsertGuards {
  /** The part of which the write demands a row; null: none. */
  seat: Part | null;
  /**
   * Demand that there is no user to link with: no unmanaged one, none of the directory that is taken over, and none that
   * the directory has removed and that is still in force.
   */
  unlinked: false | { id: string; takesOver: string | null };
}

/** What the statement of {@link insertUser} answers. */
export interface CreatedUser {
  /** Null: nothing was written. */
  id: string | null;
  /** What the resource names as the manager. */
  manager: string | null;
  /** The user of the same directory that has the name, where the insert demanded that nothing is linked. */
  holder?: string | null;
}

/**
 * Adds the insert of a new user as the subject of a write statement. Any clash writes nothing. The commonest one, a name
 * that another user of the directory has, is answered by the statement itself.
 */
export function insertUser(statement: WriteStatement, tenantId: string, write: UserWrite, guards: InsertGuards): void {
  const { draft, decision } = write;
  statement.subject(
    (p) => {
      const tenant = p.shared(tenantId);
      const person = decision.inForce;
      const conditions: string[] = [];
      if (guards.seat) conditions.push(`exists (select 1 from ${guards.seat.name})`);
      const emailPlace = p.add(person.email === null ? null : emailKey(person.email), 'text');
      const keyPlace = p.add(person.external_id, 'text');
      if (guards.unlinked) {
        const { takesOver } = guards.unlinked;
        const whose = ['o.directory_id is null'];
        // Once per status: that is how the indexes are cut.
        const old = takesOver !== null && `o.directory_id = ${p.shared(takesOver)}`;
        if (old) whose.push(`o.status = 'active' and ${old}`, `o.status = 'inactive' and ${old}`);
        for (const theirs of whose) {
          const none = (same: string) =>
            `not exists (select 1 from users o where o.tenant_id = ${tenant} and ${theirs} and ${same} offset 0)`;
          conditions.push(none(`o.email_key = ${emailPlace}`), none(`o.person_external_id = ${keyPlace}`));
        }
        const kept = (same: string) =>
          `not exists (select 1 from users o where o.tenant_id = ${tenant} and ${same} and o.gone_at is not null offset 0)`;
        const [from, to] = asideKeys(draft.userNameKey).map((key) => p.add(key));
        conditions.push(kept(`o.user_name_key > ${from} and o.user_name_key < ${to}`));
        if (draft.externalId !== null) conditions.push(kept(`o.external_id = ${p.add(draft.externalId)}`));
      }
      const at = p.add(write.at, 'timestamptz');
      return `insert into users (tenant_id, id, directory_id, source, doc, doc_bytes, user_name, user_name_key, external_id, active,
        email, email_key, first_name, last_name, role, role_set, person_external_id, status, seat, waiting_since,
        held, held_since, released, ever_active, in_force_since, name_written, cost_center, created_at, updated_at)
      select ${tenant}, ${p.add(write.id)}, ${p.add(write.directoryId, 'text')}, ${p.add(write.source)},
        ${p.add(write.document.text, 'jsonb')}, ${p.add(write.document.bytes, 'int')}, ${p.add(draft.userName)}, ${p.add(draft.userNameKey)},
        ${p.add(draft.externalId, 'text')}, ${p.add(draft.active, 'boolean')}, ${p.add(person.email, 'text')},
        ${emailPlace}, ${p.add(person.first_name)}, ${p.add(person.last_name)}, ${p.add(person.role, 'text')},
        ${p.add(write.roleSet, 'text')}, ${keyPlace}, ${p.add(person.status)}, ${p.add(decision.seat)},
        ${p.add(decision.seat === 'waiting' ? write.at : null, 'timestamptz')}, ${p.add(decision.held, 'text')},
        ${p.add(decision.held === null ? null : write.at, 'timestamptz')}, ${p.add(write.released, 'text')},
        ${p.add(write.everActive, 'boolean')}, ${p.add(person.status === 'active' ? write.at : null, 'timestamptz')},
        ${p.add(write.nameWritten, 'boolean')}, ${p.add(write.costCenter, 'text')}, ${p.add(write.createdAt, 'timestamptz')}, ${at}
      ${p.source} ${conditions.length ? `where ${conditions.join(' and ')}` : ''}
      on conflict do nothing returning id, manager_id`;
    },
    { tenantId, key: write.id },
  );
  if (guards.unlinked) answerHolder(statement, tenantId, write);
  else statement.answer((p) => `subject.id, ${managerOf(p, tenantId, draft)}`);
  addEmails(statement, tenantId, draft);
  addPopulation(statement, tenantId, [{ owner: write.directoryId, step: 1 }]);
}

function answerHolder(statement: WriteStatement, tenantId: string, { draft, directoryId }: UserWrite): void {
  statement.answerInstead(
    (p) => `subject.id, ${managerOf(p, tenantId, draft)}, null as holder`,
    (p) => `select null, null, o.id from users o where o.tenant_id = ${p.shared(tenantId)}
      and o.user_name_key = ${p.add(draft.userNameKey)} and o.directory_id = ${p.add(directoryId, 'text')} and o.gone_at is null`,
  );
}

function managerOf(p: Params, tenantId: string, { managerId }: UserDraft): string {
  return managerId === null ? 'null as manager' : managerColumn(p.shared(tenantId), 'subject.manager_id');
}
