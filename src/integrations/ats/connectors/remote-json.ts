import { AtsFailure } from '../api/ats-api.js';
import { isPlain } from '../../../base/http/fields.js';
import { NotUnderstood } from './connector.js';

/** An object of a vendor's JSON, whose members are not known yet. */
export type RemoteObject = Readonly<Record<string, unknown>>;

/** What ids of vendors consist of. An id goes into addresses, and webhooks that bring it may be unsigned. */
const ID = /^(?=.*[\w-])[\w.:-]{1,128}$/;

/** Returns an object, or null for other values. */
export function objectOf(value: unknown): RemoteObject | null {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as RemoteObject) : null;
}

/** Returns a list; empty for other values. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns the objects of a list. */
export function objectsIn(value: unknown): RemoteObject[] {
  return listOf(value).flatMap((one) => {
    const object = objectOf(one);
    return object === null ? [] : [object];
  });
}

/** Returns an id as text, whether it is a number or text in the ATS; null: no id. */
export function idOf(value: unknown): string | null {
  const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
  return typeof text === 'string' && ID.test(text) ? text : null;
}

/**
 * Returns an id.
 *
 * @param what the name of the id, for the message
 * @throws {NotUnderstood} where the value is no id
 */
export function requiredId(value: unknown, what: string): string {
  const id = idOf(value);
  if (id === null) throw new NotUnderstood(`${what} is missing, or is no id.`);
  return id;
}

/** Returns a text without blanks around, in NFC; null: no text, or blank. */
export function textOf(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  if (isPlain(value)) return value;
  const text = value.normalize('NFC').trim();
  return text === '' ? null : text;
}

/** Returns a text as `textOf`. @throws {NotUnderstood} where the value is no text */
export function requiredText(value: unknown, what: string): string {
  const text = textOf(value);
  if (text === null) throw new NotUnderstood(`${what} is missing.`);
  return text;
}

/** Years of four digits: what PostgreSQL and JavaScript both take. */
const LATEST = Date.UTC(9999, 11, 31);

/** Returns the time of ISO 8601 text, or of milliseconds since 1970; null: no time. */
export function timeOf(value: unknown): Date | null {
  const ms = typeof value === 'number' ? value : typeof value === 'string' ? Date.parse(value) : NaN;
  return Number.isFinite(ms) && ms >= 0 && ms <= LATEST ? new Date(ms) : null;
}

/** Returns the later one of two times; null counts as none. */
export function laterOf(one: Date | null, other: Date | null): Date | null {
  if (one === null || other === null) return one ?? other;
  return one >= other ? one : other;
}

/** The failure of an answer that is not what the vendor documents. */
export function unexpected(title: string, what: string): AtsFailure {
  return new AtsFailure('malformed', 'unexpected_answer', `The answer of ${title} has no ${what}.`);
}
