import { createHash } from 'node:crypto';

/** Texts of our own code. There are about 300; a text beyond this number is planned each time and not prepared. */
export const MAX_OWN = 1000;
/** Texts that callers shape and that are prepared at the same time. */
export const MAX_SHAPES = 64;
/** A shaped text is prepared when it comes for the third time. */
const SIGHTINGS = 3;
const CANDIDATES = 1000;

// One name per distinct text, so that the server plans each shape once per connection.
const names = new Map<string, string>();
// The least recently used one first.
const shapes = new Map<string, string>();
const seen = new Map<string, number>();

/** The name under which a statement of our own code is prepared on each connection; undefined: there are too many. */
export function statementName(text: string): string | undefined {
  let name = names.get(text);
  if (name === undefined) {
    if (names.size >= MAX_OWN) return undefined;
    name = nameOf(text);
    names.set(text, name);
  }
  return name;
}

/**
 * The name of a statement whose text a caller shapes, or undefined: it is then planned each time and not kept.
 * Of the texts that come three times the 64 most recently used are prepared. So the few statements that are repeated all
 * day stay cheap, and a caller who sends many shapes can displace others for a moment only.
 */
export function shapedStatementName(text: string): string | undefined {
  const name = shapes.get(text);
  if (name !== undefined) {
    shapes.delete(text);
    shapes.set(text, name);
    return name;
  }
  const key = nameOf(text);
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

/** How many names this process has given: of our own texts, and of those that callers shape. */
export function statementCounts(): { own: number; shaped: number } {
  return { own: names.size, shaped: shapes.size };
}

function nameOf(text: string): string {
  return 's' + createHash('sha256').update(text).digest('base64url').slice(0, 22);
}
