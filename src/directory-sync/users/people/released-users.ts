import { Injectable } from '@nestjs/common';
import type { SqlRunner } from '../../../base/database/database.js';
import { WriteStatement } from '../../../base/database/write-statement.js';
import { userNameKey } from '../../../protocols/scim/text.js';
import { SeatsService } from '../../../seats/seats.service.js';
import type { ChangeSource } from '../../../tenancy/identity/person.js';
import { joinUnmanaged } from '../groups/group.row.js';
import { draftOf, type UserDocument } from '../user.mapping.js';
import { isAside, standIn, USER_COLUMNS, type UserRow } from '../user.row.js';
import { knownAs } from '../write/known-as.rules.js';
import { discarded } from '../write/state.rules.js';

const BATCH = 500;

/** Reasons that end with the directory. */
const ITS_SAKE = ['superseded', 'preview', 'protected', 'guard', 'no_role'];

/** Releases the users of a directory that is deleted. */
@Injectable()
export class ReleasedUsers {
  constructor(private readonly seats: SeatsService) {}

  /** Locks all users of a directory, then its groups and those that await one of the users, each by id. */
  async lock(tx: SqlRunner, tenantId: string, directoryId: string): Promise<void> {
    await tx.query(
      `select count(*) from (
         select 1 from users where tenant_id = $1 and directory_id = $2 order by id for update) x`,
      [tenantId, directoryId],
    );
    await tx.query(
      `select count(*) from (
         select 1 from groups where tenant_id = $1 and (directory_id = $2 or id in (
           select p.group_id from pending_members p join users u on u.tenant_id = $1 and u.id = p.member_id
           where p.tenant_id = $1 and (u.directory_id = $2 or u.directory_id is null))) order by id for update) x`,
      [tenantId, directoryId],
    );
  }

  /**
   * Makes the users of a locked directory unmanaged, with their effective state, and deletes its groups. Nothing is
   * forwarded.
   */
  async release(tx: SqlRunner, tenantId: string, directoryId: string, source: ChangeSource): Promise<void> {
    await endKept(tx, tenantId, directoryId);
    await settleHeld(tx, tenantId, directoryId);
    await this.makeUnmanaged(tx, tenantId, directoryId, source);
    await tx.query(`delete from groups where tenant_id = $1 and directory_id = $2`, [tenantId, directoryId]);
    await joinUnmanaged(tx, tenantId);
  }

  /** Key and role came from the directory; now they are the user's own, as the users API writes them. */
  private async makeUnmanaged(
    tx: SqlRunner,
    tenantId: string,
    directoryId: string,
    source: ChangeSource,
  ): Promise<void> {
    const statement = new WriteStatement().subject(
      // The resource changes where the key does.
      (p) => `update users set directory_id = null, role_set = coalesce(role, role_set),
           external_id = person_external_id, version = version + 1,
           quiet_writes = quiet_writes + (external_id is not distinct from person_external_id)::int,
           resource_at = case when external_id is not distinct from person_external_id then resource_at
             else greatest(date_trunc('milliseconds', now()), resource_at, updated_at) end,
           name_written = true, discarded_role = null, released = null, known_as = null, returned = false,
           doc_bytes = null, -- measured when it is needed
           doc = case when person_external_id is null then doc - 'externalId'
             else jsonb_set(doc, '{externalId}', to_jsonb(person_external_id)) end
         where tenant_id = ${p.add(tenantId)} and directory_id = ${p.add(directoryId)} and gone_at is null
         returning id, seat, role, cost_center`,
    );
    // The ledger records that a holder has no directory any more.
    this.seats.addUpdates(statement, tenantId, 'directory', source);
    statement.add(
      (p) => `insert into population_steps (tenant_id, owner, step)
         select ${p.add(tenantId)}, x.owner, x.step from (select count(*)::int as n from subject) f
         cross join lateral (values (${p.add(directoryId, 'text')}, -f.n), ('', f.n)) as x(owner, step) where f.n > 0`,
    );
    statement.answer(() => 'id');
    await statement.run(tx);
  }
}

/** Ends the wait for an administrator of a deleted directory's writes; the users stay unchanged. */
async function endKept(db: SqlRunner, tenantId: string, directoryId: string): Promise<void> {
  await db.query(
    `update users set kept_for = null, held = nullif(held, 'needs_admin'),
       held_since = case when held = 'needs_admin' then null else held_since end,
       version = version + 1, quiet_writes = quiet_writes + 1, resource_at = coalesce(resource_at, updated_at)
     where tenant_id = $1 and kept_for = $2`,
    [tenantId, directoryId],
  );
}

/**
 * Ends the holds that a deleted directory caused: resources become the effective state, and removed users exist again.
 * A `userName` that another user has by now gets a suffix.
 */
async function settleHeld(db: SqlRunner, tenantId: string, directoryId: string): Promise<void> {
  let after = '';
  for (;;) {
    const { rows } = await db.query<UserRow>(
      `select ${USER_COLUMNS} from users u where u.tenant_id = $1 and u.directory_id = $2 and u.id > $3
         and (u.held = any($4::text[]) or u.gone_at is not null or u.user_name_key < chr(2))
       order by u.id limit ${BATCH} for update of u`,
      [tenantId, directoryId, after, ITS_SAKE],
    );
    if (rows.length > 0) await settle(db, tenantId, directoryId, rows);
    if (rows.length < BATCH) return;
    after = rows.at(-1)!.id;
  }
}

async function settle(db: SqlRunner, tenantId: string, directoryId: string, rows: UserRow[]): Promise<void> {
  const taken = await takenNames(db, tenantId, rows);
  const names = rows.map((row) => {
    const name = knownAs(row).user_name;
    if (!isOutOfTheWay(row)) return name;
    const key = userNameKey(name);
    const isTaken = taken.has(key);
    taken.add(key); // Two removed users may have had one name.
    return isTaken ? standIn(name) : name;
  });
  const docs = rows.map((row, i) => discarded(row, {}, { byResource: null, byRules: row.role }, names[i]).doc);
  await db.query(
    `update users u set doc = x.doc::jsonb, doc_bytes = null, active = u.status = 'active', user_name = x.name,
       user_name_key = x.key, requested_email_key = null, gone_at = null, version = u.version + 1,
       resource_at = greatest(date_trunc('milliseconds', now()), u.resource_at, u.updated_at),
       held = case when u.held = any($6::text[]) or u.gone_at is not null then null else u.held end,
       held_since = case when u.held = any($6::text[]) or u.gone_at is not null then null else u.held_since end
     from unnest($2::text[], $3::text[], $4::text[], $5::text[]) x(id, doc, name, key)
     where u.tenant_id = $1 and u.id = x.id`,
    [
      tenantId,
      rows.map((row) => row.id),
      docs.map((doc) => JSON.stringify(doc)),
      names,
      names.map(userNameKey),
      ITS_SAKE,
    ],
  );
  await replaceEmails(db, tenantId, rows, docs);
  const returned = rows.filter((row) => row.gone).length;
  if (returned === 0) return;
  // The removal subtracted these users; the release of the directory moves the number of all its users.
  await db.query(`insert into population_steps (tenant_id, owner, step) values ($1, $2, $3)`, [
    tenantId,
    directoryId,
    returned,
  ]);
}

/** Returns whether SCIM shows another name than the one in force: another user may have the latter by now. */
function isOutOfTheWay(row: UserRow): boolean {
  return isAside(row.user_name_key) || userNameKey(knownAs(row).user_name) !== row.user_name_key;
}

async function takenNames(db: SqlRunner, tenantId: string, rows: UserRow[]): Promise<Set<string>> {
  const wanted = rows.filter(isOutOfTheWay).map((row) => userNameKey(knownAs(row).user_name));
  if (wanted.length === 0) return new Set();
  const { rows: found } = await db.query<{ key: string }>(
    `select user_name_key as key from users where tenant_id = $1 and user_name_key = any($2::text[])`,
    [tenantId, wanted],
  );
  return new Set(found.map(({ key }) => key));
}

/** Replaces the e-mail rows, by which filters find users, with those of the resources. */
async function replaceEmails(db: SqlRunner, tenantId: string, rows: UserRow[], docs: UserDocument[]): Promise<void> {
  const ids = rows.map((row) => row.id);
  await db.query(`delete from user_emails where tenant_id = $1 and user_id = any($2::text[])`, [tenantId, ids]);
  const emails = docs.flatMap((doc, i) => draftOf(doc).emails.map((email, n) => ({ id: ids[i]!, n: n + 1, ...email })));
  await db.query(
    `insert into user_emails (tenant_id, user_id, ordinal, value_key, type_key)
     select $1, x.* from unnest($2::text[], $3::smallint[], $4::text[], $5::text[]) x on conflict do nothing`,
    [
      tenantId,
      emails.map((email) => email.id),
      emails.map((email) => email.n),
      emails.map((email) => email.value),
      emails.map((email) => email.type),
    ],
  );
}
