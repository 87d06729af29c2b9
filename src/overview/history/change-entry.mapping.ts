import { causeInWords, type Cause } from '../../tenancy/identity/cause.rules.js';
import type { ChangeKind, ChangeSource } from '../../tenancy/identity/person.js';

type Values = Record<string, string | null>;

/** The fields of a change as the statement returns them. */
interface ChangeFields extends Record<string, unknown> {
  event: ChangeKind;
  changed: string[];
  user: Values;
  /** The status after the change; null: the change was written before statuses were kept. */
  status: string | null;
  /** User and status after the change before; null: there is none. */
  before: Values | null;
  source: ChangeSource;
  cause: Cause | null;
}

const STATUS_AFTER: Partial<Record<ChangeKind, string>> = {
  deactivated: 'inactive',
  reactivated: 'active',
  deleted: 'deleted',
};

/** Returns the fields of a change as the API shows them: with the former and the new value of each changed field. */
export function changeEntry(fields: Record<string, unknown>): Record<string, unknown> {
  const { before, status, cause, ...shown } = fields as ChangeFields;
  const { event, changed, user, source } = shown;
  const after = { ...user, status: status ?? STATUS_AFTER[event] ?? null };
  return {
    ...shown,
    from: before === null ? null : valuesOf(before, changed),
    to: valuesOf(after, changed),
    cause: causeInWords(cause, source),
  };
}

function valuesOf(state: Values, names: readonly string[]): Values {
  return Object.fromEntries(names.map((name) => [name, state[name] ?? null]));
}

/** Describes in a few words what a change has changed, with former and new values. */
export function wordsOfChange(entry: Record<string, unknown>): string {
  const { event, changed, from, to } = entry as unknown as Pick<ChangeFields, 'event' | 'changed'> & {
    from: Values | null;
    to: Values;
  };
  if (changed.length === 0) return `${event}, nothing in force`;
  // The event itself tells the status.
  const names = changed.filter((name) => name !== 'status');
  const steps = names.map(
    (name) => `${name} ${from === null ? '' : `${from[name] ?? 'none'} → `}${to[name] ?? 'none'}`,
  );
  return [event, steps.join(', ')].filter((part) => part !== '').join(' ');
}
