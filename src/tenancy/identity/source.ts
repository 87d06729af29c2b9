/** The actor of a change. `id` and `name` are those of the moment: renaming a key later does not change the history. */
export interface Actor {
  kind: 'key' | 'directory' | 'user' | 'operator' | 'system';
  id: string;
  name: string;
}

/** The source of a change: the request, and the user or client behind it. */
export interface ChangeSource {
  request_id: string;
  surface: 'api' | 'scim' | 'sign-in' | 'system';
  directory_id: string | null;
  actor: Actor;
}

/** The actor of what the operator of the installation does. */
export const OPERATOR: Actor = Object.freeze({ kind: 'operator', id: 'operator', name: 'operator' });

/** Returns the actor for work of the service itself: a task, a sealer, a promotion from the waiting list. */
export function systemActor(name: string): Actor {
  return { kind: 'system', id: 'system', name };
}
