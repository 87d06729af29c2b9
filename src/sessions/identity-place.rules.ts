/**
 * The binding after which a list goes on: when it was made (UTC, to the microsecond), and the hash of its subject, which
 * tells apart what was made at one moment. A subject itself can be longer than a cursor.
 */
export interface IdentityPlace {
  at: string;
  key: string;
}

/** A place as the text in a cursor. */
export function placeText({ at, key }: IdentityPlace): string {
  return `${at} ${key}`;
}

/** The place in a text that `placeText` made; null, the first page, is before all others. */
export function placeIn(text: string | null): IdentityPlace {
  if (text === null) return { at: 'infinity', key: '' };
  const [at, key] = text.split(' ');
  return { at: at!, key: key! };
}
