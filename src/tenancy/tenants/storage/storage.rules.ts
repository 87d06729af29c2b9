export type StorageState = 'ok' | 'approaching' | 'exhausted';

/** In the order of use. */
export const STORAGE_STATES = ['ok', 'approaching', 'exhausted'] as const satisfies readonly StorageState[];

const APPROACHING = 0.8;
/** A state ends when the use is this part of the limit below its threshold. */
const MARGIN = 0.02;

/**
 * Returns the state of a use. A state lasts until the use is clearly below its threshold, so that a tenant at the
 * threshold does not get an event with each measurement.
 *
 * @param used in bytes
 * @param limit in bytes; null when there is none
 */
export function storageStateOf(used: number, limit: number | null, before: StorageState): StorageState {
  if (limit === null) return 'ok';
  const reached = (part: number, state: StorageState): boolean =>
    used >= limit * (isAtLeast(before, state) ? part - MARGIN : part);
  if (reached(1, 'exhausted')) return 'exhausted';
  return reached(APPROACHING, 'approaching') ? 'approaching' : 'ok';
}

/** The log of requests may take a tenth of the limit, beside the storage of the tenant. */
export const LOG_PART = 10;

/** Further rows are dropped until the oldest month is over. Bytes; `limit` is null when there is none. */
export function isLogFull(used: number, limit: number | null): boolean {
  return limit !== null && used * LOG_PART >= limit;
}

export function isAtLeast(state: StorageState, other: StorageState): boolean {
  return STORAGE_STATES.indexOf(state) >= STORAGE_STATES.indexOf(other);
}

/** `passes`: the operation is admitted while the storage is exhausted. One of `scopes` is enough. */
export function addsData(method: string, scopes: readonly string[], passes: boolean): boolean {
  if (passes || method === 'GET' || method === 'HEAD' || method === 'DELETE') return false;
  return scopes.length === 0 || !scopes.every((scope) => scope.endsWith(':read'));
}

/** The part of a user that distinguishes departures from other writes. */
interface Before {
  active: boolean;
  doc: string;
}

/**
 * Returns whether a write only removes: it deactivates the user, or makes the document smaller, such as without a role.
 */
export function isDeparture(before: Before, after: { active: boolean; doc: object }): boolean {
  if (after.active && !before.active) return false;
  if (before.active !== after.active) return true;
  // PostgreSQL writes a document with other spaces than JavaScript.
  return JSON.stringify(after.doc).length < JSON.stringify(JSON.parse(before.doc)).length;
}

const SECONDS_OF_DAY = 86_400;

/**
 * Returns the seconds until a tenant is measured again. That is soon while its state is not `ok`, because deletions
 * make room. A long measurement is repeated less often, so that it takes at most a twentieth of the time.
 *
 * @param tookSeconds how long the last measurement took
 */
export function nextMeasurement(state: StorageState, tookSeconds: number): number {
  return state === 'ok' ? SECONDS_OF_DAY : Math.max(10, restAfter(tookSeconds));
}

/** Returns the seconds without a measurement, also after many writes. */
export function restAfter(tookSeconds: number): number {
  return Math.min(Math.max(1, 20 * tookSeconds), SECONDS_OF_DAY);
}
