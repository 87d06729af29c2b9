import type { Actor } from '../identity/source.js';
import type { EntryKind } from './timeline.rules.js';

/** An entry as the statement returns it: its position and its fields. */
export interface EntryRow {
  kind: EntryKind;
  /** UTC, to the microsecond. */
  at: string;
  key: string;
  id: string;
  fields: Record<string, unknown>;
}

/** An entry as the API shows it; the other fields depend on its kind. */
export interface HistoryEntry extends Record<string, unknown> {
  id: string;
  at: string;
  kind: EntryKind;
}

/** Returns an entry as the API shows it. */
export function entryBody({ id, at, kind, fields }: EntryRow): HistoryEntry {
  return { id, at, kind, ...fields };
}

/** The columns of an export for spreadsheets. Fields of a single kind are in `details`, as JSON. */
export const ENTRY_COLUMNS = [
  'id', 'at', 'kind', 'what', 'actor_kind', 'actor_id', 'actor_name', 'request_id', 'details',
] as const; // prettier-ignore

/** Returns the cells of an entry, in the order of `ENTRY_COLUMNS`. */
export function entryCells(row: EntryRow): unknown[] {
  const {
    source,
    actor: own,
    request_id: request,
  } = row.fields as {
    source?: { actor?: Actor; request_id?: string };
    actor?: Actor;
    request_id?: string;
  };
  const actor = own ?? source?.actor;
  return [
    row.id,
    row.at,
    row.kind,
    whatHappened(row),
    actor?.kind,
    actor?.id,
    actor?.name,
    request ?? source?.request_id,
    row.fields,
  ];
}

/** Describes an entry in a few words, for a line of a table. */
export function whatHappened({ kind, fields }: Pick<EntryRow, 'kind' | 'fields'>): string {
  const words = (...names: string[]): string =>
    names
      .map((name) => fields[name])
      .filter((value) => value !== null && value !== undefined && value !== '')
      .map((value) => (Array.isArray(value) ? value.join(',') : String(value)))
      .join(' ');
  switch (kind) {
    case 'change':
      return words('event', 'changed');
    case 'delivery':
      return words('method', 'path', 'status', 'outcome', 'detail');
    case 'seat':
      return words('event', 'role', 'reason');
    case 'sign_in':
      return words('event', 'outcome', 'reason', 'account');
    case 'session':
      return fields['ended_at'] == null ? 'began' : `began, ended ${words('ended_at', 'end_reason')}`;
    case 'binding':
      return words('made_by', 'made_of');
    case 'linked':
      return words('by', 'directory_id');
    case 'held':
      return words('event', 'reason', 'user_name');
    case 'audit':
      return words('event');
    case 'removed':
      return words('user_name');
  }
}
