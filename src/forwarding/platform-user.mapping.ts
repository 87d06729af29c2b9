import { isLongerThan } from '../base/characters.js';
import type { Person } from '../tenancy/identity/person.js';
import type { PlatformUser } from './platform-client/platform.client.js';

/** Returns a user as the text that is compared, stored and sent: the same fields in the same order. */
export function personText(person: Person): string {
  return JSON.stringify({
    email: person.email,
    first_name: person.first_name,
    last_name: person.last_name,
    role: person.role,
    external_id: person.external_id,
  });
}

/** Returns the body of a create, without the fields that the user does not have. @param person by `personText` */
export function createBody(person: string): string {
  // Nearly all users have all fields: then the text is the body, and need not be parsed.
  if (!person.includes(':null')) return person;
  return JSON.stringify(JSON.parse(person), (_, value: unknown) => value ?? undefined);
}

const NO_EMAIL = '{"email":null,';

export function lacksEmail(person: string): boolean {
  return person.startsWith(NO_EMAIL);
}

/**
 * Returns the body of an update: the whole user, so that repeating it or skipping an earlier one does no harm. Without an
 * e-mail the account keeps the one it has.
 *
 * @param person the text of a user, which is never parsed: it is an object with fields and without a status
 */
export function updateBody(person: string, reactivate: boolean): string {
  const body = lacksEmail(person) ? `{${person.slice(NO_EMAIL.length)}` : person;
  return reactivate ? `${body.slice(0, -1)},"status":"active"}` : body;
}

/** Reads a user from an answer of the platform; null when the answer has no user. */
export function readPlatformUser(value: unknown): PlatformUser | null {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return null;
  const from = value as Record<string, unknown>;
  const id = platformIdOf(from['id']);
  if (id === null) return null;
  const text = (name: string): string | null => (typeof from[name] === 'string' ? from[name] : null);
  return {
    id,
    email: text('email'),
    first_name: text('first_name'),
    last_name: text('last_name'),
    role: text('role'),
    external_id: text('external_id'),
    status: text('status'),
  };
}

export function platformIdOf(value: unknown): string | null {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value);
  return typeof value === 'string' && value !== '' && !isLongerThan(value, 255) ? value : null;
}

export function idIn(body: unknown): string | null {
  if (body === null || typeof body !== 'object') return null;
  const { id, data, user } = body as { id?: unknown; data?: { id?: unknown }; user?: { id?: unknown } };
  return platformIdOf(id) ?? platformIdOf(data?.id) ?? platformIdOf(user?.id);
}
