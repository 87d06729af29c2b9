import type { InForce, Person, UserChange } from './person.js';

const FIELDS = ['email', 'first_name', 'last_name', 'role', 'external_id'] as const satisfies (keyof Person)[];

/** What happened to a person, or null if nothing that the platform could know did. */
export function changeBetween(before: InForce | null, after: InForce, everActive: boolean): UserChange | null {
  const person = personOf(after);
  if (before === null) return { kind: 'created', person, status: after.status, changed: assigned(after) };
  if (after.status === 'deleted') return { kind: 'deleted', person, status: 'deleted', changed: ['status'] };
  const changed: string[] = FIELDS.filter((field) => before[field] !== after[field]);
  if (before.status !== after.status) {
    changed.push('status');
    const kind = after.status === 'inactive' ? 'deactivated' : everActive ? 'reactivated' : 'created';
    return { kind, person, status: after.status, changed };
  }
  return changed.length === 0 ? null : { kind: 'updated', person, status: after.status, changed };
}

/**
 * Whether the platform must hear of a change. It never does of somebody without an e-mail (held as `no_email`), nor
 * of an inactive person whom it has never seen: such a person is not created there.
 */
export function mustForward(change: UserChange, everActive: boolean): boolean {
  if (change.status === 'active') return change.person.email !== null;
  return everActive;
}

/** Whether a change ends the person's sessions: they may not be here any more, or not as what they signed in as. */
export function endsSessions(change: UserChange): boolean {
  return change.status !== 'active' || change.changed.includes('role');
}

/** The platform's fields of a person, without the status. */
export function personOf(inForce: InForce | Person): Person {
  return {
    email: inForce.email,
    first_name: inForce.first_name,
    last_name: inForce.last_name,
    role: inForce.role,
    external_id: inForce.external_id,
  };
}

function assigned(after: InForce): string[] {
  const fields: string[] = FIELDS.filter((field) => after[field] !== null && after[field] !== '');
  fields.push('status');
  return fields;
}
