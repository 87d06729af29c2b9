import { Injectable } from '@nestjs/common';
import type { SqlRunner } from '../base/database/database.js';
import type { WriteStatement } from '../base/database/write-statement.js';
import type { NameId } from '../saml/saml-sign-in.js';
import type { Binding, Replaced } from './binding.js';
import type { ConnectionEnd, SessionEnd } from './session-end.js';

/** An ended session, with what single logout needs. */
export interface EndedSession {
  id: string;
  user_id: string;
  connection_id: string | null;
  subject: string;
  idp_session: string | null;
  name_id: NameId | null;
  id_token_sealed: string | null;
}

const ENDED = `id, user_id, connection_id, subject, idp_session, name_id, id_token_sealed`;

/** The ways in which sessions end, one statement each. */
@Injectable()
export class SessionEndings {
  /**
   * Ends one session. Returns it; null when it had ended before.
   *
   * @param userId ends it only if it is this user's; null: any user's
   */
  async end(
    db: SqlRunner,
    tenantId: string,
    id: string,
    why: SessionEnd,
    userId: string | null = null,
  ): Promise<EndedSession | null> {
    const { rows } = await db.query<EndedSession>(
      `update sessions set ended_at = clock_timestamp(), end_reason = $3
       where tenant_id = $1 and id = $2 and ended_at is null and ($4::text is null or user_id = $4)
       returning ${ENDED}`,
      [tenantId, id, why, userId],
    );
    return rows[0] ?? null;
  }

  /** Ends the session of a cookie. */
  async endByHash(db: SqlRunner, tenantId: string, hash: Buffer, why: SessionEnd): Promise<EndedSession | null> {
    const { rows } = await db.query<EndedSession>(
      `update sessions set ended_at = clock_timestamp(), end_reason = $3
       where tenant_id = $1 and hash = $2 and ended_at is null
       returning ${ENDED}`,
      [tenantId, hash, why],
    );
    return rows[0] ?? null;
  }

  /** Ends all sessions of a user; returns their number. */
  async endAll(db: SqlRunner, tenantId: string, userId: string, why: SessionEnd): Promise<number> {
    // The epoch also ends a session that a concurrent sign-in is writing; the update waits for that sign-in.
    await db.query(`update users set session_epoch = session_epoch + 1 where tenant_id = $1 and id = $2`, [
      tenantId,
      userId,
    ]);
    const { rowCount } = await db.query(
      `update sessions set ended_at = clock_timestamp(), end_reason = $3
       where tenant_id = $1 and user_id = $2 and ended_at is null`,
      [tenantId, userId, why],
    );
    return rowCount ?? 0;
  }

  /**
   * Ends the sessions that an IdP has ended: of a user, of its own sessions, or of both. A session that named no IdP
   * session at sign-in may be the one.
   *
   * @param name the IdP's name for the user: the NameID of SAML, else the subject; null: the logout names sessions
   *   alone
   */
  async endByIdp(
    db: SqlRunner,
    tenantId: string,
    connectionId: string,
    name: string | null,
    idpSessions: readonly string[],
  ): Promise<EndedSession[]> {
    // Two texts, so that each has its index: plans are generic.
    const which =
      name === null
        ? `idp_session = any ($3::text[])`
        : `coalesce(name_id ->> 'value', subject) = $4
           and (cardinality($3::text[]) = 0 or idp_session = any ($3) or idp_session is null)`;
    const { rows } = await db.query<EndedSession>(
      `update sessions set ended_at = clock_timestamp(), end_reason = 'idp_logout'
       where tenant_id = $1 and connection_id = $2 and ended_at is null and ${which}
       returning ${ENDED}`,
      [tenantId, connectionId, idpSessions, ...(name === null ? [] : [name])],
    );
    return rows;
  }

  /** Ends the oldest live sessions of a user beyond the newest `most`. */
  async endOldest(tx: SqlRunner, tenantId: string, userId: string, most: number): Promise<void> {
    await tx.query(
      `update sessions set ended_at = clock_timestamp(), end_reason = 'too_many_sessions'
       where tenant_id = $1 and user_id = $2 and ended_at is null and id <= (
         select o.id from sessions o where o.tenant_id = $1 and o.user_id = $2 and o.ended_at is null
         order by o.id desc offset $3 limit 1)`,
      [tenantId, userId, most],
    );
  }

  /**
   * Adds to a statement that begins a session: the former one of the browser ends, and the oldest live ones of the user
   * beyond the newest `most`, the new one included. The statement does not see the row of the new session.
   *
   * @param former the session of the browser's cookie; null: there is none
   */
  addTo(
    statement: WriteStatement,
    tenantId: string,
    former: { tenantId: string; hash: Buffer } | null,
    most: number,
  ): void {
    if (former !== null) {
      statement.add(
        (p) => `update sessions n set ended_at = clock_timestamp(), end_reason = 'signed_in_again' from subject s
          where n.tenant_id = ${p.add(former.tenantId)} and n.hash = ${p.add(former.hash)} and n.ended_at is null`,
      );
    }
    statement.add((p) => {
      const tenant = p.add(tenantId);
      // A row that two parts of a statement change is changed by one of them: the former session ends above.
      const hash = former === null ? null : p.add(former.hash);
      const others = (name: string): string => (hash === null ? '' : `and ${name}.hash <> ${hash}`);
      return `update sessions n set ended_at = clock_timestamp(), end_reason = 'too_many_sessions' from subject s
        where n.tenant_id = ${tenant} and n.user_id = s.user_id and n.ended_at is null ${others('n')} and n.id <= (
          select o.id from sessions o where o.tenant_id = ${tenant} and o.user_id = s.user_id and o.ended_at is null
            ${others('o')}
          order by o.id desc offset ${p.add(most - 1)} limit 1)`;
    });
  }

  /** Ends all sessions of a connection. */
  async ofConnection(tx: SqlRunner, tenantId: string, connectionId: string, why: ConnectionEnd): Promise<void> {
    await tx.query(
      `update sessions set ended_at = clock_timestamp(), end_reason = $3
       where tenant_id = $1 and connection_id = $2 and ended_at is null`,
      [tenantId, connectionId, why],
    );
  }

  /** Ends the sessions of a user through one connection; returns how many there were. */
  async ofUserAt(
    tx: SqlRunner,
    tenantId: string,
    userId: string,
    connectionId: string,
    why: SessionEnd,
  ): Promise<number> {
    const { rowCount } = await tx.query(
      `update sessions set ended_at = clock_timestamp(), end_reason = $4
       where tenant_id = $1 and user_id = $2 and connection_id = $3 and ended_at is null`,
      [tenantId, userId, connectionId, why],
    );
    return rowCount ?? 0;
  }

  /** Ends the sessions of what a new binding takes the place of. */
  async ofReplaced(
    tx: SqlRunner,
    tenantId: string,
    connectionId: string,
    binding: Pick<Binding, 'subject' | 'user_id'>,
    replaces: Replaced,
  ): Promise<void> {
    await tx.query(
      `update sessions set ended_at = clock_timestamp(), end_reason = 'binding_moved'
       where tenant_id = $1 and connection_id = $2 and ended_at is null
         and ((subject = $4 and user_id = $6) or (user_id = $3 and subject = $5))`,
      [tenantId, connectionId, binding.user_id, binding.subject, replaces.subject, replaces.userId],
    );
  }

  /** Ends the sessions that began with a binding which is gone. */
  async ofBinding(
    tx: SqlRunner,
    tenantId: string,
    binding: { connection_id: string; subject: string; user_id: string },
  ): Promise<void> {
    await tx.query(
      `update sessions set ended_at = clock_timestamp(), end_reason = 'binding_moved'
       where tenant_id = $1 and connection_id = $2 and subject = $3 and user_id = $4 and ended_at is null`,
      [tenantId, binding.connection_id, binding.subject, binding.user_id],
    );
  }
}
