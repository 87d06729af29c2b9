/** A JSON object of another side, not checked. */
export type IdpObject = Record<string, unknown>;

/** Deeper than any claim. Later code walks through claims without counting. */
const MAX_DEPTH = 20;

/**
 * Reads a JSON object.
 *
 * @returns null for other text, for more than 20 levels, and for text that PostgreSQL refuses or changes: NUL and
 *   unpaired surrogates
 */
export function readObject(text: string): IdpObject | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's message is not shown: it quotes the text, which may be a token.
    return null;
  }
  return isIdpObject(value) && isUsable(value) ? value : null;
}

/** Whether a value is an object and not an array. */
export function isIdpObject(value: unknown): value is IdpObject {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/**
 * Returns an object without its members that are null: an optional claim that is null is absent. Nested objects stay
 * unchanged.
 */
export function withoutNulls(object: IdpObject): IdpObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null));
}

/** Returns a foreign text for a message of ours: printable characters without mark-up, cut to a length. */
export function shorten(text: string, length: number): string {
  const clean = text.replace(/[^\x20-\x7e…]|[<>"&`\\]/g, '');
  return clean.length > length ? `${clean.slice(0, length)}…` : clean;
}

// Level by level and not by recursion: the depth of foreign text must not exhaust the stack.
function isUsable(value: object): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) return false;
    const below = level.flatMap((one) => Object.entries(one) as [string, unknown][]);
    if (below.some(([name, one]) => !isText(name) || (typeof one === 'string' && !isText(one)))) return false;
    level = below.map(([, one]) => one).filter((one) => one !== null && typeof one === 'object');
  }
  return true;
}

function isText(text: string): boolean {
  return !text.includes('\0') && !/\p{Surrogate}/u.test(text);
}
