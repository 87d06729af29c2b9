import type { Params } from '../../../base/database/params.js';
import type { Part, WriteStatement } from '../../../base/database/write-statement.js';
import type { HeldReason, ChangeSource } from '../../../tenancy/identity/person.js';
import { keepMemberships, leaveAllGroups } from '../groups/memberships.sql.js';
import { managerColumn, relationColumns, type Relations } from '../user-relations.js';
import { emailKeyOf, type UserDraft } from '../user.mapping.js';
import { asideKeys, ASIDE_KEY, type UserRow, RESOURCE_FACTS } from '../user.row.js';
import { addEmails, addPopulation, emailsDiffer, replaceEmails } from './side-rows.sql.js';
import { comesIntoForce, isReturned } from './user-write.rules.js';
import type { UserWrite } from './write-case.js';

interface InsertGuards {
  seat: Part | null;
  /**
   * Demands that there is no user to link with: no unmanaged one, none of the directory that is taken over, and none
   * that the directory has removed and that is still in force.
   */
  unlinked: false | { id: string; takesOver: string | null };
}

/** The answer of {@link insertUser}. */
export interface CreatedUser {
  /** Null when nothing was written. */
  id: string | null;
  /** JSON text, see `Relations`. */
  manager: string | null;
  /** The user of the same directory that has the name, where the insert demanded that nothing is linked. */
  holder?: string | null;
}

/**
 * Adds the insert of a new user as the subject of a write statement. Any clash writes nothing. The statement itself
 * answers the most frequent one: another user of the directory has the name.
 */
export function insertUser(statement: WriteStatement, tenantId: string, write: UserWrite, guards: InsertGuards): void {
  const { draft, decision } = write;
  statement.subject(
    (p) => {
      const tenant = p.shared(tenantId);
      const person = decision.inForce;
      const conditions: string[] = [];
      if (guards.seat) conditions.push(`exists (select 1 from ${guards.seat.name})`);
      const emailPlace = p.add(emailKeyOf(person.email), 'text');
      const keyPlace = p.add(person.external_id, 'text');
      if (guards.unlinked) {
        const { takesOver } = guards.unlinked;
        const whose = ['o.directory_id is null'];
        // Once for each status, because the indexes are partial.
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

/** Adds the removal of a user as the subject; actor, time and request stay in `deleted_users`. */
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

/**
 * Adds, as the subject, the removal of a user that stays in force: deleted for SCIM and its groups, and with a free
 * name.
 */
export function holdRemoval(statement: WriteStatement, tenantId: string, row: UserRow, reason: HeldReason): void {
  statement.subject((p) => {
    const tenant = p.add(tenantId);
    return `update users u set gone_at = coalesce(u.gone_at, now()), held = ${p.add(reason)}, held_since = now(),
        requested_email_key = null,
        version = version + 1, quiet_writes = quiet_writes + 1, resource_at = coalesce(resource_at, updated_at),
        user_name_key = case when u.gone_at is null then ${ASIDE_KEY} else u.user_name_key end
      where u.tenant_id = ${tenant} and u.id = ${p.add(row.id)} and u.version = ${p.add(row.version, 'int')}
      returning u.id`;
  });
  keepMemberships(statement, tenantId, leaveAllGroups(statement, tenantId));
  if (!row.gone) addPopulation(statement, tenantId, [{ owner: row.directory_id, step: -1 }]);
}

interface UpdateGuards {
  parts: readonly (Part | null)[];
  /**
   * Demands that no other active user has the e-mail or the key, so that a clash shows before the index refuses it.
   */
  clashes: boolean;
}

/** The answer of {@link updateUser}. */
export type UpdatedUser = Pick<UserRow, 'revision' | 'modified_at'> & Relations;

/** Adds the guarded update of a user as the subject: it requires the version that was read. */
export function updateUser(
  statement: WriteStatement,
  tenantId: string,
  before: UserRow,
  write: UserWrite,
  guards: UpdateGuards,
): void {
  // A write of the unique key takes a stronger lock than `freeRows` does.
  const joins = write.draft.userNameKey === before.user_name_key ? { tenantId, key: write.id } : null;
  statement.subject((p) => {
    const key: Key = { tenant: p.shared(tenantId), id: p.add(write.id) };
    const assignments = assignmentsOf(p, before, write).join(', ');
    const conditions = conditionsOf(p, key, before, write, guards).join(' and ');
    return `update users u set ${assignments} ${p.source} where ${conditions} returning u.id, u.manager_id, ${RESOURCE_FACTS}`;
  }, joins);
  statement.answer(
    (p) =>
      `subject.revision, subject.modified_at, ${relationColumns(p.shared(tenantId), 'subject.id', 'subject.manager_id')}`,
  );
  addSideRows(statement, tenantId, before, write);
}

interface Key {
  tenant: string;
  id: string;
}

/**
 * Assigns all columns, changed or not, so that the text is always the same. PostgreSQL compares indexed columns, so an
 * update that changes none of them stays a heap-only one.
 */
function assignmentsOf(p: Params, before: UserRow, write: UserWrite): string[] {
  const { draft, decision } = write;
  const person = decision.inForce;
  const set = (column: string, value: unknown, type: string) => `${column} = ${p.add(value, type)}`;
  const document = p.add(write.document.text, 'jsonb');
  const assignments = [
    `version = u.version + 1`,
    // A write with the same document moves neither the version nor the time that SCIM shows.
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
    set('email_key', emailKeyOf(person.email), 'text'),
    set('requested_email_key', requestedEmailKey(draft, person.email), 'text'),
    set('first_name', person.first_name, 'text'),
    set('last_name', person.last_name, 'text'),
    set('role', person.role, 'text'),
    set('role_set', write.roleSet, 'text'),
    set('cost_center', write.costCenter, 'text'),
    set('discarded_role', write.discardedRole, 'text'),
    set('person_external_id', person.external_id, 'text'),
    set('status', person.status, 'text'),
    set('released', write.released, 'text'),
    set('kept_for', write.keptFor, 'text'),
    `in_force_since = ${since(p, comesIntoForce(before, write), write.at, 'in_force_since')}`,
    set('ever_active', write.everActive, 'boolean'),
    set('name_written', write.nameWritten, 'boolean'),
    `session_epoch = u.session_epoch + ${p.add(movesEpoch(before, write) ? 1 : 0, 'int')}`,
    set('seat', decision.seat, 'text'),
    `waiting_since = ${since(p, decision.seat !== before.seat, decision.seat === 'waiting' ? write.at : null, 'waiting_since')}`,
    set('held', decision.held, 'text'),
    set('held_change', decision.heldChange ?? false, 'boolean'),
    set('known_as', write.knownAs && JSON.stringify(write.knownAs), 'jsonb'),
    set('returned', isReturned(before, write), 'boolean'),
    `held_since = ${since(p, decision.held !== before.held, decision.held === null ? null : write.at, 'held_since')}`,
  ];
  // The only assignment that changes the text. A column of a unique index takes a stronger row lock, for which new
  // members of groups would have to wait.
  if (draft.userNameKey !== before.user_name_key) assignments.push(set('user_name_key', draft.userNameKey, 'text'));
  if (before.gone) assignments.push('gone_at = null');
  return assignments;
}

function conditionsOf(
  p: Params,
  { tenant, id }: Key,
  before: UserRow,
  { draft, decision: { inForce } }: UserWrite,
  guards: UpdateGuards,
): string[] {
  const conditions = [
    `u.tenant_id = ${tenant}`,
    `u.id = ${id}`,
    `u.version = ${p.add(before.version, 'int')}`,
    before.gone ? 'u.gone_at is not null' : 'u.gone_at is null',
  ];
  // A joint statement takes only free rows: none of its writes waits for the lock of another row.
  if (p.keys !== null) conditions.push(`u.id = any(array(${freeRows(tenant, p.keys)}))`);
  for (const part of guards.parts) if (part !== null) conditions.push(`exists (select 1 from ${part.name})`);
  if (!guards.clashes) return conditions;
  // With null a comparison is never true, and no row is read.
  const noOther = (condition: string) =>
    `not exists (select 1 from users o where o.tenant_id = ${tenant} and ${condition} and o.id <> ${id} offset 0)`;
  return [
    ...conditions,
    noOther(`o.user_name_key = ${p.add(draft.userNameKey, 'text')}`),
    noOther(`o.email_key = ${p.add(emailKeyOf(inForce.email), 'text')} and o.status = 'active'`),
    noOther(`o.person_external_id = ${p.add(inForce.external_id, 'text')} and o.status = 'active'`),
  ];
}

function freeRows(tenant: string, keys: string): string {
  return `select f.id from users f where f.tenant_id = ${tenant} and f.id = any(${keys}) for no key update skip locked`;
}

function addSideRows(statement: WriteStatement, tenantId: string, before: UserRow, write: UserWrite): void {
  const { draft, directoryId, decision } = write;
  if (emailsDiffer(before, draft)) replaceEmails(statement, tenantId, draft);
  if (before.gone) addPopulation(statement, tenantId, [{ owner: directoryId, step: 1 }]);
  else if (directoryId !== before.directory_id) {
    addPopulation(statement, tenantId, [
      { owner: before.directory_id, step: -1 },
      { owner: directoryId, step: 1 },
    ]);
  }
  const { person_external_id: formerKey } = before;
  if (formerKey === null || formerKey === decision.inForce.external_id) return;
  statement.add(
    (p) => `insert into user_aliases (tenant_id, external_id, user_id)
      select ${p.shared(tenantId)}, ${p.add(formerKey)}, id from subject on conflict do nothing`,
    { each: true },
  );
}

function requestedEmailKey({ active, email }: UserDraft, inForce: string | null): string | null {
  const key = active ? emailKeyOf(email) : null;
  return key === emailKeyOf(inForce) ? null : key;
}

/** Returns `at` for a state that this write enters; else the column stays unchanged. */
function since(p: Params, entered: boolean, at: Date | null, column: string): string {
  return `case when ${p.add(entered, 'boolean')} then ${p.add(at, 'timestamptz')} else u.${column} end`;
}

/**
 * Returns whether a write ends the user's sessions (`endsSessions` decides for the change). A statement does not see a
 * session that is written while it waits for the row; the older epoch makes such a session invalid.
 */
function movesEpoch(before: UserRow, { decision, directoryId, identity }: UserWrite): boolean {
  if (identity !== null) return true;
  const { status, role } = decision.inForce;
  const takenOver = before.source === 'sign-in' && before.directory_id === null && directoryId !== null;
  return takenOver || (before.status === 'active' && (status !== 'active' || role !== before.role));
}
