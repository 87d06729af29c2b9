import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../base/database/database.js';
import { userNameKey } from '../../../protocols/scim/text.js';
import type { StoredBinding } from '../../../tenancy/sessions/session.js';
import { emailKey } from '../../../directory-sync/users/user.mapping.js';
import type { Candidate } from './account.rules.js';

/** The names of `u` in force: a written name that is held identifies no user. */
const IS_KNOWN = `(u.status = 'active' and u.known_as is not null)`;
const NAMES = `case when ${IS_KNOWN} then u.known_as ->> 'external_id' else u.external_id end as external_id,
  case when ${IS_KNOWN} then u.known_as ->> 'user_name' else u.user_name end as user_name`;
const COLUMNS = `u.id, u.directory_id, u.source, u.status, u.seat, u.held, ${NAMES}, u.email,
  u.gone_at is not null as gone, u.status = 'active' and (u.gone_at is not null or not u.active) as leaving, u.session_epoch`;

/** A user who has an e-mail in force, or is held and requests it. */
export interface EmailClaimant {
  id: string;
  email_key: string;
  directory_id: string | null;
  requests: boolean;
}

/** Users read per value. More than one is ambiguous. */
const FEW = 3;

type BoundRow = Omit<StoredBinding, 'subject' | 'user_id'> & { unchanged: boolean; bound_id: string | null } & (
    Candidate | { id: null }
  );

function isFound(user: Candidate | { id: null }): user is Candidate {
  return user.id !== null;
}

@Injectable()
export class AccountsRepository {
  constructor(private readonly db: Database) {}

  /**
   * Returns the binding of a subject, live or ended, and the user of a live one; and whether the connection is enabled and has
   * not changed since it was read. One statement, since every sign-in needs all of it.
   */
  async ofSubject(
    tenantId: string,
    { id, version }: { id: string; version: number },
    subject: string,
  ): Promise<{ binding: StoredBinding | null; user: Candidate | null; unchanged: boolean }> {
    const { rows } = await this.db.query<BoundRow>(
      `select c.id is not null as unchanged, i.user_id as bound_id, i.made_by, i.made_of, i.ended_at is not null as ended,
         coalesce(i.end_reason = 'deleted', false) as removed, ${COLUMNS}
       from (values (1)) one (row)
         left join connections c on c.tenant_id = $1 and c.id = $2 and c.version = $4 and c.enabled and c.deleted_at is null
         left join identities i on i.tenant_id = $1 and i.connection_id = $2 and i.subject = $3
         left join users u on u.tenant_id = $1 and u.id = i.user_id and i.ended_at is null`,
      [tenantId, id, subject, version],
    );
    const { unchanged, bound_id, made_by, made_of, ended, removed, ...user } = rows[0]!;
    if (bound_id === null) return { binding: null, user: null, unchanged };
    const binding = { subject, user_id: bound_id, made_by, made_of, ended, removed };
    return { binding, user: isFound(user) ? user : null, unchanged };
  }

  /** With `lock`, held against a deactivation until the transaction ends. */
  async person(tenantId: string, id: string, db: SqlRunner = this.db, lock = false): Promise<Candidate | null> {
    const { rows } = await db.query<Candidate>(
      `select ${COLUMNS} from users u where u.tenant_id = $1 and u.id = $2 ${lock ? 'for share' : ''}`,
      [tenantId, id],
    );
    return rows[0] ?? null;
  }

  byExternalId(tenantId: string, directoryId: string, value: string): Promise<Candidate[]> {
    return this.named(tenantId, directoryId, 'external_id', value);
  }

  byUserName(tenantId: string, directoryId: string, value: string): Promise<Candidate[]> {
    return this.named(tenantId, directoryId, 'user_name_key', userNameKey(value));
  }

  private async named(
    tenantId: string,
    directoryId: string,
    name: 'external_id' | 'user_name_key',
    value: string,
  ): Promise<Candidate[]> {
    const probe = (condition: string): string => `(select ${COLUMNS} from users u
       where u.tenant_id = $1 and ${condition} and u.directory_id = $2 and u.gone_at is null limit ${FEW})`;
    const { rows } = await this.db.query<Candidate>(
      `${probe(`u.${name} = $3 and not ${IS_KNOWN}`)}
       union all ${probe(`u.known_as is not null and u.known_as ->> '${name}' = $3 and ${IS_KNOWN}`)}`,
      [tenantId, directoryId, value],
    );
    return rows;
  }

  /**
   * Lists the users of the tenant who have one of some e-mails in force, or are held and request it, in any directory. At most
   * three of each directory: copies in one do not hide those in another.
   */
  async emailClaimants(tenantId: string, emails: readonly string[]): Promise<EmailClaimant[]> {
    const probe = (column: string, requests: boolean, condition: string) =>
      `(select c.id, k.key as email_key, c.directory_id, ${requests} as requests from (
          select u.id, u.directory_id, row_number() over (partition by u.directory_id) as place from users u
          where u.tenant_id = $1 and u.${column} = k.key and ${condition}) c where c.place <= ${FEW})`;
    const { rows } = await this.db.query<EmailClaimant>(
      `select x.* from unnest($2::text[]) k (key) cross join lateral (
         ${probe('email_key', false, `u.status = 'active'`)}
         union all ${probe('email_key', true, `u.status = 'inactive' and u.held is not null`)}
         union all ${probe('requested_email_key', true, 'u.requested_email_key is not null')}) x`,
      [tenantId, [...new Set(emails.map(emailKey))]],
    );
    return rows;
  }

  /**
   * Lists the active users with an e-mail, else the inactive ones.
   *
   * @param directoryId the paired directory: only its users, and those of no directory; null lists all users
   */
  async byEmail(tenantId: string, directoryId: string | null, value: string): Promise<Candidate[]> {
    const probe = (status: string) =>
      `select ${COLUMNS} from users u where u.tenant_id = $1 and u.email_key = $3 and u.status = '${status}'
         and ($2::text is null or u.directory_id is null or u.directory_id = $2)`;
    const { rows } = await this.db.query<Candidate>(`${probe('active')} union all ${probe('inactive')} limit ${FEW}`, [
      tenantId,
      directoryId,
      emailKey(value),
    ]);
    const active = rows.filter((row) => row.status === 'active');
    return active.length > 0 ? active : rows;
  }

  /** Returns those of `ids` who own the tenant, are break-glass accounts, or have a role that administers. */
  async administrators(tenantId: string, ids: readonly string[]): Promise<string[]> {
    const { rows } = await this.db.query<{ id: string }>(
      `select u.id from users u join tenants t on t.id = $1
       where u.tenant_id = $1 and u.id = any ($2)
         and (t.owner_user_id = u.id or u.id = any (t.break_glass) or exists (
           select 1 from roles r where r.tenant_id = $1 and r.name = u.role and r.console <> 'none'))`,
      [tenantId, ids],
    );
    return rows.map(({ id }) => id);
  }

  /** Returns the last deleted user who had this `externalId` or user name in the paired directory, or this e-mail. */
  async deleted(
    tenantId: string,
    directoryId: string | null,
    account: { link: string | null; userName: string | null; email: string | null },
  ): Promise<string | null> {
    const latest = (which: string): string =>
      `(select d.id from deleted_users d where d.tenant_id = $1 and ${which} order by d.deleted_at desc limit 1)`;
    const { rows } = await this.db.query<{ id: string | null }>(
      `select coalesce(${latest('d.directory_id = $2 and d.external_id = $3')},
         ${latest(`d.directory_id = $2 and lower(d.user_name collate "C") = lower($4::text collate "C")`)},
         ${latest(`lower((d.person ->> 'email') collate "C") = lower($5::text collate "C")`)}) as id`,
      [tenantId, directoryId, account.link, account.userName, account.email],
    );
    return rows[0]!.id;
  }
}
