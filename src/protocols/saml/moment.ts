const FORM = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/;

/**
 * Reads an xs:dateTime with its zone. SAML demands UTC (SAML Core §1.3.3); IdPs in the field also send offsets, which
 * are unambiguous.
 *
 * @returns null for a local time, a date that does not exist, or other text
 */
export function readMoment(text: string): Date | null {
  const parts = FORM.exec(text);
  if (parts === null) return null;
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const milliseconds = Number((parts[7] ?? '').padEnd(3, '0').slice(0, 3));
  if (hour > 23 || minute > 59 || second > 59) return null;
  const local = Date.UTC(year, month - 1, day, hour, minute, second, milliseconds);
  const back = new Date(local);
  if (back.getUTCFullYear() !== year || back.getUTCMonth() !== month - 1 || back.getUTCDate() !== day) return null;
  const zone = parts[8] as string;
  if (zone === 'Z') return back;
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(4, 6))];
  if (hours > 14 || minutes > 59) return null;
  return new Date(local - (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000);
}

const DURATION =
  /^P(?:(\d{1,4})Y)?(?:(\d{1,4})M)?(?:(\d{1,5})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,8})M)?(?:(\d{1,9})(?:\.\d+)?S)?)?$/;
const DURATION_SECONDS = [365 * 86_400, 30 * 86_400, 86_400, 3_600, 60, 1];

/**
 * Reads an xs:duration in seconds, with a year of 365 days and a month of 30.
 *
 * @returns null for a negative duration or other text
 */
export function durationSeconds(text: string | null): number | null {
  const parts = DURATION.exec(text?.trim() ?? '')?.slice(1);
  if (parts === undefined || parts.every((part) => part === undefined)) return null;
  return parts.reduce((sum, part, i) => sum + Number(part ?? 0) * DURATION_SECONDS[i]!, 0);
}
