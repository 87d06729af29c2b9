/** The longest life of a credential, in milliseconds. */
export const MAX_LIFETIME_MS = 366 * 86_400_000;

/** Returns the problem of the end of a credential, or null: it is in the future and at most a year away. */
export function expiryProblem(value: Date, now: Date): string | null {
  if (value.getTime() <= now.getTime()) return 'must be in the future';
  return value.getTime() - now.getTime() > MAX_LIFETIME_MS ? 'must be at most a year from now' : null;
}

/**
 * The end of a credential that takes the place of another one. A rotation never makes a credential that ends into one
 * that does not, unless the request says so.
 *
 * @param asked from the request: a date, null for a credential that does not end, undefined for the lifetime of the old
 *   one anew, from now on, at most a year
 */
export function rotatedExpiry(
  old: { readonly created_at: Date; readonly expires_at: Date | null },
  asked: Date | null | undefined,
  now: Date,
): Date | null {
  if (asked !== undefined || old.expires_at === null) return asked ?? null;
  const lifetime = old.expires_at.getTime() - old.created_at.getTime();
  return new Date(now.getTime() + Math.min(lifetime, MAX_LIFETIME_MS));
}

/** Days before the end of a credential at which its tenant is notified, the earliest first. */
export const CREDENTIAL_NOTICE_DAYS = [30, 7, 1] as const;

/**
 * Returns the nearest mark that a credential has passed.
 *
 * @returns one of `CREDENTIAL_NOTICE_DAYS`; null: the end is further away than all of them
 */
export function noticeAt(expiresAt: Date, now: Date): number | null {
  const left = (expiresAt.getTime() - now.getTime()) / 86_400_000;
  return CREDENTIAL_NOTICE_DAYS.filter((days) => left <= days).at(-1) ?? null;
}
