/** What the platform knows of a person: our normalised view, in the platform's own field names. */
export interface Person {
  email: string | null;
  first_name: string;
  last_name: string;
  role: string | null;
  external_id: string | null;
}

/** A person and whether they are, at this moment, somebody who may work on the platform. */
export interface InForce extends Person {
  status: 'active' | 'inactive' | 'deleted';
}

/** Why what was written is not, or not wholly, in force (contract: one mechanism, these reasons). */
export type HeldReason =
  | 'guard'
  | 'preview'
  | 'no_email'
  | 'email_taken'
  | 'external_id_taken'
  | 'no_role'
  | 'no_seat'
  | 'protected'
  | 'superseded';

export type ChangeKind = 'created' | 'updated' | 'deactivated' | 'reactivated' | 'deleted';

/** What happened to a person: the whole person as now in force, and which of its fields moved. */
export interface UserChange {
  kind: ChangeKind;
  person: Person;
  status: InForce['status'];
  changed: string[];
}
