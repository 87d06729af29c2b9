import type { Part, WriteStatement } from '../../base/database/write-statement.js';
import { endUserKeys } from '../tenants/user-keys.js';
import type { EndReason } from './session.js';

// Parts of the statement that changes a user: the credentials end in the same commit, on every process. The subject of
// the statement is the user's row.

/** Ends the API keys and the sessions of the user; returns the part with the ended sessions. */
export function endPersonCredentials(statement: WriteStatement, tenantId: string, why: EndReason): Part {
  endUserKeys(statement, tenantId);
  return endPersonSessions(statement, tenantId, why);
}

/** Ends the sessions of the user, not the API keys; returns the part with the ended sessions. */
export function endPersonSessions(statement: WriteStatement, tenantId: string, why: EndReason): Part {
  return statement.add(
    (p) => `update sessions n set ended_at = clock_timestamp(), end_reason = ${p.shared(why)}
      where n.tenant_id = ${p.shared(tenantId)} and n.user_id = any(array(select id from subject)) and n.ended_at is null
      returning n.id, n.user_id, n.end_reason`,
    { each: true },
  );
}

/**
 * Ends all identity bindings of a removed user. The rows stay, so that a sign-in never creates the deleted user again.
 */
export function endPersonIdentities(statement: WriteStatement, tenantId: string): void {
  statement.add(
    (p) => `update identities i set ended_at = now(), end_reason = 'deleted' from subject s
      where i.tenant_id = ${p.add(tenantId)} and i.user_id = s.id and i.ended_at is null`,
  );
}

/** Finds the user with an id and a name in lower case; the arguments are SQL expressions. */
type NameHolderQuery = (tenantId: string, userId: string, name: string) => string;

/**
 * Removes bindings of other users that were made of a name which this user has just given up. Only the last owner of a
 * name may inherit its bindings: otherwise a reused name would lead back to an earlier owner. A binding counts where
 * the name is the subject itself and its user no longer has the name.
 *
 * @param holder finds a user who has the name
 */
export function endFormerLinks(
  statement: WriteStatement,
  tenantId: string,
  { madeBy, name }: { madeBy: 'user_name' | 'email'; name: string },
  holder: NameHolderQuery,
): void {
  const lower = (text: string): string => `lower(${text} collate "C")`;
  statement.add((p) => {
    const left = lower(p.add(name, 'text'));
    return `delete from identities i using subject s
      where i.tenant_id = ${p.add(tenantId)} and i.user_id <> s.id and i.ended_at is null
        and i.made_by = ${p.add(madeBy)} and ${lower('i.made_of')} = ${left} and ${lower('i.subject')} = ${left}
        and not exists (${holder('i.tenant_id', 'i.user_id', left)})`;
  });
}

/**
 * Removes the bindings and ends the sessions of a user created by sign-in, when a directory takes the user over. The
 * next sign-in links anew by the directory's rules: otherwise the first person who claimed an address would stay its
 * owner.
 *
 * @param proven the tenant has verified the domain of the directory's e-mail: only unproven bindings are removed
 * @returns the part with the ended sessions
 */
export function dropUnprovenIdentities(statement: WriteStatement, tenantId: string, proven: boolean): Part {
  statement.add(
    (p) => `delete from identities i using subject s
      where i.tenant_id = ${p.add(tenantId)} and i.user_id = s.id
        ${proven ? `and i.made_by = 'created' and i.made_of = ''` : ''}`,
  );
  return endPersonSessions(statement, tenantId, 'binding_moved');
}
