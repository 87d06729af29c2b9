/** The normalised attributes of a user, in the field names of the platform. */
export interface Person {
  email: string | null;
  first_name: string;
  last_name: string;
  role: string | null;
  external_id: string | null;
}

/** The effective state: attributes, and whether the user is active. */
export interface InForce extends Person {
  status: 'active' | 'inactive' | 'deleted';
}

/**
 * Returns the effective state of a person with a status. Naming each field is faster than a spread: Node.js 20 makes a
 * hidden class for each spread object with a further field, which takes a microsecond and slows all readers.
 */
export function withStatus<S extends InForce['status']>(person: Person, status: S): InForce & { status: S } {
  const { email, first_name, last_name, role, external_id } = person;
  return { email, first_name, last_name, role, external_id, status };
}

/** Why the effective state differs from the requested state. */
export type HeldReason =
  | 'guard'
  | 'needs_admin'
  | 'preview'
  | 'no_email'
  | 'email_taken'
  | 'external_id_taken'
  | 'no_role'
  | 'no_seat'
  | 'protected'
  | 'superseded';

/** The kinds of changes of a user. */
export type ChangeKind = 'created' | 'updated' | 'deactivated' | 'reactivated' | 'deleted';

/** A change of the effective state: the whole user after it, and the changed fields. */
export interface UserChange {
  kind: ChangeKind;
  person: Person;
  status: InForce['status'];
  changed: string[];
}

/** The actor of a change. `id` and `name` are those of the moment: renaming a key later does not change the history. */
export interface Actor {
  kind: 'key' | 'directory' | 'user' | 'operator' | 'system';
  id: string;
  name: string;
}

/** The source of a change: the request, and its user or client. */
export interface ChangeSource {
  request_id: string;
  surface: 'api' | 'scim' | 'sign-in' | 'system';
  directory_id: string | null;
  actor: Actor;
}

/** The operator of the installation. */
export const OPERATOR: Actor = Object.freeze({ kind: 'operator', id: 'operator', name: 'operator' });

/** Returns the actor for work of the service itself, such as a task or a sealer. */
export function systemActor(name: string): Actor {
  return { kind: 'system', id: 'system', name };
}
