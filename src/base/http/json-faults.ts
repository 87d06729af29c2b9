import { BRACE, BRACKET, COMMA, END_BRACE, END_BRACKET, endOfText, nameIn, QUOTE } from './json-bytes.js';

/** The most levels of objects and arrays in a body. */
export const MAX_DEPTH = 32;

/** Names of smaller objects are compared one by one; larger objects use a set. */
const FEW = 12;

/**
 * Finds faults that JSON.parse accepts: a body that is nested too deep for recursive readers, and an object that names
 * a member twice. Of two such members one reader takes the first, another the last (RFC 8259 §4), so that a check and
 * the code behind it could see different values.
 *
 * @param bytes UTF-8; bytes that are no JSON can pass, and the parser refuses them
 * @returns the problem as text for the sender, or null
 */
export function faultIn(bytes: Buffer): string | null {
  const open: (Names | null)[] = [];
  // The members of the innermost object; null in an array, and at the top.
  let names: Names | null = null;
  let isKey = false;
  for (let i = 0; i < bytes.length; i++) {
    switch (bytes[i]) {
      case QUOTE: {
        const end = endOfText(bytes, i);
        if (isKey && names !== null) {
          const name = nameIn(bytes, i, end);
          if (name !== null && !names.add(name)) return `The body names "${name.slice(0, 100)}" twice in one object.`;
          isKey = false;
        }
        i = end;
        break;
      }
      case BRACE:
      case BRACKET:
        if (open.length === MAX_DEPTH) return `The body is nested more than ${MAX_DEPTH} deep.`;
        open.push(names);
        isKey = bytes[i] === BRACE;
        names = isKey ? new Names() : null;
        break;
      case END_BRACE:
      case END_BRACKET:
        names = open.pop() ?? null;
        isKey = false;
        break;
      case COMMA:
        isKey = names !== null;
        break;
      default:
        break;
    }
  }
  return null;
}

/** The names of one object. For the few names of most objects a list is faster than a set. */
class Names {
  private readonly list: string[] = [];
  private set: Set<string> | null = null;

  /** Adds a name; false where the object has it already. */
  add(name: string): boolean {
    if (this.set !== null) {
      if (this.set.has(name)) return false;
      this.set.add(name);
      return true;
    }
    if (this.list.includes(name)) return false;
    this.list.push(name);
    if (this.list.length > FEW) this.set = new Set(this.list);
    return true;
  }
}
