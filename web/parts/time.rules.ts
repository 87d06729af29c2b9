const STEPS: readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

/** The language of dates and numbers. */
export const LOCALE = 'en';

/**
 * Returns a time in relation to another one, in its largest whole unit: "3 hours ago".
 *
 * @param at an ISO time
 * @param now in milliseconds
 */
export function relativeTime(at: string, now: number): string {
  const seconds = (Date.parse(at) - now) / 1000;
  const format = new Intl.RelativeTimeFormat(LOCALE, { numeric: 'auto' });
  for (const [unit, size] of STEPS) {
    if (Math.abs(seconds) >= size) return format.format(Math.trunc(seconds / size), unit);
  }
  return Math.abs(seconds) < 10 ? 'now' : format.format(Math.trunc(seconds), 'second');
}

/**
 * Returns how long a time is past, in its largest whole unit: "31 seconds".
 *
 * @param since an ISO time
 * @param now in milliseconds
 */
export function elapsedTime(since: string, now: number): string {
  const seconds = Math.max(0, (now - Date.parse(since)) / 1000);
  const [unit, size] = STEPS.find(([, length]) => seconds >= length) ?? ['second', 1];
  const format = new Intl.NumberFormat(LOCALE, { style: 'unit', unit, unitDisplay: 'long' });
  return format.format(Math.trunc(seconds / size));
}

/** Returns a time with date, seconds and the name of its zone. */
export function exactTime(at: string, timeZone: string): string {
  return new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeStyle: 'long', timeZone }).format(new Date(at));
}

/** Returns the day of a time in a zone, as `2026-03-31`. */
export function dayOf(at: string | number, timeZone: string): string {
  return new Intl.DateTimeFormat('sv', { dateStyle: 'short', timeZone }).format(new Date(at));
}

/** Returns the hour and minute of a time in a zone, with its day: `2026-03-31 14:00`. */
export function hourOf(at: string | number, timeZone: string): string {
  return new Intl.DateTimeFormat('sv', { dateStyle: 'short', timeStyle: 'short', timeZone }).format(new Date(at));
}
