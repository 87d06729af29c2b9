/** What stands between `{` and `}`, nothing of it believed yet. */
export type JsonObject = Record<string, unknown>;

/** Deeper than any claim is; whoever walks through claims later does so without counting. */
const MAX_DEPTH = 20;

/**
 * Reads a JSON object. Out: it, or null for everything that is none, for what is nested over 20 levels deep, and for
 * texts that a database would refuse or change: NUL, and halves of a character, which all become the same one.
 */
export function readObject(text: string): JsonObject | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Why it is no JSON is not told: the parser's words quote the text, and that may be a token.
    return null;
  }
  return isObject(value) && isUsable(value) ? value : null;
}

export function isObject(value: unknown): value is JsonObject {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/** An object without its members that are null: an optional claim that is null is absent. Nested objects stay as they are. */
export function withoutNulls(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null));
}

/** Somebody else's words in a message of ours: printable characters that are no mark-up, and not too many of them. */
export function shorten(text: string, length: number): string {
  const clean = text.replace(/[^\x20-\x7e…]|[<>"&`\\]/g, '');
  return clean.length > length ? `${clean.slice(0, length)}…` : clean;
}

// Level by level and not by recursion: the text was somebody else's.
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
