import type { Actor } from '../../tenancy/identity/person.js';

/** Returns an actor in words: `key HR sync`, `directory Okta`. The work of the service itself has only its name. */
export function actorName({ kind, name }: Actor): string {
  return kind === 'system' ? name : `${kind} ${name}`;
}
