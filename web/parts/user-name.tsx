import { Link } from '@tanstack/react-router';
import type { UserBody } from '../../src/directory-sync/users/user.dto.js';
import type { ConflictingUser } from '../../src/directory-sync/users/explain/explain.dto.js';
import type { Json } from '../api/client.js';
import { text } from '../text/text.js';

const words = text.users.one;
const fields: Record<string, string> = words.fields;

/** The users who have what a held user asks for, each with a link. */
export function InTheWay({ conflicts }: { conflicts: readonly Json<ConflictingUser>[] }) {
  return conflicts.map(({ field, value, user_id, name, email, directory }) => (
    <p key={`${field} ${user_id}`}>
      {words.conflicts}:{' '}
      <Link to="/users/$id" params={{ id: user_id }}>
        {name !== '' ? name : (email ?? user_id)}
      </Link>{' '}
      {directory !== null && `(${directory}) `}
      {fields[field] ?? field} <code>{value}</code>
    </p>
  ));
}

/** Returns the name of a user, else the e-mail, else the words for a user without a name. */
export function nameOf(user: Pick<Json<UserBody>, 'first_name' | 'last_name' | 'email'>): string {
  const name = `${user.first_name} ${user.last_name}`.trim();
  return name === '' ? (user.email ?? text.users.noName) : name;
}
