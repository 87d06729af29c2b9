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
