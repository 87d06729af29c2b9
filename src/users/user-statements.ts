import type { UnitOfWork } from '../base/database/unit-of-work.js';
import type { Decision } from '../identity/held.rules.js';
import type { HeldReason } from '../identity/person.js';
import type { ChangeSource } from '../identity/source.js';
import { emailKey, type UserDraft } from './user.mapping.js';
import type { UserRow } from './user.row.js';
import { groupsColumn } from './users.repository.js';

// What a change of a person writes into the tables of this room, as parts of one statement.

/** The key of a name that is free again for SCIM while its person is still in force: no client can write such a name. */
export const HELD_NAME = `chr(1) || u.id`;

/** Everything of a write that goes into the person's own row. */
export interface UserWrite {
  id: string;
  directoryId: string | null;
  source: UserRow['source'];
  draft: UserDraft;
  decision: Decision;
  roleSet: string | null;
  released: HeldReason | null;
  everActive: boolean;
  at: Date;
}

/** Which conditions a write carries into the database, beside the version that was read. */
export interface WriteGuards {
  seat: boolean;
  /** Demand that nobody else who is active has the e-mail or the key, so that a clash shows before the index does. */
  clashes: boolean;
  /** Demand that there is nobody to link with: nobody unmanaged, and nobody of the directory that is taken over. */
  unlinked: false | { takesOver: string | null };
}

/** Adds the insert of a new person as the subject of a unit of work. Any clash writes nothing. */
export function insertUser(tx: UnitOfWork, tenantId: string, write: UserWrite, guards: WriteGuards): void {
  const { draft, decision } = write;
  tx.subject((p) => {
    const tenant = p.add(tenantId);
    const person = decision.inForce;
    const conditions: string[] = [];
    if (guards.seat) conditions.push('exists (select 1 from seat_guard)');
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
    }
    const at = p.add(write.at, 'timestamptz');
    return `insert into users (tenant_id, id, directory_id, source, doc, user_name, user_name_key, external_id, active,
        email, email_key, first_name, last_name, role, role_set, person_external_id, status, seat, waiting_since,
        held, held_since, released, ever_active, created_at, updated_at)
      select ${tenant}, ${p.add(write.id)}, ${p.add(write.directoryId, 'text')}, ${p.add(write.source)},
        ${p.add(JSON.stringify(draft.doc), 'jsonb')}, ${p.add(draft.userName)}, ${p.add(draft.userNameKey)},
        ${p.add(draft.externalId, 'text')}, ${p.add(draft.active, 'boolean')}, ${p.add(person.email, 'text')},
        ${emailPlace}, ${p.add(person.first_name)}, ${p.add(person.last_name)}, ${p.add(person.role, 'text')},
        ${p.add(write.roleSet, 'text')}, ${keyPlace}, ${p.add(person.status)}, ${p.add(decision.seat)},
        ${p.add(decision.seat === 'waiting' ? write.at : null, 'timestamptz')}, ${p.add(decision.held, 'text')},
        ${p.add(decision.held === null ? null : write.at, 'timestamptz')}, ${p.add(write.released, 'text')},
        ${p.add(write.everActive, 'boolean')}, ${at}, ${at}
      ${conditions.length ? `where ${conditions.join(' and ')}` : ''}
      on conflict do nothing returning id`;
  });
  addEmails(tx, tenantId, draft);
  addPopulation(tx, tenantId, [{ owner: write.directoryId, step: 1 }]);
}

/** Adds the guarded update of a person as the subject: it writes only onto the version that was read. */
export function updateUser(
  tx: UnitOfWork,
  tenantId: string,
  before: UserRow,
  write: UserWrite,
  guards: WriteGuards,
): void {
  const { draft, decision } = write;
  const person = decision.inForce;
  tx.subject((p) => {
    const tenant = p.add(tenantId);
    const id = p.add(write.id);
    const set = (column: string, value: unknown, type?: string) => `${column} = ${p.add(value, type)}`;
    const assignments = [`version = u.version + 1`];
    const put = (column: string, value: unknown, was: unknown, type?: string) => {
      if (value !== was) assignments.push(set(column, value, type));
    };
    const doc = JSON.stringify(draft.doc);
    assignments.push(set('doc', doc, 'jsonb'), set('updated_at', write.at, 'timestamptz'));
    put('directory_id', write.directoryId, before.directory_id);
    put('user_name', draft.userName, before.user_name);
    put('user_name_key', draft.userNameKey, before.user_name_key);
    put('external_id', draft.externalId, before.external_id);
    put('active', draft.active, before.active);
    if (person.email !== before.email) {
      assignments.push(set('email', person.email), set('email_key', person.email && emailKey(person.email)));
    }
    put('first_name', person.first_name, before.first_name);
    put('last_name', person.last_name, before.last_name);
    put('role', person.role, before.role);
    put('role_set', write.roleSet, before.role_set);
    put('person_external_id', person.external_id, before.person_external_id);
    put('status', person.status, before.status);
    put('released', write.released, before.released);
    put('ever_active', write.everActive, before.ever_active);
    if (movesEpoch(before, write)) assignments.push('session_epoch = u.session_epoch + 1');
    if (decision.seat !== before.seat) {
      assignments.push(set('seat', decision.seat));
      assignments.push(set('waiting_since', decision.seat === 'waiting' ? write.at : null));
    }
    if (decision.held !== before.held) {
      assignments.push(set('held', decision.held), set('held_since', decision.held && write.at));
    }
    const conditions = [
      `u.tenant_id = ${tenant}`,
      `u.id = ${id}`,
      `u.version = ${p.add(before.version, 'int')}`,
      'u.gone_at is null',
    ];
    if (guards.seat) conditions.push('exists (select 1 from seat_guard)');
    if (guards.clashes) {
      const other = (condition: string) =>
        `not exists (select 1 from users o where o.tenant_id = ${tenant} and ${condition} and o.id <> ${id})`;
      conditions.push(other(`o.user_name_key = ${p.add(draft.userNameKey)}`));
      if (person.email !== null) {
        conditions.push(other(`o.email_key = ${p.add(emailKey(person.email))} and o.status = 'active'`));
      }
      if (person.external_id !== null) {
        conditions.push(other(`o.person_external_id = ${p.add(person.external_id)} and o.status = 'active'`));
      }
    }
    return `update users u set ${assignments.join(', ')} where ${conditions.join(' and ')} returning u.id`;
  });
  tx.answer((p) => `subject.id, ${groupsColumn(p.add(tenantId), 'subject.id')}`);
  if (emailsDiffer(before, draft)) replaceEmails(tx, tenantId, draft);
  if (write.directoryId !== before.directory_id) {
    addPopulation(tx, tenantId, [
      { owner: before.directory_id, step: -1 },
      { owner: write.directoryId, step: 1 },
    ]);
  }
  if (before.person_external_id !== null && before.person_external_id !== person.external_id) {
    tx.add(
      (p) => `insert into user_aliases (tenant_id, external_id, user_id)
        select ${p.add(tenantId)}, ${p.add(before.person_external_id)}, id from subject on conflict do nothing`,
    );
  }
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
export function removeUser(tx: UnitOfWork, tenantId: string, row: UserRow, person: string, source: ChangeSource): void {
  tx.subject(
    (p) => `delete from users u where u.tenant_id = ${p.add(tenantId)} and u.id = ${p.add(row.id)}
      and u.version = ${p.add(row.version, 'int')} returning u.id`,
  );
  tx.add(
    (p) => `insert into deleted_users (tenant_id, id, directory_id, user_name, external_id, person, deleted_by)
      select ${p.add(tenantId)}, id, ${p.add(row.directory_id, 'text')}, ${p.add(row.user_name)},
        ${p.add(row.person_external_id, 'text')}, ${p.add(person, 'jsonb')}, ${p.add(JSON.stringify(source), 'jsonb')}
      from subject`,
  );
  tx.add(
    (p) => `delete from user_emails e using subject s where e.tenant_id = ${p.add(tenantId)} and e.user_id = s.id`,
  );
  const left = `w${tx.size}`;
  tx.add(
    (p) => `delete from group_members m using subject s where m.tenant_id = ${p.add(tenantId)} and m.member_id = s.id
      returning m.group_id`,
  );
  tx.add(
    (p) => `update groups g set version = g.version + 1, updated_at = date_trunc('milliseconds', now()) from ${left} x
      where g.tenant_id = ${p.add(tenantId)} and g.id = x.group_id`,
  );
  if (!row.gone) addPopulation(tx, tenantId, [{ owner: row.directory_id, step: -1 }]);
}

/** Adds, as the subject, the removal of somebody who stays in force: gone for SCIM, and the name is free again. */
export function holdRemoval(tx: UnitOfWork, tenantId: string, row: UserRow): void {
  tx.subject(
    (p) => `update users u set gone_at = now(), held = 'protected', held_since = now(), version = version + 1,
        user_name_key = ${HELD_NAME}
      where u.tenant_id = ${p.add(tenantId)} and u.id = ${p.add(row.id)} and u.version = ${p.add(row.version, 'int')}
      returning u.id`,
  );
  addPopulation(tx, tenantId, [{ owner: row.directory_id, step: -1 }]);
}

function addEmails(tx: UnitOfWork, tenantId: string, { emails }: UserDraft, onConflict = ''): void {
  if (emails.length === 0) return;
  const values = emails.map((e) => e.value);
  const types = emails.map((e) => e.type);
  tx.add(
    (p) => `insert into user_emails (tenant_id, user_id, ordinal, value_key, type_key)
      select ${p.add(tenantId)}, s.id, e.n, e.v, e.t from subject s
        cross join unnest(${p.add(values, 'text[]')}, ${p.add(types, 'text[]')}) with ordinality as e(v, t, n)
      ${onConflict}`,
  );
}

function replaceEmails(tx: UnitOfWork, tenantId: string, draft: UserDraft): void {
  tx.add(
    (p) => `delete from user_emails e using subject s where e.tenant_id = ${p.add(tenantId)} and e.user_id = s.id
      and e.ordinal > ${p.add(draft.emails.length, 'int')}`,
  );
  addEmails(
    tx,
    tenantId,
    draft,
    `on conflict (tenant_id, user_id, ordinal) do update
        set value_key = excluded.value_key, type_key = excluded.type_key`,
  );
}

function addPopulation(tx: UnitOfWork, tenantId: string, steps: { owner: string | null; step: number }[]): void {
  tx.add(
    (p) => `insert into population_steps (tenant_id, owner, step)
      select ${p.add(tenantId)}, x.owner, x.step from subject, (values ${steps
        .map(({ owner, step }) => `(${p.add(owner ?? '')}, ${step})`)
        .join(', ')}) as x(owner, step)`,
  );
}

function emailsDiffer(before: UserRow, draft: UserDraft): boolean {
  const old = (JSON.parse(before.doc) as { emails?: unknown }).emails;
  return JSON.stringify(sorted(old)) !== JSON.stringify(sorted(draft.doc['emails']));
}

// The stored text comes back with its keys in the database's order.
function sorted(emails: unknown): unknown {
  if (!Array.isArray(emails)) return [];
  return (emails as { value?: unknown; type?: unknown }[]).map((e) => [e.value ?? null, e.type ?? null]);
}
