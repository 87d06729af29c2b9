import { Injectable } from '@nestjs/common';
import type { SqlRunner } from '../../base/database/database.js';
import type { Fragment } from '../../base/database/params.js';
import {
  type Binding,
  type Replaced,
  type ConnectionEndReason,
  type EndedSession,
  type EndReason,
  SessionEvents,
} from './session.js';

const ENDED = `id, user_id, connection_id, subject, idp_session, name_id, id_token_sealed, end_reason`;

function ending(tenantId: string, why: EndReason, which: Fragment): Fragment {
  return (p) => {
    const tenant = p.add(tenantId);
    return `update sessions set ended_at = clock_timestamp(), end_reason = ${p.add(why)}
      where tenant_id = ${tenant} and ended_at is null and ${which(p)} returning ${ENDED}`;
  };
}

/** Ends sessions, one statement for each cause. */
@Injectable()
export class SessionEndings {
  constructor(private readonly events: SessionEvents) {}

  /** Ends one session of a user, or of any user for null. Returns null when it had ended before. */
  async end(
    db: SqlRunner,
    tenantId: string,
    id: string,
    why: EndReason,
    userId: string | null = null,
  ): Promise<EndedSession | null> {
    const [ended] = await this.run(db, tenantId, why, (p) => {
      const own = userId === null ? '' : ` and user_id = ${p.add(userId)}`;
      return `id = ${p.add(id)}${own}`;
    });
    return ended ?? null;
  }

  async endByHash(db: SqlRunner, tenantId: string, hash: Buffer, why: EndReason): Promise<EndedSession | null> {
    const [ended] = await this.run(db, tenantId, why, (p) => `hash = ${p.add(hash)}`);
    return ended ?? null;
  }

  /** Ends the stored sessions of a user; returns their number. */
  async ofUser(db: SqlRunner, tenantId: string, userId: string, why: EndReason): Promise<number> {
    return (await this.run(db, tenantId, why, (p) => `user_id = ${p.add(userId)}`)).length;
  }

  /**
   * Ends the sessions that an IdP has ended: of a user, sessions of its own, or both. A session without a named IdP
   * session may be one of them.
   *
   * @param name the IdP's name for the user: the NameID of SAML, else the subject; null when the logout names only
   * sessions
   */
  async endByIdp(
    db: SqlRunner,
    tenantId: string,
    connectionId: string,
    name: string | null,
    idpSessions: readonly string[],
  ): Promise<EndedSession[]> {
    // Two texts, so that each has its index: plans are generic.
    return this.run(db, tenantId, 'idp_logout', (p) => {
      const at = `connection_id = ${p.add(connectionId)}`;
      const sessions = p.add(idpSessions, 'text[]');
      if (name === null) return `${at} and idp_session = any (${sessions})`;
      return `${at} and coalesce(name_id ->> 'value', subject) = ${p.add(name)}
        and (cardinality(${sessions}) = 0 or idp_session = any (${sessions}) or idp_session is null
          or other_idp_sessions && ${sessions})`;
    });
  }

  /** Ends the oldest live sessions of a user beyond the newest `most`. */
  async endOldest(tx: SqlRunner, tenantId: string, userId: string, most: number): Promise<void> {
    await this.run(tx, tenantId, 'too_many_sessions', (p) => {
      const user = p.add(userId);
      return `user_id = ${user} and id <= (
        select o.id from sessions o where o.tenant_id = ${p.add(tenantId)} and o.user_id = ${user} and o.ended_at is null
        order by o.id desc offset ${p.add(most)} limit 1)`;
    });
  }

  async ofConnection(tx: SqlRunner, tenantId: string, connectionId: string, why: ConnectionEndReason): Promise<void> {
    await this.run(tx, tenantId, why, (p) => `connection_id = ${p.add(connectionId)}`);
  }

  async ofUserAt(
    tx: SqlRunner,
    tenantId: string,
    userId: string,
    connectionId: string,
    why: EndReason,
  ): Promise<number> {
    const ended = await this.run(tx, tenantId, why, (p) => {
      return `user_id = ${p.add(userId)} and connection_id = ${p.add(connectionId)}`;
    });
    return ended.length;
  }

  async ofReplaced(
    tx: SqlRunner,
    tenantId: string,
    connectionId: string,
    binding: Pick<Binding, 'subject' | 'user_id'>,
    replaces: Replaced,
  ): Promise<void> {
    await this.run(tx, tenantId, 'binding_moved', (p) => {
      const user = p.add(binding.user_id);
      return `connection_id = ${p.add(connectionId)}
        and ((subject = ${p.add(binding.subject)} and user_id = ${p.add(replaces.userId)})
          or (user_id = ${user} and subject = ${p.add(replaces.subject)}))`;
    });
  }

  async ofBinding(
    tx: SqlRunner,
    tenantId: string,
    binding: { connection_id: string; subject: string; user_id: string },
  ): Promise<void> {
    await this.run(tx, tenantId, 'binding_moved', (p) => {
      const { connection_id: connection, subject, user_id: user } = binding;
      return `connection_id = ${p.add(connection)} and subject = ${p.add(subject)} and user_id = ${p.add(user)}`;
    });
  }

  private run(db: SqlRunner, tenantId: string, why: EndReason, which: Fragment): Promise<EndedSession[]> {
    return this.events.end(db, tenantId, ending(tenantId, why, which));
  }
}
