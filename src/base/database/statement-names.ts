import { createHash } from 'node:crypto';

/** The most constant texts. There are about 300; a text beyond this number is not prepared. */
export const MAX_OWN = 1000;
/** The most texts of callers that are prepared at the same time. */
export const MAX_SHAPES = 32;
/** The first letter of the names of such texts. */
export const SHAPED = 'w';
/** A text of a caller is prepared when it is used for the third time. */
const SIGHTINGS = 3;
const CANDIDATES = 1000;

// One name for each text, so that the server plans each shape once for each connection.
const names = new Map<string, string>();
// The least recently used one first.
const shapes = new Map<string, string>();
const seen = new Map<string, number>();

/** Returns the name under which a constant text is prepared on each connection; undefined: there are too many. */
export function statementName(text: string): string | undefined {
  let name = names.get(text);
  if (name === undefined) {
    if (names.size >= MAX_OWN) return undefined;
    name = 's' + nameOf(text);
    names.set(text, name);
  }
  return name;
}

/**
 * Returns the name of a text whose shape depends on the caller; undefined: it is planned each time. Of the texts that
 * are used three times, the 32 most recently used are prepared. Frequent statements stay cheap, and a caller with many
 * shapes displaces others for a moment only.
 */
export function shapedStatementName(text: string): string | undefined {
  const name = shapes.get(text);
  if (name !== undefined) {
    shapes.delete(text);
    shapes.set(text, name);
    return name;
  }
  const key = SHAPED + nameOf(text);
  const times = (seen.get(key) ?? 0) + 1;
  if (times < SIGHTINGS) {
    if (seen.size >= CANDIDATES) seen.clear();
    seen.set(key, times);
    return undefined;
  }
  seen.delete(key);
  if (shapes.size >= MAX_SHAPES) shapes.delete(shapes.keys().next().value!);
  shapes.set(text, key);
  return key;
}

/** Returns the numbers of names: of constant texts, and of texts of callers. */
export function statementCounts(): { own: number; shaped: number } {
  return { own: names.size, shaped: shapes.size };
}

function nameOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}
