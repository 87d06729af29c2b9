/** Who did something. `id` and `name` are those of the moment; a key that is renamed later does not rewrite history. */
export interface Actor {
  kind: 'key' | 'directory' | 'person' | 'operator' | 'system';
  id: string;
  name: string;
}

/** Where a change came from: enough to find the request and the person or machine behind it. */
export interface ChangeSource {
  request_id: string;
  surface: 'api' | 'scim' | 'sign-in' | 'system';
  directory_id: string | null;
  actor: Actor;
}

/** The service acting on its own: a job, a sealer, a promotion from the waiting list. */
export function systemActor(name: string): Actor {
  return { kind: 'system', id: 'system', name };
}
