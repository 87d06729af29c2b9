import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../base/database/database.js';
import { KeyedReads } from '../../base/database/record-list.js';
import { userNameKey } from '../../protocols/scim/text.js';
import { endSessionsOfChanged } from '../../tenancy/sessions/sessions.repository.js';
import { revokeUserKeys } from '../../tenancy/tenants/tenants.repository.js';
import type { RuleRole } from './role.rules.js';
import { RELATIONS, type Relations } from './user-relations.js';
import { emailKeyOf, type UserDraft } from './user.mapping.js';
import { ASIDE_KEY, asideKeys, standIn, nameWritten, USER_COLUMNS, type UserRow } from './user.row.js';

export type UserWithGroups = UserRow & Relations;

export interface ConflictingUserRow {
  id: string;
  directory_id: string | null;
  status: 'active' | 'inactive';
  gone: boolean;
  name_written: boolean;
  /** Out of force with a substitute `userName`, or one that only a preview has: another user can get the name. */
  yields: boolean;
  same_name: boolean;
  same_email: boolean;
  same_key: boolean;
  same_external_id: boolean;
  leaving: boolean;
}

interface EmailHolder {
  id: string;
  status: 'active' | 'inactive';
  person_external_id: string | null;
}

/** The statements that read users for a write. */
@Injectable()
export class UsersRepository {
  private readonly reads: KeyedReads<UserWithGroups>;
  private readonly names: KeyedReads<{ id: string; user_name_key: string }>;
  private readonly roles: KeyedReads<RoleOfUser>;

  constructor(private readonly db: Database) {
    const text = `select ${USER_COLUMNS}, ${RELATIONS} from users u where u.tenant_id = $1 and u.id = any($2)`;
    this.reads = new KeyedReads(db, text, ({ id }) => id);
    const named = `select o.id, o.user_name_key from users o
      where o.tenant_id = $1 and o.directory_id = $2 and o.user_name_key = any($3) and o.gone_at is null`;
    this.names = new KeyedReads(db, named, ({ user_name_key }) => user_name_key);
    this.roles = new KeyedReads(db, ROLES, ({ member_id }) => member_id);
  }

  async holderOf(tenantId: string, directoryId: string, key: string): Promise<string | null> {
    return (await this.names.read([tenantId, directoryId], key))[0]?.id ?? null;
  }

  /** Returns one user of the tenant; `lock` locks the row to the end of the transaction. */
  async read(tenantId: string, id: string, db: SqlRunner = this.db, lock = false): Promise<UserWithGroups | undefined> {
    if (db === this.db) return (await this.reads.read([tenantId], id))[0];
    const { rows } = await db.query<UserWithGroups>(
      `select ${USER_COLUMNS}, ${RELATIONS} from users u where u.tenant_id = $1 and u.id = $2${lock ? ' for update of u' : ''}`,
      [tenantId, id],
    );
    return rows[0];
  }

  /** Returns users with a value of the draft, and those that the draft of the directory `of` can be linked with. */
  async conflicting(
    tenantId: string,
    draft: UserDraft,
    key: string | null,
    self: string | null,
    db: SqlRunner,
    of: { id: string; takesOver: string | null } | null = null,
  ): Promise<ConflictingUserRow[]> {
    const email = emailKeyOf(draft.email);
    const values: unknown[] = [tenantId, draft.userNameKey, email, key, self, of?.id ?? null, draft.externalId];
    const add = (value: unknown) => `$${values.push(value)}`;
    // One probe for each index: with a single `or` the planner would choose one index and filter.
    const probe = (condition: string, sameName = 'o.user_name_key = $2') =>
      `select o.id, o.directory_id, o.status, o.gone_at is not null as gone, ${sameName} as same_name,
         coalesce(o.email_key = $3, false) as same_email, coalesce(o.person_external_id = $4, false) as same_key,
         coalesce(o.external_id = $7, false) as same_external_id,
         o.status = 'active' and (o.gone_at is not null or not o.active) as leaving,
         ${nameWritten('o')} as name_written,
         o.status = 'inactive' and (o.directory_id is null and not ${nameWritten('o')}
           or coalesce(o.held = 'preview', false) and not o.ever_active and o.directory_id is distinct from $6) as yields
       from users o where o.tenant_id = $1 and ${condition} and o.id is distinct from $5`;
    const probes = [
      probe(`o.user_name_key = $2`),
      probe(`o.email_key = $3 and o.status = 'active'`),
      probe(`o.email_key = $3 and o.directory_id is null`),
      probe(`o.person_external_id = $4 and o.status = 'active'`),
      probe(`o.person_external_id = $4 and o.status = 'inactive'`),
    ];
    if (of !== null && of.takesOver !== null) {
      probes.push(probe(`o.email_key = $3 and o.status = 'inactive' and o.directory_id = ${add(of.takesOver)}`));
    }
    if (of !== null) {
      const [from, to] = asideKeys(draft.userNameKey).map(add);
      const own = 'o.gone_at is not null and o.directory_id = $6';
      probes.push(probe(`o.user_name_key > ${from} and o.user_name_key < ${to} and ${own}`, 'true'));
      const sameName = `o.user_name_key > ${from} and o.user_name_key < ${to}`;
      if (draft.externalId !== null) probes.push(probe(`o.external_id = $7 and ${own}`, sameName));
    }
    const { rows } = await db.query<ConflictingUserRow>(probes.join('\n union '), values);
    return rows;
  }

  async isTaken(
    db: SqlRunner,
    tenantId: string,
    { email, external_id: key }: { email: string | null; external_id: string | null },
    exceptId: string,
  ): Promise<boolean> {
    const probe = (condition: string) =>
      `select 1 from users where tenant_id = $1 and ${condition} and status = 'active' and id <> $4`;
    const { rows } = await db.query(
      `${probe('email_key = $2')} union all ${probe('person_external_id = $3')} limit 1`,
      [tenantId, emailKeyOf(email), key, exceptId],
    );
    return rows.length > 0;
  }

  async holder(
    tenantId: string,
    column: 'email_key' | 'person_external_id',
    value: string,
  ): Promise<UserWithGroups | undefined> {
    const { rows } = await this.db.query<UserWithGroups>(
      `select ${USER_COLUMNS}, ${RELATIONS} from users u
       where u.tenant_id = $1 and u.${column} = $2 and u.status = 'active'`,
      [tenantId, value],
    );
    return rows[0];
  }

  async lockAll(tx: SqlRunner, tenantId: string, ids: readonly string[]): Promise<UserWithGroups[]> {
    const { rows } = await tx.query<UserWithGroups>(
      `select ${USER_COLUMNS}, ${RELATIONS} from users u where u.tenant_id = $1 and u.id = any($2) order by u.id
       for update of u`,
      [tenantId, ids],
    );
    return rows;
  }

  /**
   * Takes a unique value from users that get another one in the same transaction. A unique index refuses an exchange of
   * values even within one statement.
   */
  async clear(
    tx: SqlRunner,
    tenantId: string,
    column: 'email_key' | 'person_external_id',
    ids: readonly string[],
  ): Promise<void> {
    await tx.query(`update users set ${column} = null where tenant_id = $1 and id = any($2)`, [tenantId, ids]);
  }

  /**
   * Increments the session epoch of a user: sessions of earlier epochs are invalid. Waits for a sign-in that locks the
   * user.
   */
  async moveSessionEpoch(tx: SqlRunner, tenantId: string, userId: string): Promise<void> {
    await tx.query(`update users set session_epoch = session_epoch + 1 where tenant_id = $1 and id = $2`, [
      tenantId,
      userId,
    ]);
  }

  async byEmail(tenantId: string, key: string, db: SqlRunner = this.db): Promise<EmailHolder[]> {
    const probe = (status: string) =>
      `select id, status, person_external_id from users where tenant_id = $1 and email_key = $2 and status = '${status}'`;
    const { rows } = await db.query<EmailHolder>(
      `select * from (${probe('active')} union all ${probe('inactive')}) u order by status, id limit 10`,
      [tenantId, key],
    );
    return rows;
  }

  /**
   * Takes a substitute `userName`, or one that only a preview has, from a user out of force, for another user. A user
   * of a preview keeps the name in its resource.
   */
  async giveNameAway(tx: SqlRunner, tenantId: string, user: ConflictingUserRow, draft: UserDraft): Promise<void> {
    if (user.directory_id !== null) {
      await tx.query(
        `update users u set user_name_key = ${ASIDE_KEY} where u.tenant_id = $1 and u.id = $2 and u.user_name_key = $3`,
        [tenantId, user.id, draft.userNameKey],
      );
      return;
    }
    const name = standIn(draft.userName);
    await tx.query(
      `update users u set user_name = $4, user_name_key = $5, doc = jsonb_set(u.doc, '{userName}', to_jsonb($4::text)),
         doc_bytes = null, name_written = false, version = u.version + 1, resource_at = null,
         updated_at = greatest(date_trunc('milliseconds', now()), u.updated_at)
       where u.tenant_id = $1 and u.id = $2 and u.user_name_key = $3`,
      [tenantId, user.id, draft.userNameKey, name, userNameKey(name)],
    );
  }

  async rolesFromRules(tenantId: string, directoryId: string, userId: string, db: SqlRunner): Promise<RuleRole[]> {
    const rows =
      db === this.db
        ? await this.roles.read([tenantId, directoryId], userId)
        : (await db.query<RoleOfUser>(ROLES, [tenantId, directoryId, [userId]])).rows;
    return rows.map(ruleRole);
  }

  async rolesOfUsers(tenantId: string, directoryId: string, userIds: string[]): Promise<Map<string, RuleRole[]>> {
    const { rows } = await this.db.query<RoleOfUser>(ROLES, [tenantId, directoryId, userIds]);
    const found = new Map<string, RuleRole[]>();
    for (const row of rows) found.set(row.member_id, [...(found.get(row.member_id) ?? []), ruleRole(row)]);
    return found;
  }
}

function ruleRole({ role, group_id: id, group_name: name }: RoleOfUser): RuleRole {
  return { role, group: { id, name } };
}

interface RoleOfUser {
  member_id: string;
  role: string;
  group_id: string;
  group_name: string;
}

/** The roles that the rules of the directory `$2` give the users `$3`. */
const ROLES = `select m.member_id, r.role, g.id as group_id, g.display_name as group_name from group_rules r
  join group_members m on m.tenant_id = $1 and m.group_id = r.group_id and m.member_id = any($3)
  join groups g on g.tenant_id = $1 and g.id = r.group_id
  where r.tenant_id = $1 and r.directory_id = $2 order by r.position`;

/** Credentials that began at the moment in which their user was removed or changed: they are not valid. */
export const CREDENTIAL_LEFTOVERS = [
  endSessionsOfChanged(
    `exists (select 1 from users u where u.tenant_id = s.tenant_id and u.id = s.user_id and u.session_epoch <> s.user_epoch)`,
  ),
  revokeUserKeys(
    `not exists (select 1 from users u where u.tenant_id = k.tenant_id and u.id = k.owner_user_id and u.status = 'active')`,
  ),
] as const;

export const GROUP_LEFTOVERS = [
  // An id that no user has had for 90 days is a mistake of the IdP, and not late.
  `delete from pending_members p using tenants t where p.tenant_id = t.id and p.since < now() - interval '90 days'`,
] as const;

/** Departures that the guard no longer counts. They contain the resources of deleted users. */
export const GUARD_LEFTOVERS = [
  `delete from guard_departures where went_at < now() - interval '1 day'`,
  `delete from guard_changes where changed_at < now() - interval '1 day'`,
] as const;
