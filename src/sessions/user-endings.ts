import type { WriteStatement } from '../base/database/write-statement.js';

// What lets a person in, ended in the very statement that puts them out: from its commit on, no process takes it.

/** Why a session has ended. */
export type SessionEnd =
  | 'deactivated'
  | 'deleted'
  | 'role_changed'
  | 'signed_out'
  | 'signed_in_again'
  | 'idp_logout'
  | 'binding_moved'
  | 'person_changed'
  | 'ended_by_admin'
  | 'too_many_sessions'
  | 'connection_changed'
  | 'connection_disabled'
  | 'connection_deleted';

/** Ends the API keys and the sessions of the person whom the write statement is about. */
export function endPersonCredentials(statement: WriteStatement, tenantId: string, why: SessionEnd): void {
  statement.add(
    (p) => `update api_keys k set revoked_at = now() from subject s
      where k.tenant_id = ${p.add(tenantId)} and k.owner_kind = 'person' and k.owner_user_id = s.id
        and (k.revoked_at is null or k.revoked_at > now())`,
  );
  endPersonSessions(statement, tenantId, why);
}

/** Ends the sessions of that person alone. */
export function endPersonSessions(statement: WriteStatement, tenantId: string, why: SessionEnd): void {
  statement.add(
    (p) => `update sessions n set ended_at = clock_timestamp(), end_reason = ${p.add(why)} from subject s
      where n.tenant_id = ${p.add(tenantId)} and n.user_id = s.id and n.ended_at is null`,
  );
}

/**
 * Ends what binds IdPs' subjects to a person who is removed. The rows stay: nobody who was put out is made anew by
 * signing in (contract §7).
 */
export function endPersonIdentities(statement: WriteStatement, tenantId: string): void {
  statement.add(
    (p) => `update identities i set ended_at = now(), end_reason = 'deleted' from subject s
      where i.tenant_id = ${p.add(tenantId)} and i.user_id = s.id and i.ended_at is null`,
  );
}

/**
 * A person has a name (of the kind that bindings are made by) no more. Whoever had it before them and is still bound to
 * it by an IdP that calls people by it, is so no longer: who had the name last is its only heir, else a reused name would
 * lead back to the one before.
 */
export function endFormerLinks(
  statement: WriteStatement,
  tenantId: string,
  madeBy: 'user_name' | 'email',
  name: string,
): void {
  const lower = (text: string): string => `lower(${text} collate "C")`;
  statement.add((p) => {
    const left = lower(p.add(name, 'text'));
    return `delete from identities i using subject s
      where i.tenant_id = ${p.add(tenantId)} and i.user_id <> s.id and i.ended_at is null
        and i.made_by = ${p.add(madeBy)} and ${lower('i.made_of')} = ${left} and ${lower('i.subject')} = ${left}
        and not exists (select 1 from users u where u.tenant_id = i.tenant_id and u.id = i.user_id
                          and ${lower(`u.${madeBy}`)} = ${left})`;
  });
}

/**
 * A directory takes somebody over whom a sign-in has made on nothing but an IdP's word: their sessions end, and who
 * they are at the IdP is found anew by the directory's rules. Else whoever came first under an address would be its
 * owner later. `proven`: the directory's e-mail is the one that a proof was about, which therefore holds; a key that an
 * IdP has claimed is none.
 */
export function dropUnprovenIdentities(statement: WriteStatement, tenantId: string, proven: boolean): void {
  statement.add(
    (p) => `delete from identities i using subject s
      where i.tenant_id = ${p.add(tenantId)} and i.user_id = s.id
        ${proven ? `and i.made_by = 'created' and i.made_of = ''` : ''}`,
  );
  endPersonSessions(statement, tenantId, 'binding_moved');
}
