/**
 * What a person's history is made of. Where two things happened in the same microsecond, this is their order: who it
 * was, then what they did, then what followed from it.
 */
export const ENTRY_KINDS = [
  'binding', 'session', 'sign_in', 'linked', 'held', 'change', 'seat', 'delivery', 'audit', 'removed',
] as const; // prettier-ignore
export type EntryKind = (typeof ENTRY_KINDS)[number];

export type Order = 'asc' | 'desc';

/**
 * The entry after which a list goes on. All three are fixed once an entry is written, so that what is written while
 * somebody pages moves nobody's place.
 */
export interface Place {
  /** UTC, to the microsecond. */
  at: string;
  kind: EntryKind;
  /** Tells entries of one kind at one moment apart; see `timeline.sql.ts`. */
  key: string;
}

// Keys are ids and padded numbers: all of them lie between these two.
const BEFORE_ALL_KEYS = '';
const AFTER_ALL_KEYS = '~';

/** A place as the text in a cursor. */
export function placeText({ at, kind, key }: Place): string {
  return `${at} ${kind} ${key}`;
}

/** The place in a text that `placeText` made; null stays null. */
export function placeIn(text: string | null): Place | null {
  if (text === null) return null;
  const [at, kind, ...key] = text.split(' ');
  return { at: at!, kind: kind as EntryKind, key: key.join(' ') };
}

/** The moment of a place; the end of time from which a list without a place begins. */
export function momentOf(place: Place | null, order: Order): string {
  return place?.at ?? (order === 'desc' ? 'infinity' : '-infinity');
}

/**
 * Beyond which key an entry of `kind` is still to come, among those at the very moment of the place: all, none, or
 * those after the place's own key. Out: the key.
 */
export function keyBound(place: Place | null, kind: EntryKind, order: Order): string {
  const all = order === 'desc' ? AFTER_ALL_KEYS : BEFORE_ALL_KEYS;
  if (place === null) return all;
  const distance = ENTRY_KINDS.indexOf(kind) - ENTRY_KINDS.indexOf(place.kind);
  if (distance === 0) return place.key;
  const still = order === 'desc' ? distance < 0 : distance > 0;
  if (still) return all;
  return order === 'desc' ? BEFORE_ALL_KEYS : AFTER_ALL_KEYS;
}
