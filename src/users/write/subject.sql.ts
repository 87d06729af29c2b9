import type { Params, Part, WriteStatement } from '../../base/database/write-statement.js';
import type { Decision } from '../../identity/held.rules.js';
import type { HeldReason } from '../../identity/person.js';
import type { ChangeSource } from '../../identity/source.js';
import type { StoredDocument } from './stored-document.js';
import { emailKey, type UserDraft } from '../user.mapping.js';
import { RESOURCE_FACTS, type UserRow } from '../user.row.js';
import { ASIDE_KEY, asideKeys } from '../held-name.js';
import { addEmails, addPopulation, emailsDiffer, replaceEmails } from './side-rows.sql.js';
import { managerColumn, relationColumns, type Relations } from '../user-relations.js';

// What a change of a person writes into the tables of this room, as parts of one statement.

/** Everything of a write that goes into the person's own row. */
export interface UserWrite {
  id: string;
  directoryId: string | null;
  source: UserRow['source'];
  draft: UserDraft;
  /** The draft's document as it is stored. */
  document: StoredDocument;
  decision: Decision;
  roleSet: string | null;
  /** See `UserRow`. */
  discardedRole: string | null;
  released: HeldReason | null;
  everActive: boolean;
  /** See `UserRow`. */
  nameWritten: boolean;
  /** The cost centre in force afterwards. */
  costCenter: string | null;
  at: Date;
}

/** Which conditions a write carries into the database, beside the version that was read. */
export interface WriteGuards {
  /** The part of which the write demands a row; null: none. */
  seat: Part | null;
  /** Demand that nobody else who is active has the e-mail or the key, so that a clash shows before the index does. */
  clashes: boolean;
  /**
   * Demand that there is no user to link with: no unmanaged one, none of the directory that is taken over, and none that
   * the directory has removed and that is still in force.
   */
  unlinked: false | { id: string; takesOver: string | null };
}

/** Adds the insert of a new person as the subject of a write statement. Any clash writes nothing. */
export function insertUser(statement: WriteStatement, tenantId: string, write: UserWrite, guards: WriteGuards): void {
  const { draft, decision } = write;
  statement.subject((p) => {
    const tenant = p.add(tenantId);
    const person = decision.inForce;
    const conditions: string[] = [];
    if (guards.seat) conditions.push(`exists (select 1 from ${guards.seat.name})`);
    const emailPlace = p.add(person.email === null ? null : emailKey(person.email), 'text');
    const keyPlace = p.add(person.external_id, 'text');
    if (guards.unlinked) {
      const { takesOver } = guards.unlinked;
      const whose = ['o.directory_id is null'];
      // Once per status: that is how the indexes are cut.
      const old = takesOver !== null && `o.directory_id = ${p.add(takesOver)}`;
      if (old) whose.push(`o.status = 'active' and ${old}`, `o.status = 'inactive' and ${old}`);
      for (const theirs of whose) {
        const nobody = (same: string) =>
          `not exists (select 1 from users o where o.tenant_id = ${tenant} and ${theirs} and ${same})`;
        conditions.push(nobody(`o.email_key = ${emailPlace}`), nobody(`o.person_external_id = ${keyPlace}`));
      }
      const kept = (same: string) =>
        `not exists (select 1 from users o where o.tenant_id = ${tenant} and ${same} and o.gone_at is not null)`;
      const [from, to] = asideKeys(draft.userNameKey).map((key) => p.add(key));
      conditions.push(kept(`o.user_name_key > ${from} and o.user_name_key < ${to}`));
      if (draft.externalId !== null) conditions.push(kept(`o.external_id = ${p.add(draft.externalId)}`));
    }
    const at = p.add(write.at, 'timestamptz');
    return `insert into users (tenant_id, id, directory_id, source, doc, doc_bytes, user_name, user_name_key, external_id, active,
        email, email_key, first_name, last_name, role, role_set, person_external_id, status, seat, waiting_since,
        held, held_since, released, ever_active, name_written, cost_center, created_at, updated_at)
      select ${tenant}, ${p.add(write.id)}, ${p.add(write.directoryId, 'text')}, ${p.add(write.source)},
        ${p.add(write.document.text, 'jsonb')}, ${p.add(write.document.bytes, 'int')}, ${p.add(draft.userName)}, ${p.add(draft.userNameKey)},
        ${p.add(draft.externalId, 'text')}, ${p.add(draft.active, 'boolean')}, ${p.add(person.email, 'text')},
        ${emailPlace}, ${p.add(person.first_name)}, ${p.add(person.last_name)}, ${p.add(person.role, 'text')},
        ${p.add(write.roleSet, 'text')}, ${keyPlace}, ${p.add(person.status)}, ${p.add(decision.seat)},
        ${p.add(decision.seat === 'waiting' ? write.at : null, 'timestamptz')}, ${p.add(decision.held, 'text')},
        ${p.add(decision.held === null ? null : write.at, 'timestamptz')}, ${p.add(write.released, 'text')},
        ${p.add(write.everActive, 'boolean')}, ${p.add(write.nameWritten, 'boolean')}, ${p.add(write.costCenter, 'text')}, ${at}, ${at}
      ${conditions.length ? `where ${conditions.join(' and ')}` : ''}
      on conflict do nothing returning id, manager_id`;
  });
  if (draft.managerId !== null) statement.answer((p) => `id, ${managerColumn(p.add(tenantId), 'subject.manager_id')}`);
  addEmails(statement, tenantId, draft);
  addPopulation(statement, tenantId, [{ owner: write.directoryId, step: 1 }]);
}

/** What the statement of {@link insertUser} answers; the manager where the resource names one. */
export interface CreatedUser {
  id: string;
  manager?: string | null;
}

/** What the statement of {@link updateUser} answers. */
export type UpdatedUser = Pick<UserRow, 'revision' | 'modified_at'> & Relations;

/** Adds the guarded update of a person as the subject: it writes only onto the version that was read. */
export function updateUser(
  statement: WriteStatement,
  tenantId: string,
  before: UserRow,
  write: UserWrite,
  guards: WriteGuards,
): void {
  const { draft, decision } = write;
  const person = decision.inForce;
  statement.subject((p) => {
    const tenant = p.add(tenantId);
    const id = p.add(write.id);
    // All columns, changed or not: what a caller changes must not shape the text. PostgreSQL compares the values of
    // indexed columns, so an update that changes none of them stays a heap-only one.
    const set = (column: string, value: unknown, type: string) => `${column} = ${p.add(value, type)}`;
    const document = p.add(write.document.text, 'jsonb');
    const assignments = [
      `version = u.version + 1`,
      // A write that leaves the document as it is moves neither the version nor the time that SCIM shows.
      `quiet_writes = u.quiet_writes + (u.doc = ${document})::int`,
      `resource_at = case when u.doc = ${document} then coalesce(u.resource_at, u.updated_at) end`,
      `doc = ${document}`,
      set('doc_bytes', write.document.bytes, 'int'),
      set('updated_at', write.at, 'timestamptz'),
      set('directory_id', write.directoryId, 'text'),
      set('user_name', draft.userName, 'text'),
      set('external_id', draft.externalId, 'text'),
      set('active', draft.active, 'boolean'),
      set('email', person.email, 'text'),
      set('email_key', person.email === null ? null : emailKey(person.email), 'text'),
      set('first_name', person.first_name, 'text'),
      set('last_name', person.last_name, 'text'),
      set('role', person.role, 'text'),
      set('role_set', write.roleSet, 'text'),
      set('cost_center', write.costCenter, 'text'),
      set('discarded_role', write.discardedRole, 'text'),
      set('person_external_id', person.external_id, 'text'),
      set('status', person.status, 'text'),
      set('released', write.released, 'text'),
      set('ever_active', write.everActive, 'boolean'),
      set('name_written', write.nameWritten, 'boolean'),
      `session_epoch = u.session_epoch + ${p.add(movesEpoch(before, write) ? 1 : 0, 'int')}`,
      set('seat', decision.seat, 'text'),
      `waiting_since = ${since(p, decision.seat !== before.seat, decision.seat === 'waiting' ? write.at : null, 'waiting_since')}`,
      set('held', decision.held, 'text'),
      `held_since = ${since(p, decision.held !== before.held, decision.held === null ? null : write.at, 'held_since')}`,
    ];
    // Alone in having a text of its own: a column of a unique index among the assignments makes a write that meets
    // another one take the stronger row lock, for which new members of groups would have to wait.
    if (draft.userNameKey !== before.user_name_key) assignments.push(set('user_name_key', draft.userNameKey, 'text'));
    if (before.gone) assignments.push('gone_at = null');
    const conditions = [
      `u.tenant_id = ${tenant}`,
      `u.id = ${id}`,
      `u.version = ${p.add(before.version, 'int')}`,
      before.gone ? 'u.gone_at is not null' : 'u.gone_at is null',
    ];
    if (guards.seat) conditions.push(`exists (select 1 from ${guards.seat.name})`);
    if (guards.clashes) {
      const other = (condition: string) =>
        `not exists (select 1 from users o where o.tenant_id = ${tenant} and ${condition} and o.id <> ${id})`;
      // Of null the comparison is never true, and no row is looked at.
      const email = person.email === null ? null : emailKey(person.email);
      conditions.push(
        other(`o.user_name_key = ${p.add(draft.userNameKey, 'text')}`),
        other(`o.email_key = ${p.add(email, 'text')} and o.status = 'active'`),
        other(`o.person_external_id = ${p.add(person.external_id, 'text')} and o.status = 'active'`),
      );
    }
    return `update users u set ${assignments.join(', ')} where ${conditions.join(' and ')} returning u.id, u.manager_id, ${RESOURCE_FACTS}`;
  });
  statement.answer(
    (p) =>
      `subject.revision, subject.modified_at, ${relationColumns(p.add(tenantId), 'subject.id', 'subject.manager_id')}`,
  );
  if (emailsDiffer(before, draft)) replaceEmails(statement, tenantId, draft);
  if (before.gone) addPopulation(statement, tenantId, [{ owner: write.directoryId, step: 1 }]);
  else if (write.directoryId !== before.directory_id) {
    addPopulation(statement, tenantId, [
      { owner: before.directory_id, step: -1 },
      { owner: write.directoryId, step: 1 },
    ]);
  }
  if (before.person_external_id !== null && before.person_external_id !== person.external_id) {
    statement.add(
      (p) => `insert into user_aliases (tenant_id, external_id, user_id)
        select ${p.add(tenantId)}, ${p.add(before.person_external_id)}, id from subject on conflict do nothing`,
    );
  }
}

/** The moment of a state that may have been entered by this write; else the column stays as it is. */
function since(p: Params, entered: boolean, at: Date | null, column: string): string {
  return `case when ${p.add(entered, 'boolean')} then ${p.add(at, 'timestamptz')} else u.${column} end`;
}

/**
 * Whether a write ends the person's sessions (`endsSessions` says so of the change). A statement does not see a session
 * that is written while it waits for the row; a session of an older epoch is none all the same.
 */
function movesEpoch(before: UserRow, { decision, directoryId }: UserWrite): boolean {
  const { status, role } = decision.inForce;
  const takenOver = before.source === 'sign-in' && before.directory_id === null && directoryId !== null;
  return takenOver || (before.status === 'active' && (status !== 'active' || role !== before.role));
}

/** Adds the removal of a person as the subject; who, when and by which request stays in `deleted_users`. */
export function removeUser(
  statement: WriteStatement,
  tenantId: string,
  row: UserRow,
  person: string,
  source: ChangeSource,
): void {
  statement.subject(
    (p) => `delete from users u where u.tenant_id = ${p.add(tenantId)} and u.id = ${p.add(row.id)}
      and u.version = ${p.add(row.version, 'int')} returning u.id`,
  );
  statement.add(
    (p) => `insert into deleted_users (tenant_id, id, directory_id, user_name, external_id, person, deleted_by)
      select ${p.add(tenantId)}, id, ${p.add(row.directory_id, 'text')}, ${p.add(row.user_name)},
        ${p.add(row.person_external_id, 'text')}, ${p.add(person, 'jsonb')}, ${p.add(JSON.stringify(source), 'jsonb')}
      from subject`,
  );
  statement.add(
    (p) => `delete from user_emails e using subject s where e.tenant_id = ${p.add(tenantId)} and e.user_id = s.id`,
  );
  leaveAllGroups(statement, tenantId);
  if (!row.gone) addPopulation(statement, tenantId, [{ owner: row.directory_id, step: -1 }]);
}

/** Takes the subject out of all groups, and moves their versions. */
function leaveAllGroups(statement: WriteStatement, tenantId: string): void {
  const left = statement.add(
    (p) => `delete from group_members m using subject s where m.tenant_id = ${p.add(tenantId)} and m.member_id = s.id
      returning m.group_id`,
  );
  statement.add(
    (
      p,
    ) => `update groups g set version = g.version + 1, updated_at = greatest(date_trunc('milliseconds', now()), g.updated_at) from ${left.name} x
      where g.tenant_id = ${p.add(tenantId)} and g.id = x.group_id`,
  );
}

/**
 * Adds, as the subject, the removal of a user that stays in force: gone for SCIM and for its groups, and the name is free.
 *
 * @param reason why the removal is held
 */
export function holdRemoval(statement: WriteStatement, tenantId: string, row: UserRow, reason: HeldReason): void {
  statement.subject(
    (p) => `update users u set gone_at = coalesce(u.gone_at, now()), held = ${p.add(reason)}, held_since = now(),
        version = version + 1, quiet_writes = quiet_writes + 1, resource_at = coalesce(resource_at, updated_at),
        user_name_key = case when u.gone_at is null then ${ASIDE_KEY} else u.user_name_key end
      where u.tenant_id = ${p.add(tenantId)} and u.id = ${p.add(row.id)} and u.version = ${p.add(row.version, 'int')}
      returning u.id`,
  );
  leaveAllGroups(statement, tenantId);
  if (!row.gone) addPopulation(statement, tenantId, [{ owner: row.directory_id, step: -1 }]);
}
