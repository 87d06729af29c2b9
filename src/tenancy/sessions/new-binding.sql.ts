import { codeOf } from '../../base/database/database.errors.js';
import type { Part, WriteStatement } from '../../base/database/write-statement.js';
import type { Binding } from './binding.js';

const NOT_NULL_VIOLATION = '23502';

/** What a new binding depends on, read by the statement that creates the user. */
export interface BindingGuards {
  /** Finds the id of the connection, or no row when the connection has changed. */
  connection: Part;
  /** Finds a row when the domain of the e-mail is proven; null: the binding needs no proof. */
  domain: Part | null;
}

/**
 * Adds the binding of the user whom a statement creates. When a guard finds nothing, or a concurrent sign-in has bound
 * the subject, a column that must not be null is null: the database refuses the whole statement, the user included
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
