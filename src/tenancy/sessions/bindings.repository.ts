import { Injectable } from '@nestjs/common';
import { codeOf } from '../../base/database/database.errors.js';
import { Database, type SqlRunner } from '../../base/database/database.js';
import { Params, type Fragment } from '../../base/database/params.js';
import type { Part, WriteStatement } from '../../base/database/write-statement.js';
import { SessionEndings } from './session-endings.repository.js';
import {
  BINDING_FACTS,
  type Binding,
  type BindingFacts,
  type Replaced,
  type StoredBinding,
  type BindingEndReason,
} from './session.js';

/** Bindings of IdP subjects to users, as sign-ins read and write them. */
@Injectable()
export class BindingsRepository {
  constructor(
    private readonly db: Database,
    private readonly sessions: SessionEndings,
  ) {}

  /** Returns the binding of a subject, live or ended. */
  async ofSubject(tenantId: string, connectionId: string, subject: string): Promise<StoredBinding | null> {
    const { rows } = await this.db.query<StoredBinding>(
      `select subject, user_id, made_by, made_of, ended_at is not null as ended,
         coalesce(end_reason = 'deleted', false) as removed
       from identities
       where tenant_id = $1 and connection_id = $2 and subject = $3`,
      [tenantId, connectionId, subject],
    );
    return rows[0] ?? null;
  }

  /** Returns the live bindings of users at a connection; a user has at most one. */
  async ofUsers(tenantId: string, connectionId: string, userIds: readonly string[]): Promise<Binding[]> {
    if (userIds.length === 0) return [];
    const { rows } = await this.db.query<Binding>(
      `select subject, user_id, made_by, made_of from identities
       where tenant_id = $1 and user_id = any ($3) and connection_id = $2 and ended_at is null`,
      [tenantId, connectionId, userIds],
    );
    return rows;
  }

  /**
   * Binds a subject to a user and ends the sessions of replaced bindings. Unproven bindings of the user at any
   * connection end: otherwise the first person who claimed an address would keep access beside its owner.
   *
   * @returns false when a concurrent sign-in has bound the subject to a user that is not in `replaces`
   */
  async bind(
    tx: SqlRunner,
    tenantId: string,
    connectionId: string,
    binding: Binding,
    replaces: Replaced,
  ): Promise<boolean> {
    await this.sessions.ofReplaced(tx, tenantId, connectionId, binding, replaces);
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
    const { rows } = await tx.query<{ connection_id: string; subject: string; user_id: string }>(
      `delete from identities where tenant_id = $1 and user_id = $2 and made_by = 'created' and made_of = ''
       returning connection_id, subject, user_id`,
      [tenantId, userId],
    );
    // The deletion has waited for a concurrent sign-in, so its session is visible to this statement.
    for (const row of rows) await this.sessions.ofBinding(tx, tenantId, row);
  }

  /**
   * Stores the use of a binding. `made_of` follows the directory. A binding that was read as unproven and has been
   * proven since stays proven.
   *
   * @returns false when the binding is gone
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

  /** Ends all bindings of a connection: the next sign-in of each user links anew. */
  async endOfConnection(tx: SqlRunner, tenantId: string, connectionId: string, why: BindingEndReason): Promise<void> {
    await tx.query(
      `update identities set ended_at = now(), end_reason = $3
       where tenant_id = $1 and connection_id = $2 and ended_at is null`,
      [tenantId, connectionId, why],
    );
  }

  /**
   * Removes bindings and ends their sessions.
   *
   * @param which SQL that is true of a binding `i` of the tenant; the caller's room may read its own tables in it
   */
  async remove(tx: SqlRunner, tenantId: string, which: Fragment): Promise<void> {
    const p = new Params();
    const { rows } = await tx.query<{ connection_id: string; subject: string; user_id: string }>(
      `delete from identities i where i.tenant_id = ${p.add(tenantId)} and ${which(p)}
       returning i.connection_id, i.subject, i.user_id`,
      p.values,
    );
    // The deletion has waited for a concurrent sign-in, so its session is visible to these statements.
    for (const row of rows) await this.sessions.ofBinding(tx, tenantId, row);
  }

  /** Removes the bindings of a user at a connection, live and ended, without their sessions. Returns the bindings. */
  async release(tx: SqlRunner, tenantId: string, userId: string, connectionId: string): Promise<BindingFacts[]> {
    const { rows } = await tx.query<BindingFacts>(
      `delete from identities i where i.tenant_id = $1 and i.user_id = $2 and i.connection_id = $3
       returning ${BINDING_FACTS}`,
      [tenantId, userId, connectionId],
    );
    return rows;
  }

  /** Ends live bindings of a connection as released; returns their number. `which`: see `remove`. */
  async endReleased(tx: SqlRunner, tenantId: string, connectionId: string, which: Fragment): Promise<number> {
    const p = new Params();
    const { rowCount } = await tx.query(
      `update identities i set ended_at = now(), end_reason = 'released'
       where i.tenant_id = ${p.add(tenantId)} and i.connection_id = ${p.add(connectionId)} and i.ended_at is null
         and ${which(p)}`,
      p.values,
    );
    return rowCount ?? 0;
  }
}

const NOT_NULL_VIOLATION = '23502';

interface BindingGuards {
  /** Finds the id of the connection, or no row when the connection has changed. */
  connection: Part;
  /** Finds a row when the domain of the e-mail is proven; null when the binding needs no proof. */
  domain: Part | null;
}

/**
 * Adds the binding of the user whom a statement creates. When a guard finds nothing, or a concurrent sign-in has bound
 * the subject, a column that must not be null is null. The database then refuses the whole statement with the user
 * (`bindingRefusal` names the cause).
 */
export function addNewBinding(
  statement: WriteStatement,
  tenantId: string,
  { subject, made_by, made_of }: Omit<Binding, 'user_id'>,
  { connection, domain }: BindingGuards,
): void {
  statement.add((p) => {
    const madeOf = p.add(made_of);
    const proven = domain === null ? madeOf : `case when exists (select 1 from ${domain.name}) then ${madeOf} end`;
    return `insert into identities (tenant_id, connection_id, subject, user_id, made_by, made_of)
        select ${p.add(tenantId, 'text')}, c.id, ${p.add(subject)}, s.id, ${p.add(made_by)}, ${proven}
        from subject s left join ${connection.name} c on true
        on conflict (tenant_id, connection_id, subject) do update
          set user_id = case when identities.ended_at is not null then excluded.user_id end,
            made_by = excluded.made_by, made_of = excluded.made_of, created_at = now(), last_sign_in_at = now(),
            ended_at = null, end_reason = null`;
  });
}

/** Returns why `addNewBinding` made the database refuse a statement; null for any other error. */
export function bindingRefusal(error: unknown): 'connection_changed' | 'domain_changed' | 'account_taken' | null {
  const { table, column } = (error ?? {}) as { table?: unknown; column?: unknown };
  if (codeOf(error) !== NOT_NULL_VIOLATION || table !== 'identities') return null;
  if (column === 'connection_id') return 'connection_changed';
  return column === 'made_of' ? 'domain_changed' : 'account_taken';
}
