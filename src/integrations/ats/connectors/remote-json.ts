import { isPlain } from '../../../base/http/fields.js';
import { AtsFailure } from '../api/ats-api.js';
import { NotUnderstood, type AtsPage } from './connector.js';

export type RemoteObject = Readonly<Record<string, unknown>>;

/** The form of a vendor's ids. An id goes into addresses, and the webhook that brings it may be unsigned. */
const ID = /^(?=.*[\w-])[\w.:-]{1,128}$/;

export function objectOf(value: unknown): RemoteObject | null {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as RemoteObject) : null;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function objectsIn(value: unknown): RemoteObject[] {
  return listOf(value).flatMap((one) => {
    const object = objectOf(one);
    return object === null ? [] : [object];
  });
}

/** Returns an id as text, from a number or text; null for other values. */
export function idOf(value: unknown): string | null {
  const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
  return typeof text === 'string' && ID.test(text) ? text : null;
}

/**
 * @param what the name of the id, for the message
 * @throws {NotUnderstood} where the value is no id
 */
export function requiredId(value: unknown, what: string): string {
  const id = idOf(value);
  if (id === null) throw new NotUnderstood(`${what} is missing, or is no id.`);
  return id;
}

/** Returns a trimmed text in NFC; null when it is no text, or blank. */
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

/** Years of four digits: PostgreSQL and JavaScript both accept them. */
const LATEST = Date.UTC(9999, 11, 31);

/** Returns the time of ISO 8601 text, or of milliseconds since 1970; null for other values. */
export function timeOf(value: unknown): Date | null {
  const ms = typeof value === 'number' ? value : typeof value === 'string' ? Date.parse(value) : NaN;
  return Number.isFinite(ms) && ms >= 0 && ms <= LATEST ? new Date(ms) : null;
}

/** Returns the later time; null counts as none. */
export function laterOf(one: Date | null, other: Date | null): Date | null {
  if (one === null || other === null) return one ?? other;
  return one >= other ? one : other;
}

export function unexpected(title: string, what: string): AtsFailure {
  return new AtsFailure('malformed', 'unexpected_answer', `The answer of ${title} has no ${what}.`);
}

type LeftOut = NonNullable<AtsPage<unknown>['leftOut']>[number];

interface ReadRows<R> {
  records: R[];
  leftOut: LeftOut[];
}

/** A row for which `read` throws `NotUnderstood` is left out with its reason, and stops nothing. */
export async function readRows<R>(
  rows: readonly unknown[],
  read: (row: RemoteObject) => R | Promise<R>,
): Promise<ReadRows<R>> {
  const records: R[] = [];
  const leftOut: LeftOut[] = [];
  for (const value of rows) {
    const row = objectOf(value);
    try {
      if (row === null) throw new NotUnderstood('The row is no object.');
      const record = read(row);
      // Most rows are read at once: a wait would cost more than the reading.
      records.push(record instanceof Promise ? await record : record);
    } catch (error) {
      if (!(error instanceof NotUnderstood)) throw error;
      leftOut.push({ remoteId: idOf(row?.['id']), reason: error.message });
    }
  }
  return { records, leftOut };
}

/** Reads one record; an unreadable one is a failure of the call. @throws {AtsFailure} `malformed` */
export function readOne<R>(read: () => R): R {
  try {
    return read();
  } catch (error) {
    if (error instanceof NotUnderstood) throw new AtsFailure('malformed', 'not_understood', error.message);
    throw error;
  }
}

/** No list within one record has this number of pages. */
const MOST_PAGES = 200;

/** Reads all pages of a list that belongs to one record. @param title the ATS, for messages */
export async function allRows(
  title: string,
  page: (cursor: string | null) => Promise<{ rows: readonly unknown[]; next: string | null }>,
): Promise<unknown[]> {
  const all: unknown[] = [];
  const seen = new Set<string>();
  for (let cursor: string | null = null; ;) {
    const { rows, next } = await page(cursor);
    all.push(...rows);
    if (next === null) return all;
    if (seen.has(next) || seen.size === MOST_PAGES) {
      throw new AtsFailure('malformed', 'cursor_repeats', `The pages of ${title} do not end.`);
    }
    seen.add(next);
    cursor = next;
  }
}

/** Words that belong to the next name, in any case of letters. */
const PARTICLES = new Set(
  'van von vom zu zum zur der den ter ten de del della dello degli dei da di do dos das du af av bin binti ibn'.split(
    ' ',
  ),
);

/** Words that do so only in small letters, or after another particle (`de la`): alone they are names as well. */
const ARTICLES = new Set('la las le les lo los el al san st t'.split(' '));

const CONJUNCTIONS = new Set(['y', 'e', 'i']);

/**
 * Splits a full name at its last space; particles stay with the next name (`Ludwig | van Beethoven`). A name of one
 * word has no last name.
 *
 * @returns both parts trimmed, in NFC; two empty texts where the name is blank
 */
export function splitName(full: string): { firstName: string; lastName: string } {
  const space = full.indexOf(' ');
  // Two words, as most names are.
  if (space > 0 && full.indexOf(' ', space + 1) < 0 && isPlain(full)) {
    return { firstName: full.slice(0, space), lastName: full.slice(space + 1) };
  }
  const words = full
    .normalize('NFC')
    .split(/\s+/u)
    .filter((word) => word !== '');
  if (words.length < 2) return { firstName: words[0] ?? '', lastName: '' };
  let from = lastNameAt(words, words.length - 1);
  // Two names with a conjunction between are one last name: `de la Cruz y Peña`, `Costa e Silva`.
  while (from > 2 && CONJUNCTIONS.has(words[from - 1]!)) from = lastNameAt(words, from - 2);
  return { firstName: words.slice(0, from).join(' '), lastName: words.slice(from).join(' ') };
}

function lastNameAt(words: readonly string[], end: number): number {
  let from = end;
  while (from > 1 && isParticle(words[from - 1]!, words[from - 2]!)) from--;
  return from;
}

function isParticle(word: string, before: string): boolean {
  const small = word.toLowerCase();
  if (PARTICLES.has(small)) return true;
  return ARTICLES.has(small) && (word === small || PARTICLES.has(before.toLowerCase()));
}
