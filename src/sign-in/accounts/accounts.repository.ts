import { Injectable } from '@nestjs/common';
import { codeOf, Database, type SqlRunner } from '../../base/database/database.js';
import type { WriteStatement } from '../../base/database/write-statement.js';
import { userNameKey } from '../../scim/text.js';
import { emailKey } from '../../users/user.mapping.js';
import { ownedDomain } from '../../connections/domains/domains.store.js';
import type { Binding, Candidate, LinkKind } from './account.rules.js';

const COLUMNS = `u.id, u.directory_id, u.source, u.status, u.seat, u.held, u.external_id, u.user_name, u.email,
  u.gone_at is not null as gone, u.session_epoch`;

/** More than this many people under one value are as good as none: nobody could say which one is meant. */
const FEW = 3;

/** The role of the catalogue whose users administer the tenant. */
const ADMIN_ROLE = 'Admin';

const NOT_NULL_VIOLATION = '23502';

/** Whom an IdP's subject is, and who could be meant by what it says. */
@Injectable()
export class AccountsRepository {
  constructor(private readonly db: Database) {}

  /** The binding of a subject, with whether it still holds, or has ended because the person was removed. */
  async binding(
    tenantId: string,
    connectionId: string,
    subject: string,
  ): Promise<(Binding & { ended: boolean; removed: boolean }) | null> {
    const { rows } = await this.db.query<Binding & { ended: boolean; removed: boolean }>(
      `select subject, user_id, made_by, made_of, ended_at is not null as ended,
         coalesce(end_reason = 'deleted', false) as removed
       from identities
       where tenant_id = $1 and connection_id = $2 and subject = $3`,
      [tenantId, connectionId, subject],
    );
    return rows[0] ?? null;
  }

  /** The binding that a person has at a connection. */
  async bindingOf(tenantId: string, connectionId: string, userId: string): Promise<Binding | null> {
    const { rows } = await this.db.query<Binding>(
      `select subject, user_id, made_by, made_of from identities
       where tenant_id = $1 and user_id = $3 and connection_id = $2 and ended_at is null`,
      [tenantId, connectionId, userId],
    );
    return rows[0] ?? null;
  }

  /** One person; with `lock`, so that nobody puts them out before the transaction ends. */
  async person(tenantId: string, id: string, db: SqlRunner = this.db, lock = false): Promise<Candidate | null> {
    const { rows } = await db.query<Candidate>(
      `select ${COLUMNS} from users u where u.tenant_id = $1 and u.id = $2 ${lock ? 'for share' : ''}`,
      [tenantId, id],
    );
    return rows[0] ?? null;
  }

  /** Whom a directory knows under this `externalId`. */
  async byExternalId(tenantId: string, directoryId: string, value: string): Promise<Candidate[]> {
    const { rows } = await this.db.query<Candidate>(
      `select ${COLUMNS} from users u
       where u.tenant_id = $1 and u.external_id = $3 and u.directory_id = $2 and u.gone_at is null limit ${FEW}`,
      [tenantId, directoryId, value],
    );
    return rows;
  }

  /** Who has this user name in a directory. */
  async byUserName(tenantId: string, directoryId: string, value: string): Promise<Candidate[]> {
    const { rows } = await this.db.query<Candidate>(
      `select ${COLUMNS} from users u
       where u.tenant_id = $1 and u.user_name_key = $3 and u.directory_id = $2 and u.gone_at is null limit ${FEW}`,
      [tenantId, directoryId, userNameKey(value)],
    );
    return rows;
  }

  /**
   * Who has this e-mail: the one who is active, else who is not. For a paired connection only people of its directory
   * and those whom no directory manages.
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

  /** Whether a user is the tenant's owner, or has the role of admins. */
  async administers(tenantId: string, id: string): Promise<boolean> {
    const { rowCount } = await this.db.query(
      `select 1 from users u join tenants t on t.id = $1
       where u.tenant_id = $1 and u.id = $2 and (t.owner_user_id = u.id or u.id = any (t.break_glass) or u.role = $3)`,
      [tenantId, id, ADMIN_ROLE],
    );
    return rowCount === 1;
  }

  /**
   * Who of those that were deleted had this e-mail, or, in the paired directory, this key or user name; null: nobody.
   * The latest of each. What an IdP calls somebody says nothing about people of other directories.
   */
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

  /**
   * Binds a subject to a person, in place of what was found to give way and of nothing else; false where somebody was
   * quicker. Whoever was signed in under what is replaced is so no longer.
   *
   * What lets the person in on an IdP's word alone, at whichever connection, gives way to the proof that this is: else
   * whoever came first under an address would go on beside its owner.
   */
  async bind(
    tx: SqlRunner,
    tenantId: string,
    connectionId: string,
    binding: Binding,
    replaces: { subject: string | null; userId: string | null },
  ): Promise<boolean> {
    await tx.query(
      `update sessions s set ended_at = clock_timestamp(), end_reason = 'binding_moved'
       where s.tenant_id = $1 and s.connection_id = $2 and s.ended_at is null
         and ((s.subject = $4 and s.user_id = $6) or (s.user_id = $3 and s.subject = $5))`,
      [tenantId, connectionId, binding.user_id, binding.subject, replaces.subject, replaces.userId],
    );
    await tx.query(
      `delete from identities where tenant_id = $1 and user_id = $3 and connection_id = $2 and subject = $4
         and ended_at is null`,
      [tenantId, connectionId, binding.user_id, replaces.subject],
    );
    await this.dropUnproven(tx, tenantId, binding.user_id);
    const { rowCount } = await tx.query(
      `insert into identities (tenant_id, connection_id, subject, user_id, made_by, made_of)
       values ($1, $2, $3, $4, $5, $6)
       on conflict (tenant_id, connection_id, subject) do update set user_id = excluded.user_id,
         made_by = excluded.made_by, made_of = excluded.made_of, created_at = now(), last_sign_in_at = now(),
         ended_at = null, end_reason = null
       where identities.ended_at is not null or identities.user_id = excluded.user_id or identities.user_id = $7`,
      [tenantId, connectionId, binding.subject, binding.user_id, binding.made_by, binding.made_of, replaces.userId],
    );
    return rowCount === 1;
  }

  private async dropUnproven(tx: SqlRunner, tenantId: string, userId: string): Promise<void> {
    const { rows } = await tx.query<{ connection_id: string; subject: string }>(
      `delete from identities where tenant_id = $1 and user_id = $2 and made_by = 'created' and made_of = ''
       returning connection_id, subject`,
      [tenantId, userId],
    );
    // After the deletion, which has waited for a sign-in that was just being written: its session is seen here.
    for (const { connection_id, subject } of rows) {
      await tx.query(
        `update sessions set ended_at = clock_timestamp(), end_reason = 'binding_moved'
         where tenant_id = $1 and user_id = $2 and connection_id = $3 and subject = $4 and ended_at is null`,
        [tenantId, userId, connection_id, subject],
      );
    }
  }

  /**
   * Notes that a binding was used; false where it is no longer there. What it is made of follows the directory; what was
   * read as unproven may have been proven since, and stays so.
   */
  async touch(tx: SqlRunner, tenantId: string, connectionId: string, binding: Binding): Promise<boolean> {
    const { rowCount } = await tx.query(
      `update identities set last_sign_in_at = now(),
         made_by = case when $6 = 'created' and $5 = '' then made_by else $6 end,
         made_of = case when $6 = 'created' and $5 = '' then made_of else $5 end
       where tenant_id = $1 and connection_id = $2 and subject = $3 and user_id = $4 and ended_at is null`,
      [tenantId, connectionId, binding.subject, binding.user_id, binding.made_of, binding.made_by],
    );
    return rowCount === 1;
  }

  /**
   * Adds the binding of somebody whom this very statement makes. Where the connection has been changed meanwhile, the
   * domain that proves the e-mail is not what it was, or the subject was bound by somebody quicker, a column gets the null
   * that it must not have: the database then takes the whole statement back, the person with it (`notBound` tells it from
   * other errors). Connection and domain are held until the commit, and so are read as they are by then, not as they
   * were when the statement began. Where nothing but the IdP's word vouches for the e-mail (`domain` is null), the
   * binding is made of nothing (`isUnproven`).
   */
  bindNew(
    statement: WriteStatement,
    { tenantId, id, version }: { tenantId: string; id: string; version: number },
    subject: string,
    proof: { madeBy: Extract<LinkKind, 'created' | 'email'>; madeOf: string; domain: string | null },
  ): void {
    const { madeBy, madeOf, domain } = proof;
    const connection = statement.given(
      (p) => `select c.id from connections c
        where c.tenant_id = ${p.add(tenantId)} and c.id = ${p.add(id)} and c.version = ${p.add(version, 'int')}
          and c.enabled and c.deleted_at is null for share`,
    );
    const owned =
      domain === null ? null : statement.given((p) => ownedDomain(p.add(tenantId), p.add(domain), p.add(id)));
    statement.add(
      (p) => `insert into identities (tenant_id, connection_id, subject, user_id, made_by, made_of)
        select ${p.add(tenantId, 'text')}, c.id, ${p.add(subject)}, s.id, ${p.add(madeBy)},
          ${owned === null ? p.add(madeOf) : `case when exists (select 1 from ${owned.name}) then ${p.add(madeOf)} end`}
        from subject s left join ${connection.name} c on true
        on conflict (tenant_id, connection_id, subject) do update
          set user_id = case when identities.ended_at is not null then excluded.user_id end,
            made_by = excluded.made_by, made_of = excluded.made_of, created_at = now(), last_sign_in_at = now(),
            ended_at = null, end_reason = null`,
    );
  }
}

/** Why `bindNew` has taken a statement back; null: it has not, the error is another one. */
export function notBound(error: unknown): 'connection_changed' | 'domain_changed' | 'account_taken' | null {
  const { table, column } = (error ?? {}) as { table?: unknown; column?: unknown };
  if (codeOf(error) !== NOT_NULL_VIOLATION || table !== 'identities') return null;
  if (column === 'connection_id') return 'connection_changed';
  return column === 'made_of' ? 'domain_changed' : 'account_taken';
}
