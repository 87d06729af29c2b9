import { foldCase, userNameKey } from '../../protocols/scim/text.js';
import { emailKey } from './user.mapping.js';

/** Adds a parameter and returns its placeholder. */
type Add = (value: unknown) => string;

/**
 * Returns the condition that a user has an e-mail, a name, an `external_id` or a `userName` that begins with a text, without
 * regard to case. Of a held user also what was written counts, so that a user who is not in force is found.
 *
 * The statement is a search: it reads the tenant's users along their primary key, for at most 3 seconds.
 */
export function beginsWith(text: string, add: Add): string {
  const [email, name, folded] = [emailKey(text), userNameKey(text), foldCase(text)].map(
    (value) => `${add(escaped(value))}`,
  ) as [string, string, string];
  const written = ['givenName', 'familyName', 'formatted'].map(
    (part) => `lower(u.doc->'name'->>'${part}') like ${folded}`,
  );
  return `(u.email_key like ${email} or u.user_name_key like ${name} or lower(u.person_external_id) like ${folded}
    or lower(u.external_id) like ${folded} or lower(u.first_name) like ${folded} or lower(u.last_name) like ${folded}
    or lower(u.first_name || ' ' || u.last_name) like ${folded}
    or u.held is not null and (${written.join(' or ')})
    or u.id = any(array(select e.user_id from user_emails e where e.tenant_id = $1 and e.value_key like ${email})))`;
}

/** Returns the condition of the filter `held`: a reason, `any` or `none`. */
export function heldCondition(held: string, add: Add): string {
  if (held === 'none') return 'u.held is null';
  return held === 'any' ? 'u.held is not null' : `u.held = ${add(held)}`;
}

function escaped(text: string): string {
  return `${text.replaceAll(/[\\%_]/g, '\\$&')}%`;
}
