import type { AttemptRow } from '../../engine/delivery/attempts.js';
import type { ChangeKind, Person, ChangeSource } from '../../tenancy/identity/person.js';

/** The states of a change, as the API names them. */
export const CHANGE_STATES = ['pending', 'delivered', 'parked', 'recorded', 'dismissed'] as const;
/** The state of a change: where the lane of its user stands. */
export type ChangeState = (typeof CHANGE_STATES)[number];

/** A change as it is read. */
export interface ChangeRow {
  sequence: string;
  user_id: string;
  kind: ChangeKind;
  forwarded: boolean;
  changed: string[];
  person: Person;
  source: ChangeSource;
  received_at: Date;
  occurred_at: Date;
  sessions_ended_at: Date | null;
  dismissed: { reason: string | null; at: string; actor: unknown } | null;
  state: ChangeState;
  parked: string | null;
  parked_detail: string | null;
  sent_at: Date | null;
  confirmed_at: Date | null;
}

/** A user change as the API shows it. */
export interface ChangeBody {
  id: string;
  sequence: number;
  kind: ChangeKind;
  user_id: string;
  external_id: string | null;
  user: Person;
  changed: string[];
  source: ChangeSource;
  received_at: string;
  occurred_at: string;
  state: ChangeState;
  sent_at: string | null;
  confirmed_at: string | null;
  sessions_ended_at: string | null;
  dismissed?: { reason: string | null; at: string; actor: unknown };
  error?: { code: string; detail: string | null };
}

/** A request as the API shows it. */
export interface AttemptBody extends Omit<AttemptRow, 'at' | 'sent_at'> {
  at: string;
  sent_at: string;
}

/** Returns the id of a change. */
export function changeId(sequence: string | number): string {
  return `chg_${sequence}`;
}

/** Returns the sequence in an id, or null if it is no id of a change. */
export function sequenceOf(id: string): string | null {
  return /^chg_([1-9]\d{0,17})$/.exec(id)?.[1] ?? null;
}

/** Returns a change as the API shows it. */
export function changeBody(row: ChangeRow): ChangeBody {
  const { person } = row;
  return {
    id: changeId(row.sequence),
    sequence: Number(row.sequence),
    kind: row.kind,
    user_id: row.user_id,
    external_id: person.external_id,
    user: {
      email: person.email,
      first_name: person.first_name,
      last_name: person.last_name,
      role: person.role,
      external_id: person.external_id,
    },
    changed: row.changed,
    source: row.source,
    received_at: row.received_at.toISOString(),
    occurred_at: row.occurred_at.toISOString(),
    state: row.state,
    sent_at: row.sent_at?.toISOString() ?? null,
    confirmed_at: row.confirmed_at?.toISOString() ?? null,
    sessions_ended_at: row.sessions_ended_at?.toISOString() ?? null,
    ...(row.dismissed === null ? {} : { dismissed: row.dismissed }),
    ...(row.state === 'parked' && row.parked !== null
      ? { error: { code: row.parked, detail: row.parked_detail } }
      : {}),
  };
}

/** Returns a request as the API shows it. */
export function attemptBody(row: AttemptRow): AttemptBody {
  return { ...row, at: row.at.toISOString(), sent_at: row.sent_at.toISOString() };
}
