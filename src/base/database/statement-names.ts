import { createHash } from 'node:crypto';

/** A connection keeps each prepared statement for as long as it lives, at up to 200 kB: so many may come from outside. */
const SHAPES = 64;
/** Worth preparing is what comes again. */
const SIGHTINGS = 3;
const CANDIDATES = 1000;

// One name per distinct text, so that the server plans each shape once per connection.
const names = new Map<string, string>();
const shapes = new Map<string, string>();
const seen = new Map<string, number>();

/** The name under which a statement of our own code is prepared on each connection. */
export function statementName(text: string): string {
  let name = names.get(text);
  if (name === undefined) {
    name = nameOf(text);
    names.set(text, name);
  }
  return name;
}

/**
 * The name of a statement whose text a caller shapes, or undefined: it is then planned each time and forgotten.
 * The first 64 texts of a process that come a third time are prepared, so that the few lookups that an IdP repeats all
 * day stay cheap, and nobody fills the memory of the database with filters, sort orders and page numbers.
 */
export function shapedStatementName(text: string): string | undefined {
  const name = shapes.get(text);
  if (name !== undefined || shapes.size >= SHAPES) return name;
  const key = nameOf(text);
  const times = (seen.get(key) ?? 0) + 1;
  if (times < SIGHTINGS) {
    if (seen.size >= CANDIDATES) seen.clear();
    seen.set(key, times);
    return undefined;
  }
  seen.delete(key);
  shapes.set(text, key);
  return key;
}

function nameOf(text: string): string {
  return 's' + createHash('sha256').update(text).digest('base64url').slice(0, 22);
}
