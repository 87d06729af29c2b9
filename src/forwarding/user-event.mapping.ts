import type { EventName } from '../engine/events/catalogue.js';
import { thinIfLarge } from '../engine/events/event-recorder.js';
import type { StoredEvent } from '../engine/events/event-source.js';
import type { ChangeKind, InForce, Person } from '../tenancy/identity/person.js';

/** A change of a user, as far as its event shows it. */
export interface ChangeRecord {
  sequence: string;
  user_id: string;
  kind: ChangeKind;
  changed: string[];
  person: Person;
  /** null: the change was written before statuses were kept. */
  status: InForce['status'] | null;
  linked: boolean;
  forwarded: boolean;
  ends_sessions: boolean;
  occurred_at: Date;
}

/** Returns a change of a user as an event. The order of the keys is fixed: repeated bodies are the same bytes. */
export function userEvent(change: ChangeRecord): StoredEvent {
  const { person, sequence, user_id: id } = change;
  const event: EventName = `user.${change.kind}`;
  const data = {
    email: person.email,
    first_name: person.first_name,
    last_name: person.last_name,
    role: person.role,
    external_id: person.external_id,
    id,
    status: change.status ?? formerStatus(change),
    changed: change.changed,
    ...(change.linked ? { linked: true } : {}),
    sequence: Number(sequence),
  };
  const ids = { id, external_id: person.external_id, sequence: data.sequence };
  return {
    sequence,
    event,
    at: change.occurred_at,
    record: id,
    data: thinIfLarge(event, JSON.stringify(data), ids),
  };
}

/** Returns the status after a change that did not keep it, as far as the change tells. */
function formerStatus({ kind, forwarded, changed, ends_sessions }: ChangeRecord): InForce['status'] {
  switch (kind) {
    case 'deleted':
      return 'deleted';
    case 'deactivated':
      return 'inactive';
    case 'reactivated':
      return 'active';
    case 'created':
      return forwarded ? 'active' : 'inactive';
    case 'updated':
      // A change ends sessions when the user is inactive after it, or has another role.
      return ends_sessions && !changed.includes('role') ? 'inactive' : 'active';
  }
}
