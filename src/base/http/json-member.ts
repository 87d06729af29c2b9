import { BRACE, BRACKET, COMMA, END_BRACE, END_BRACKET, endOfText, nameIn, QUOTE } from './json-bytes.js';

/**
 * Returns the value of a member of a JSON object as its sender wrote it. Parsing changes what it reads: 1.0 becomes 1,
 * digits after the sixteenth are lost, and integer-like names move to the front.
 *
 * @param bytes an object that the parser has accepted
 * @param name the name of the member; the object names it once at most
 * @returns null where the object has no such member
 */
export function jsonMemberText(bytes: Buffer, name: string): string | null {
  let depth = 0;
  let isKey = false;
  for (let i = 0; i < bytes.length; i++) {
    switch (bytes[i]) {
      case QUOTE: {
        const end = endOfText(bytes, i);
        if (isKey && depth === 1 && nameIn(bytes, i, end) === name) return valueAfter(bytes, end + 1);
        isKey = false;
        i = end;
        break;
      }
      case BRACE:
        depth++;
        isKey = true;
        break;
      case BRACKET:
        depth++;
        break;
      case END_BRACE:
      case END_BRACKET:
        depth--;
        break;
      case COMMA:
        isKey = true;
        break;
      default:
        break;
    }
  }
  return null;
}

/** A member of an object as its sender wrote it. */
export interface JsonMember {
  name: string;
  /** The text of the value. */
  value: string;
  /** The text of name, colon and value. */
  whole: string;
}

/**
 * Returns the members of a JSON object in their order, each as its sender wrote it.
 *
 * @param text an object that the parser has accepted
 */
export function jsonMembers(text: string): JsonMember[] {
  const bytes = Buffer.from(text);
  const members: JsonMember[] = [];
  for (let i = bytes.indexOf(BRACE) + 1; i < bytes.length; i++) {
    if (bytes[i] !== QUOTE) continue;
    const end = endOfText(bytes, i);
    const value = valueAfter(bytes, end + 1);
    const name = nameIn(bytes, i, end) ?? '';
    const after = bytes.indexOf(COLON, end) + 1;
    const close = endOfValue(bytes, after);
    members.push({ name, value, whole: bytes.toString('utf8', i, close).trimEnd() });
    i = close;
  }
  return members;
}

/** Returns the value that follows a name, without the blanks around it. */
function valueAfter(bytes: Buffer, afterName: number): string {
  const colon = bytes.indexOf(COLON, afterName);
  let start = colon + 1;
  while (isBlank(bytes[start])) start++;
  let end = endOfValue(bytes, start);
  while (end > start && isBlank(bytes[end - 1])) end--;
  return bytes.toString('utf8', start, end);
}

/** Returns the place after a value: that of the comma or brace that follows it. */
function endOfValue(bytes: Buffer, start: number): number {
  let depth = 0;
  for (let i = start; i < bytes.length; i++) {
    const byte = bytes[i];
    if (byte === QUOTE) i = endOfText(bytes, i);
    else if (byte === BRACE || byte === BRACKET) depth++;
    else if (depth === 0 && (byte === COMMA || byte === END_BRACE)) return i;
    else if (byte === END_BRACE || byte === END_BRACKET) depth--;
  }
  return bytes.length;
}

const COLON = 0x3a;

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
