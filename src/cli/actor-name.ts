import type { Actor } from '../identity/source.js';

/** Returns an actor in words: `key HR sync`, `directory Okta`. The work of the service itself has only its name. */
export function actorName({ kind, name }: Actor): string {
  if (kind === 'system') return name;
  return `${kind === 'person' ? 'user' : kind} ${name}`;
}
