// The one scanner of JSON text. The parser is that of the runtime; this file reads what parsing loses: how a value was written,
// a name that comes twice, the digits of a long number.

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** `scalar` is a number or a literal, `end` the end of the text. */
type JsonToken = 'open' | 'close' | 'name' | 'text' | 'scalar' | 'end';

/** Walks through JSON text, token by token, in linear time. Text that is no JSON can pass: the parser refuses it. */
class JsonScan {
  start = 0;
  end = 0;
  /** Objects and arrays that are open after the token. */
  depth = 0;
  isBeforeName = false;
  private readonly isObject: boolean[] = [];

  constructor(readonly text: string) {}

  next(): JsonToken {
    const { text } = this;
    for (let i = this.end; i < text.length; i++) {
      const code = text.charCodeAt(i);
      switch (code) {
        case QUOTE: {
          const token = this.isBeforeName ? 'name' : 'text';
          this.isBeforeName = false;
          return this.found(token, i, afterText(text, i));
        }
        case 0x7b: // {
        case 0x5b: // [
          this.isBeforeName = code === 0x7b;
          this.isObject[this.depth++] = this.isBeforeName;
          return this.found('open', i, i + 1);
        case 0x7d: // }
        case 0x5d: // ]
          this.depth = Math.max(0, this.depth - 1);
          this.isBeforeName = false;
          return this.found('close', i, i + 1);
        case 0x2c: // ,
          this.isBeforeName = this.depth > 0 && this.isObject[this.depth - 1]!;
          break;
        case 0x3a: // :
        case 0x20:
        case 0x0a:
        case 0x0d:
        case 0x09:
          break;
        default:
          return this.found('scalar', i, afterScalar(text, i));
      }
    }
    return this.found('end', text.length, text.length);
  }

  /** Returns the name of the token; null where it is no JSON text. A name with escapes (`\\u0061`) is the same name. */
  name(): string | null {
    const name = this.text.slice(this.start + 1, this.end - 1);
    if (!name.includes('\\')) return name;
    try {
      return JSON.parse(`"${name}"`) as string;
    } catch {
      return null; // The parser refuses the text.
    }
  }

  private found(token: JsonToken, start: number, end: number): JsonToken {
    this.start = start;
    this.end = end;
    return token;
  }
}

function afterText(text: string, start: number): number {
  const next = text.indexOf('"', start + 1);
  if (next < 0) return text.length;
  if (text.charCodeAt(next - 1) !== BACKSLASH) return next + 1;
  for (let i = start + 1; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === BACKSLASH) i++;
    else if (code === QUOTE) return i + 1;
  }
  return text.length;
}

function afterScalar(text: string, start: number): number {
  let i = start + 1;
  while (i < text.length && !'",:[]{} \t\r\n'.includes(text[i]!)) i++;
  return i;
}

export const MAX_DEPTH = 32;

/**
 * Finds faults that JSON.parse accepts: a body that is nested too deep for recursive readers, and an object that names a member
 * twice. Of two such members one reader takes the first, another the last (RFC 8259 §4), so that a check and the code after it
 * could see different values. Returns the problem as text for the sender, or null.
 */
export function faultIn(text: string): string | null {
  const scan = new JsonScan(text);
  // The names of each open object; those of an array stay empty.
  const open: Names[] = [];
  for (let token = scan.next(); token !== 'end'; token = scan.next()) {
    if (token === 'name') {
      const name = scan.name();
      if (name !== null && !open[scan.depth - 1]!.add(name)) {
        return `The body names "${name.slice(0, 100)}" twice in one object.`;
      }
    } else if (token === 'open') {
      if (scan.depth > MAX_DEPTH) return `The body is nested more than ${MAX_DEPTH} deep.`;
      open[scan.depth - 1] = new Names();
    }
  }
  return null;
}

const FEW = 12;

/** The names of one object. For the few names of most objects a list is faster than a set. */
class Names {
  private readonly list: string[] = [];
  private set: Set<string> | null = null;

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

interface JsonMember {
  name: string;
  value: string;
  whole: string;
}

/**
 * Returns the members of a JSON object in their order, each as its sender wrote it. Parsing changes what it reads: 1.0 becomes
 * 1, digits after the sixteenth are lost, and integer-like names move to the front.
 *
 * @param text an object that the parser has accepted
 */
export function jsonMembers(text: string): JsonMember[] {
  const scan = new JsonScan(text);
  const members: JsonMember[] = [];
  for (let token = scan.next(); token !== 'end'; token = scan.next()) {
    if (token !== 'name') continue;
    const { start } = scan;
    const name = scan.name() ?? '';
    token = scan.next();
    const from = scan.start;
    while (scan.depth > 1 && token !== 'end') token = scan.next();
    members.push({ name, value: text.slice(from, scan.end), whole: text.slice(start, scan.end) });
  }
  return members;
}

/** Returns the value of a member of a JSON object as its sender wrote it; null where the object has no such member. */
export function jsonMemberText(text: string, name: string): string | null {
  return jsonMembers(text).find((member) => member.name === name)?.value ?? null;
}

/** Whole numbers of up to 15 digits are exact as numbers. */
const LONG_WHOLE = /^-?[1-9]\d{15,}$/;

/** Puts quotes around whole numbers of more than 15 digits, in one pass. Text that is no JSON does not become JSON. */
export function withLongNumbersAsText(text: string): string {
  const scan = new JsonScan(text);
  const parts: string[] = [];
  let kept = 0;
  for (let token = scan.next(); token !== 'end'; token = scan.next()) {
    if (token !== 'scalar' || scan.isBeforeName || scan.end - scan.start <= 15) continue;
    const number = text.slice(scan.start, scan.end);
    if (!LONG_WHOLE.test(number)) continue;
    parts.push(text.slice(kept, scan.start), '"', number, '"');
    kept = scan.end;
  }
  return parts.join('') + text.slice(kept);
}

/** Whether an object in a parsed value has a member of this name, at any depth; the depth of bodies is bounded. */
export function hasMember(value: unknown, name: string): boolean {
  if (value === null || typeof value !== 'object') return false;
  return Object.hasOwn(value, name) || Object.values(value).some((inner) => hasMember(inner, name));
}

/** The character before a number keeps ids in texts, with their many digits, from being looked at. */
const LONG_NUMBER = /(?:^|[:,[\s])-?\d{16}/;

/** A body that is not read: no JSON, nested too deep, or an object that names a member twice. Never holds data of it. */
export class NotJson extends Error {}

/**
 * Parses JSON of another system. A whole number of more than 15 digits becomes text: as a number it would lose digits, and it
 * is an id.
 *
 * @param body UTF-8 bytes, or their text
 * @throws {NotJson} with the reason in words
 */
export function parseLossless(body: Buffer | string): unknown {
  const text = typeof body === 'string' ? body : utf8Of(body);
  const fault = faultIn(text);
  // The text of a fault names a member, which comes from outside.
  if (fault !== null) throw new NotJson(fault.includes('twice') ? 'An object names a member twice.' : fault);
  try {
    return JSON.parse(LONG_NUMBER.test(text) ? withLongNumbersAsText(text) : text) as unknown;
  } catch {
    throw new NotJson('The body is no JSON.');
  }
}

function utf8Of(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    throw new NotJson('The body is not UTF-8.');
  }
}
