import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../base/database/database.js';
import type { PageRequest } from '../../base/http/page.js';
import type { LinkKind } from './binding.js';
import { readIdentityPlace, type IdentityPlace } from './identity-place.rules.js';

interface IdentityFacts {
  subject: string;
  made_by: LinkKind;
  made_of: string;
  created_at: Date;
  last_sign_in_at: Date;
  ended_at: Date | null;
  end_reason: string | null;
}

/** A binding in the list of a user. */
export interface UserIdentity extends IdentityFacts {
  connection_id: string;
  connection: string;
}

/** A binding in the list of a connection, with its place there. */
export interface ConnectionIdentity extends IdentityFacts {
  user_id: string;
  place: IdentityPlace;
}

const FACTS = `i.subject, i.made_by, i.made_of, i.created_at, i.last_sign_in_at, i.ended_at, i.end_reason`;

/**
 * The query that finds a row when a domain counts for a connection; the arguments are SQL expressions. The room that
 * owns the domains fills it in.
 */
export type OwnedDomainQuery = (tenantId: string, domain: string, connectionId: string) => string;

/** SQL: whether a sign-in can find the user `u` without a binding; `$1` tenant, `$2` connection, `$3` paired directory. */
function isLinkable(ownedDomain: OwnedDomainQuery): string {
  const query = ownedDomain('$1', `lower(split_part(u.email, '@', 2))`, '$2');
  return `coalesce(u.directory_id = $3 or exists (${query}), false)`;
}

/** Bindings of subjects to users, as administrators list and end them. */
@Injectable()
export class IdentitiesRepository {
  constructor(private readonly db: Database) {}

  /** Lists all bindings of a user, newest first. A user has at most one live binding at each connection. */
  async ofPerson(tenantId: string, userId: string): Promise<UserIdentity[]> {
    const { rows } = await this.db.query<UserIdentity>(
      // Not a join: it would read all bindings of each connection.
      `select i.connection_id, (select c.name from connections c where c.tenant_id = $1 and c.id = i.connection_id) as connection,
         ${FACTS} from identities i
       where i.tenant_id = $1 and i.user_id = $2 order by i.created_at desc, i.connection_id desc, i.subject desc`,
      [tenantId, userId],
    );
    return rows;
  }

  /**
   * Lists the bindings of a connection, newest first.
   *
   * @param ended true: ended ones alone; false: live ones alone; null: both
   */
  async ofConnection(
    tenantId: string,
    connectionId: string,
    ended: boolean | null,
    page: Pick<PageRequest, 'limit' | 'after'>,
  ): Promise<ConnectionIdentity[]> {
    const { at, key } = readIdentityPlace(page.after);
    const { rows } = await this.db.query<Omit<ConnectionIdentity, 'place'> & IdentityPlace>(
      `select i.user_id, ${FACTS}, md5(i.subject) as key,
         to_char(i.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at
       from identities i
       where i.tenant_id = $1 and i.connection_id = $2 and ($3::boolean is null or (i.ended_at is not null) = $3)
         and (i.created_at, md5(i.subject) collate "C") < ($4::timestamptz, $5::text)
       order by i.created_at desc, md5(i.subject) collate "C" desc limit $6`,
      [tenantId, connectionId, ended, at, key, page.limit + 1],
    );
    return rows.map(({ at: placeAt, key: placeKey, ...body }) => ({ ...body, place: { at: placeAt, key: placeKey } }));
  }

  /** Whether the tenant has, or had, a user with this id. */
  async isPerson(tenantId: string, userId: string): Promise<boolean> {
    const { rows } = await this.db.query<{ known: boolean }>(
      `select exists (select 1 from users where tenant_id = $1 and id = $2)
         or exists (select 1 from deleted_users where tenant_id = $1 and id = $2) as known`,
      [tenantId, userId],
    );
    return rows[0]!.known;
  }

  /**
   * Removes the bindings of a user at a connection, live and ended, and returns them. A concurrent sign-in holds the
   * user: this waits for it and removes its binding, too.
   */
  async release(tx: SqlRunner, tenantId: string, userId: string, connectionId: string): Promise<UserIdentity[]> {
    await tx.query(`select 1 from users where tenant_id = $1 and id = $2 for update`, [tenantId, userId]);
    const { rows } = await tx.query<UserIdentity>(
      `delete from identities i using connections c
       where i.tenant_id = $1 and i.user_id = $2 and i.connection_id = $3 and c.tenant_id = $1 and c.id = $3
       returning i.connection_id, c.name as connection, ${FACTS}`,
      [tenantId, userId, connectionId],
    );
    return rows;
  }

  /**
   * Counts the live bindings of a connection by whether the next sign-in can find their users again: users of the
   * paired directory, and users with an e-mail in a domain that counts for the connection.
   */
  async countForgettable(
    db: SqlRunner,
    tenantId: string,
    connectionId: string,
    directoryId: string | null,
    ownedDomain: OwnedDomainQuery,
  ): Promise<{ forgettable: number; others: number }> {
    const linkable = isLinkable(ownedDomain);
    const { rows } = await db.query<{ forgettable: number; others: number }>(
      `select count(*) filter (where ${linkable})::int as forgettable, count(*) filter (where not ${linkable})::int as others
       from identities i join users u on u.tenant_id = $1 and u.id = i.user_id
       where i.tenant_id = $1 and i.connection_id = $2 and i.ended_at is null`,
      [tenantId, connectionId, directoryId],
    );
    return rows[0]!;
  }

  /** Ends the live bindings of a connection whose users the next sign-in can find again; returns their number. */
  async forgetSubjects(
    tx: SqlRunner,
    tenantId: string,
    connectionId: string,
    directoryId: string | null,
    ownedDomain: OwnedDomainQuery,
  ): Promise<number> {
    const { rowCount } = await tx.query(
      `update identities i set ended_at = now(), end_reason = 'released' from users u
       where i.tenant_id = $1 and i.connection_id = $2 and i.ended_at is null and u.tenant_id = $1 and u.id = i.user_id
         and ${isLinkable(ownedDomain)}`,
      [tenantId, connectionId, directoryId],
    );
    return rowCount ?? 0;
  }
}
