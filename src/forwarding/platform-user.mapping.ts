import { isLongerThan } from '../base/characters.js';
import type { Person } from '../identity/person.js';
import type { PlatformUser } from '../platform-client/platform.types.js';

/** A person as the text that is compared, stored and sent: always the same fields in the same order. */
export function personText(person: Person): string {
  return JSON.stringify({
    email: person.email,
    first_name: person.first_name,
    last_name: person.last_name,
    role: person.role,
    external_id: person.external_id,
  });
}

/** The body of a create. In: a person's text. What the person does not have is left out. */
export function createBody(person: string): string {
  // Nearly everybody has everything: then the text is the body, and need not be read.
  if (!person.includes(':null')) return person;
  return JSON.stringify(JSON.parse(person), (_, value: unknown) => value ?? undefined);
}

/**
 * The body of an update: the whole person, so that repeating it or skipping one before it does no harm. In: a person's
 * text, which is never read: it is an object with fields, and says nothing of a status.
 */
export function updateBody(person: string, reactivate: boolean): string {
  return reactivate ? `${person.slice(0, -1)},"status":"active"}` : person;
}

/** A user in an answer of the platform, or null if it is none. */
export function readPlatformUser(value: unknown): PlatformUser | null {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return null;
  const from = value as Record<string, unknown>;
  const id = idOf(from['id']);
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

/** The platform's id of something: text, or a number, which is kept as text. */
export function idOf(value: unknown): string | null {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value);
  return typeof value === 'string' && value !== '' && !isLongerThan(value, 255) ? value : null;
}

/** The `id` member of an answer, wherever platforms put it. */
export function idIn(body: unknown): string | null {
  if (body === null || typeof body !== 'object') return null;
  const { id, data, user } = body as { id?: unknown; data?: { id?: unknown }; user?: { id?: unknown } };
  return idOf(id) ?? idOf(data?.id) ?? idOf(user?.id);
}
