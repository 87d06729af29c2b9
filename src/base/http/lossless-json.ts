import { faultIn, withLongNumbersAsText } from '../json-text.js';

/** What stands before a number keeps ids in texts, with their many digits, from being looked at. */
const LONG_NUMBER = /(?:^|[:,[\s])-?\d{16}/;

/** A body that is not read: no JSON, nested too deep, or an object that names a member twice. Never holds data of it. */
export class NotJson extends Error {}

/**
 * Parses JSON of another system. A whole number of more than 15 digits becomes text: as a number it would lose digits,
 * and it is an id.
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
