import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../base/database/database.js';
import { Params, type Fragment } from '../../../base/database/params.js';
import { NotFound } from '../../../base/errors/domain-error.js';
import type { PageRequest } from '../../../base/http/page.js';
import { BindingsRepository } from '../../../tenancy/sessions/bindings.repository.js';
import { SessionEndings } from '../../../tenancy/sessions/session-endings.repository.js';
import { BINDING_FACTS, type BindingFacts } from '../../../tenancy/sessions/session.js';
import { type AuditBy, AuditService } from '../../../tenancy/tenants/audit/audit.service.js';
import { ownedDomain } from '../../connections/domains/domains.store.js';
import { ConnectionsService } from '../../connections/service.js';
import type { ForgottenSubjectsBody, PersonIdentityBody } from './identities.dto.js';

/**
 * The binding after which a list continues: its time (UTC, in microseconds), and the MD5 hash of its subject for bindings of
 * the same time. The subject itself can be longer than a cursor.
 */
interface IdentityPlace {
  at: string;
  key: string;
}

export function identityPlaceText({ at, key }: IdentityPlace): string {
  return `${at} ${key}`;
}

export function readIdentityPlace(text: string | null): IdentityPlace {
  if (text === null) return { at: 'infinity', key: '' };
  const [at, key] = text.split(' ');
  return { at: at!, key: key! };
}

interface UserIdentity extends BindingFacts {
  connection_id: string;
  connection: string;
}

interface ConnectionIdentity extends BindingFacts {
  user_id: string;
  place: IdentityPlace;
}

/**
 * Returns SQL that is true of a binding `i` when a sign-in can find its user without it: a user of the paired directory, or a
 * user with an e-mail in a domain that counts for the connection.
 */
function linkable(tenantId: string, connectionId: string, directoryId: string | null): Fragment {
  return (p) => {
    const tenant = p.add(tenantId);
    // Without a lock: forgetting subjects decides no identity.
    const domain = ownedDomain(tenant, `lower(split_part(u.email, '@', 2))`, p.add(connectionId), false);
    return `exists (select 1 from users u where u.tenant_id = ${tenant} and u.id = i.user_id
      and (u.directory_id = ${p.add(directoryId)} or exists (${domain})))`;
  };
}

@Injectable()
export class IdentitiesService {
  constructor(
    private readonly db: Database,
    private readonly bindings: BindingsRepository,
    private readonly sessions: SessionEndings,
    private readonly connections: ConnectionsService,
    private readonly audit: AuditService,
  ) {}

  async ofPerson(tenantId: string, userId: string): Promise<PersonIdentityBody[]> {
    const rows = await this.rowsOfPerson(tenantId, userId);
    if (rows.length === 0 && !(await this.isPerson(tenantId, userId))) throw new NotFound('user');
    return rows;
  }

  async ofConnection(
    tenantId: string,
    connectionId: string,
    ended: boolean | null,
    page: PageRequest,
  ): Promise<ConnectionIdentity[]> {
    await this.connections.demand(tenantId, connectionId);
    return this.rowsOfConnection(tenantId, connectionId, ended, page);
  }

  /**
   * Ends the bindings of a connection whose users the next sign-in can find again, for an IdP that now sends other subjects
   * (another NameID format, another application). Sessions stay, and so do the bindings of deleted users.
   *
   * @throws {NotFound} when the tenant has no such connection
   */
  forgetSubjects(by: AuditBy, connectionId: string, dryRun: boolean): Promise<ForgottenSubjectsBody> {
    const { tenantId, actor, requestId } = by;
    return this.db.transaction(tenantId, async (tx) => {
      // Waits for concurrent sign-ins, which hold the connection.
      const { directory_id: directory } = await this.connections.demand(tenantId, connectionId, tx, true);
      const { forgettable, others } = await this.countForgettable(tx, tenantId, connectionId, directory);
      const result = { connection_id: connectionId, dry_run: dryRun, forgotten: forgettable, kept: others };
      if (dryRun) return result;
      const which = linkable(tenantId, connectionId, directory);
      const forgotten = await this.bindings.endReleased(tx, tenantId, connectionId, which);
      const line = { tenantId, actor, requestId, targetType: 'connection', targetId: connectionId };
      await this.audit.record(tx, {
        ...line,
        action: 'connection.subjects_forgotten',
        before: undefined,
        after: { forgotten, kept: others },
      });
      return { ...result, forgotten };
    });
  }

  /**
   * Removes the bindings of a user at a connection and ends the sessions through it: the next sign-in links anew. The remedy
   * for `bound_to_another` and, for a deleted user, for `account_deleted`.
   *
   * @throws {NotFound} when there is no such binding
   */
  async release(by: AuditBy, userId: string, connectionId: string): Promise<void> {
    await this.db.transaction(by.tenantId, async (tx) => {
      // A concurrent sign-in holds the user: its binding is removed, too.
      const connection = await this.lockRows(tx, by.tenantId, userId, connectionId);
      const released = await this.bindings.release(tx, by.tenantId, userId, connectionId);
      if (connection === null || released.length === 0) throw new NotFound('identity');
      const ended = await this.sessions.ofUserAt(tx, by.tenantId, userId, connectionId, 'ended_by_admin');
      await this.audit.record(tx, {
        tenantId: by.tenantId,
        actor: by.actor,
        requestId: by.requestId,
        action: 'identity.released',
        targetType: 'user',
        targetId: userId,
        before: { identities: released.map((one) => ({ connection_id: connectionId, connection, ...one })) },
        after: { connection_id: connectionId, sessions_ended: ended },
      });
    });
  }

  /** Newest first. A user has at most one live binding at each connection. */
  private async rowsOfPerson(tenantId: string, userId: string): Promise<UserIdentity[]> {
    const { rows } = await this.db.query<UserIdentity>(
      // Not a join: it would read all bindings of each connection.
      `select i.connection_id, (select c.name from connections c where c.tenant_id = $1 and c.id = i.connection_id) as connection,
         ${BINDING_FACTS} from identities i
       where i.tenant_id = $1 and i.user_id = $2 order by i.created_at desc, i.connection_id desc, i.subject desc`,
      [tenantId, userId],
    );
    return rows;
  }

  private async rowsOfConnection(
    tenantId: string,
    connectionId: string,
    ended: boolean | null,
    page: Pick<PageRequest, 'limit' | 'after'>,
  ): Promise<ConnectionIdentity[]> {
    const { at, key } = readIdentityPlace(page.after);
    const { rows } = await this.db.query<Omit<ConnectionIdentity, 'place'> & IdentityPlace>(
      `select i.user_id, ${BINDING_FACTS}, md5(i.subject) as key,
         to_char(i.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at
       from identities i
       where i.tenant_id = $1 and i.connection_id = $2 and ($3::boolean is null or (i.ended_at is not null) = $3)
         and (i.created_at, md5(i.subject) collate "C") < ($4::timestamptz, $5::text)
       order by i.created_at desc, md5(i.subject) collate "C" desc limit $6`,
      [tenantId, connectionId, ended, at, key, page.limit + 1],
    );
    return rows.map(({ at: placeAt, key: placeKey, ...body }) => ({ ...body, place: { at: placeAt, key: placeKey } }));
  }

  private async isPerson(tenantId: string, userId: string): Promise<boolean> {
    const { rows } = await this.db.query<{ known: boolean }>(
      `select exists (select 1 from users where tenant_id = $1 and id = $2)
         or exists (select 1 from deleted_users where tenant_id = $1 and id = $2) as known`,
      [tenantId, userId],
    );
    return rows[0]!.known;
  }

  /** Locks a user, and so waits for a concurrent sign-in. Returns the name of the connection. */
  private async lockRows(
    tx: SqlRunner,
    tenantId: string,
    userId: string,
    connectionId: string,
  ): Promise<string | null> {
    await tx.query(`select 1 from users where tenant_id = $1 and id = $2 for update`, [tenantId, userId]);
    const { rows } = await tx.query<{ name: string }>(`select name from connections where tenant_id = $1 and id = $2`, [
      tenantId,
      connectionId,
    ]);
    return rows[0]?.name ?? null;
  }

  private async countForgettable(
    db: SqlRunner,
    tenantId: string,
    connectionId: string,
    directoryId: string | null,
  ): Promise<{ forgettable: number; others: number }> {
    const p = new Params();
    const [tenant, connection] = [p.add(tenantId), p.add(connectionId)];
    const { rows } = await db.query<{ forgettable: number; others: number }>(
      `select count(*) filter (where f.linkable)::int as forgettable, count(*) filter (where not f.linkable)::int as others
       from (select ${linkable(tenantId, connectionId, directoryId)(p)} as linkable
         from identities i join users o on o.tenant_id = i.tenant_id and o.id = i.user_id
         where i.tenant_id = ${tenant} and i.connection_id = ${connection} and i.ended_at is null) f`,
      p.values,
    );
    return rows[0]!;
  }
}
