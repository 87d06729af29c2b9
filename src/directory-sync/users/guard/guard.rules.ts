import { leaves, type Current, type Decision } from '../../../tenancy/identity/held.rules.js';
import type { GuardFigures } from '../../directories/directory.js';

export type DepartureKind = 'deactivated' | 'deleted' | 'role_lost' | 'seat_lost';

/** A number for each window of a guard: the configured one, and the last 24 hours. */
export interface PerWindow {
  window: number;
  day: number;
}

export const DAY_MINUTES = 24 * 60;

/** Returns how a decision takes a user out of force, or null. `active` is whether the requested state is active. */
export function departureOf(current: Current | null, active: boolean, decision: Decision): DepartureKind | null {
  if (!leaves(current, decision)) return null;
  if (decision.inForce.status === 'active') return 'seat_lost';
  return active ? 'role_lost' : 'deactivated';
}

/** Returns how many users may leave within each window. `base` counts the users in force when each window began. */
export function limitsOf(figures: GuardFigures, base: PerWindow): PerWindow {
  const share = (of: number, percent: number): number => Math.floor((of * percent) / 100);
  return {
    window: Math.max(figures.at_least, Math.min(share(base.window, figures.percent), figures.people)),
    day: Math.max(figures.at_least, share(base.day, figures.day_percent)),
  };
}

export function isReached(counted: PerWindow, limits: PerWindow): boolean {
  return counted.window >= limits.window || counted.day >= limits.day;
}

/**
 * Returns whether the limits are further away than the departures that can be under way at one time. A departure then
 * takes no exclusive lock.
 */
export function isFar(counted: PerWindow, limits: PerWindow, inFlight: number): boolean {
  return counted.window + inFlight <= limits.window && counted.day + inFlight <= limits.day;
}
