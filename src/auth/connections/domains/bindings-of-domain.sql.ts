import type { Fragment } from '../../../base/database/params.js';

/**
 * Returns SQL that is true of a binding `i` which another connection has made by an e-mail of a domain. The bindings of
 * deleted users stay, so that a sign-in never creates the user again.
 *
 * @param spellings the domain in its ASCII form and in its Unicode form
 * @param connectionId the connection whose bindings stay
 */
export function madeByOthers(spellings: readonly string[], connectionId: string): Fragment {
  const isOf = (email: string, domains: string): string =>
    `lower(regexp_replace(${email}, '^.*@', '')) = any (${domains})`;
  return (p) => {
    const domains = p.add(spellings, 'text[]');
    return `i.connection_id <> ${p.add(connectionId)} and exists (select 1 from users u
      where u.tenant_id = i.tenant_id and u.id = i.user_id
        and ((i.made_by = 'email' and ${isOf('i.made_of', domains)})
          or (i.made_by = 'created' and i.made_of <> '' and ${isOf('u.email', domains)})))`;
  };
}
