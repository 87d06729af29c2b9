import { leaves, type Current, type Decision } from '../../../tenancy/identity/held.rules.js';
import type { GuardFigures } from '../../directories/directory.js';

/** How a user leaves the users in force. */
export type DepartureKind = 'deactivated' | 'deleted' | 'role_lost' | 'seat_lost';

/** A number for each of the two windows of a guard: the short one of its figures, and the last 24 hours. */
export interface PerWindow {
  window: number;
  day: number;
}

/** The long window of a guard, in minutes. */
export const DAY_MINUTES = 24 * 60;

/**
 * Returns how a decision takes a user out of force; null: it does not. A user who keeps the access and gives the seat back
 * counts too.
 *
 * @param active the requested state is active
 */
export function departureOf(current: Current | null, active: boolean, decision: Decision): DepartureKind | null {
  if (!leaves(current, decision)) return null;
  if (decision.inForce.status === 'active') return 'seat_lost';
  return active ? 'role_lost' : 'deactivated';
}

/**
 * Returns the limits of a guard: the number of users that may leave within each window. The one after them is held.
 *
 * @param base the users in force when each window began
 */
export function limitsOf(figures: GuardFigures, base: PerWindow): PerWindow {
  const share = (of: number, percent: number): number => Math.floor((of * percent) / 100);
  return {
    window: Math.max(figures.at_least, Math.min(share(base.window, figures.percent), figures.people)),
    day: Math.max(figures.at_least, share(base.day, figures.day_percent)),
  };
}

/** Returns whether a limit is reached. */
export function isReached(counted: PerWindow, limits: PerWindow): boolean {
  return counted.window >= limits.window || counted.day >= limits.day;
}

/**
 * Returns whether both limits are further away than the departures that can be on their way at one time: then a departure
 * takes no lock of its own.
 */
export function isFar(counted: PerWindow, limits: PerWindow, inFlight: number): boolean {
  return counted.window + inFlight <= limits.window && counted.day + inFlight <= limits.day;
}
