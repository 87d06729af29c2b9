/**
 * The binding after which a list continues: its time (UTC, in microseconds), and the hash of its subject for bindings of
 * the same time. The subject itself can be longer than a cursor.
 */
export interface IdentityPlace {
  at: string;
  key: string;
}

/** Writes a place as the text of a cursor. */
export function identityPlaceText({ at, key }: IdentityPlace): string {
  return `${at} ${key}`;
}

/** Reads a place from the text of a cursor; null, the first page, is before all others. */
export function readIdentityPlace(text: string | null): IdentityPlace {
  if (text === null) return { at: 'infinity', key: '' };
  const [at, key] = text.split(' ');
  return { at: at!, key: key! };
}
