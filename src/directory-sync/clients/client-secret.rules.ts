import { InvalidFields } from '../../base/errors/domain-error.js';

const DAY_MS = 86_400_000;

/**
 * Returns the end of a new secret: a year from now unless the request has another one.
 *
 * @throws {InvalidFields} for an end in the past, or more than three years away
 */
export function secretEnd(asked: Date | undefined, now: Date): Date {
  if (asked === undefined) return new Date(now.getTime() + 365 * DAY_MS);
  const left = asked.getTime() - now.getTime();
  const message = left <= 0 ? 'must be in the future' : 'must be at most three years from now';
  if (left <= 0 || left > 3 * 366 * DAY_MS) throw new InvalidFields([{ field: 'expires_at', message }]);
  return asked;
}
