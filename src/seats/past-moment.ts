import { queryTime } from '../base/http/query.js';

/** True for a day that there is, as `2026-01-31`. */
export function isDay(text: string | undefined): boolean {
  if (text === undefined || !/^\d{4}-\d\d-\d\d$/.test(text) || text < '0001') return false;
  const day = new Date(`${text}T00:00:00Z`);
  // A date that there is not, such as 30 February, rolls over into the next month.
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

/**
 * The moment that `as_of` names, as the database reads it: a bare date as it is, a time in UTC with all its digits.
 * Throws `InvalidFields` for anything else.
 */
export function asOfText(text: string): string {
  return isDay(text) ? text : momentText('as_of', text);
}

/**
 * A time as the database reads it: in UTC, with all its digits.
 *
 * @throws {InvalidFields} that names the option, for what is no time
 */
export function momentText(name: string, text: string): string {
  const time = queryTime(name, isDay(text.slice(0, 10)) ? text : 'no such day')!;
  const digits = /\.(\d+)/.exec(text)?.[1] ?? '';
  return `${time.toISOString().slice(0, 19)}.${digits.padEnd(6, '0').slice(0, 6)}Z`;
}
