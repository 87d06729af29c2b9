import { causeInWords, type Cause, type CauseInWords } from '../../tenancy/identity/cause.rules.js';
import type { ChangeKind, ChangeSource, Actor } from '../../tenancy/identity/person.js';
import { wordsOfAudit, wordsOfHold, wordsOfLink } from './entry-words.rules.js';

/** Entries of the same microsecond are in this order: the identity, the actions, their consequences. */
export const ENTRY_KINDS = [
  'binding',
  'session',
  'sign_in',
  'request',
  'linked',
  'held',
  'change',
  'seat',
  'delivery',
  'audit',
  'removed',
] as const;

export type EntryKind = (typeof ENTRY_KINDS)[number];

export type Order = 'asc' | 'desc';

/** The position after which a list continues. Its parts are fixed, so new entries move no position. */
export interface TimelinePlace {
  at: string;
  kind: EntryKind;
  /** Distinguishes entries of one kind at one moment; see `timeline.sql.ts`. */
  key: string;
}

// Keys are ids and padded numbers: all of them lie between these two.
const BEFORE_ALL_KEYS = '';
const AFTER_ALL_KEYS = '~';

export function timelinePlaceText({ at, kind, key }: TimelinePlace): string {
  return `${at} ${kind} ${key}`;
}

export function readTimelinePlace(text: string | null): TimelinePlace | null {
  if (text === null) return null;
  const [at, kind, ...key] = text.split(' ');
  return { at: at!, kind: kind as EntryKind, key: key.join(' ') };
}

/** Returns the moment of a position; without a position the end of time at which the list begins. */
export function timelineMoment(place: TimelinePlace | null, order: Order): string {
  return place?.at ?? (order === 'desc' ? 'infinity' : '-infinity');
}

/**
 * Returns the key after which entries of `kind` follow, among those at the moment of the position: all, none, or those
 * after the key of the position.
 */
export function keyBound(place: TimelinePlace | null, kind: EntryKind, order: Order): string {
  const all = order === 'desc' ? AFTER_ALL_KEYS : BEFORE_ALL_KEYS;
  if (place === null) return all;
  const distance = ENTRY_KINDS.indexOf(kind) - ENTRY_KINDS.indexOf(place.kind);
  if (distance === 0) return place.key;
  const still = order === 'desc' ? distance < 0 : distance > 0;
  if (still) return all;
  return order === 'desc' ? BEFORE_ALL_KEYS : AFTER_ALL_KEYS;
}

type Values = Record<string, string | null>;

interface ChangeFields extends Record<string, unknown> {
  event: ChangeKind;
  changed: string[];
  user: Values;
  /** Null when the change was written before statuses were kept. */
  status: string | null;
  /** User and status after the former change; null for the first one. */
  before: Values | null;
  source: ChangeSource;
  cause: Cause | null;
}

const STATUS_AFTER: Partial<Record<ChangeKind, string>> = {
  deactivated: 'inactive',
  reactivated: 'active',
  deleted: 'deleted',
};

/** Returns the fields of a change for the API: the former and the new value of each changed field. */
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

export function wordsOfChange(entry: Record<string, unknown>): string {
  const { event, changed, from, to } = entry as unknown as Pick<ChangeFields, 'event' | 'changed'> & {
    from: Values | null;
    to: Values;
  };
  if (changed.length === 0) return `${event}, nothing in force`;
  // The event itself shows the status.
  const names = changed.filter((name) => name !== 'status');
  const steps = names.map(
    (name) => `${name} ${from === null ? '' : `${from[name] ?? 'none'} → `}${to[name] ?? 'none'}`,
  );
  return [event, steps.join(', ')].filter((part) => part !== '').join(' ');
}

export interface EntryRow {
  kind: EntryKind;
  /** UTC, to the microsecond. */
  at: string;
  key: string;
  id: string;
  fields: Record<string, unknown>;
}

/** An entry in the API; further fields depend on its kind. */
export interface HistoryEntry extends Record<string, unknown> {
  id: string;
  at: string;
  kind: EntryKind;
  words: string;
}

/** Console and command line show the same words. */
export function entryBody({ id, at, kind, fields: stored }: EntryRow): HistoryEntry {
  const fields = kind === 'change' ? changeEntry(stored) : stored;
  return { id, at, kind, words: whatHappened({ kind, fields }), ...fields };
}

export const ENTRY_COLUMNS = [
  'id',
  'at',
  'kind',
  'what',
  'actor_kind',
  'actor_id',
  'actor_name',
  'request_id',
  'details',
  'why',
] as const;

export function entryCells(row: EntryRow): unknown[] {
  const { id, at, kind, words, ...fields } = entryBody(row);
  const { actor, requestId } = entryOriginOf(fields);
  return [id, at, kind, words, actor?.kind, actor?.id, actor?.name, requestId, fields, whyItHappened({ kind, fields })];
}

/** Returns the actor and the request of an entry, as far as its kind has them. */
export function entryOriginOf(fields: Record<string, unknown>): {
  actor: Actor | undefined;
  requestId: string | undefined;
} {
  const { source, actor, request_id } = fields as {
    source?: { actor?: Actor; request_id?: string };
    actor?: Actor;
    request_id?: string | null;
  };
  return { actor: actor ?? source?.actor, requestId: request_id ?? source?.request_id };
}

/** Returns in a few words why a change was made; undefined for other entries. */
export function whyItHappened({ kind, fields }: Pick<EntryRow, 'kind' | 'fields'>): string | undefined {
  if (kind !== 'change') return undefined;
  return (fields['cause'] as CauseInWords | null)?.words ?? 'not recorded';
}

export function whatHappened({ kind, fields }: Pick<EntryRow, 'kind' | 'fields'>): string {
  const words = (...names: string[]): string =>
    names
      .map((name) => fields[name])
      .filter((value) => value !== null && value !== undefined && value !== '')
      .map((value) => (Array.isArray(value) ? value.join(',') : String(value)))
      .join(' ');
  switch (kind) {
    case 'change':
      return wordsOfChange(fields);
    case 'delivery':
      return words('method', 'path', 'status', 'outcome', 'detail');
    case 'request':
      return words('method', 'status', 'outcome', 'held', 'code', 'detail');
    case 'seat':
      return words('event', 'role', 'reason');
    case 'sign_in':
      return words('event', 'outcome', 'reason', 'account');
    case 'session':
      return fields['ended_at'] == null ? 'began' : `began, ended ${words('ended_at', 'end_reason')}`;
    case 'binding':
      return words('made_by', 'made_of');
    case 'linked':
      return wordsOfLink(fields);
    case 'held':
      return wordsOfHold(fields);
    case 'audit':
      return wordsOfAudit(fields);
    case 'removed':
      return words('user_name');
  }
}
