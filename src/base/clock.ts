/** A port for the time, so that tests can set it. */
export abstract class Clock {
  abstract now(): Date;
  /** Milliseconds that never decrease; for durations. */
  abstract monotonic(): number;
}

export class SystemClock extends Clock {
  now(): Date {
    return new Date();
  }
  monotonic(): number {
    return performance.now();
  }
}

const FORM = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/i;

/**
 * Parses a moment in RFC 3339 text with an offset; a bare date is the start of that day in UTC.
 *
 * @returns null for any other text, for a day that does not exist, and for a moment outside the UTC years 1 to 9999: PostgreSQL
 *   does not read such a year as ISO 8601 text
 */
export function readInstant(text: string): Date | null {
  const parts = FORM.exec(text);
  if (parts === null) return null;
  const time = new Date(text);
  // Date reads 30 February as 2 March.
  const day = new Date(`${parts[1]!}T00:00:00Z`);
  const exists = !Number.isNaN(day.getTime()) && day.toISOString().startsWith(parts[1]!);
  return exists && hasFourDigitYear(time.getTime()) ? time : null;
}

/** Whether milliseconds since 1970 are in the UTC years 1 to 9999; false for NaN. */
function hasFourDigitYear(milliseconds: number): boolean {
  return milliseconds >= FIRST && milliseconds <= LAST;
}

const FIRST = Date.parse('0001-01-01T00:00:00Z');
const LAST = Date.parse('9999-12-31T23:59:59.999Z');
