import type { Person } from '../../../tenancy/identity/person.js';
import type { GuardFigures } from '../../directories/directory.js';
import type { DepartureKind } from './guard.rules.js';

/** What the guard of a directory keeps of a write. */
export type GuardedWrite =
  /** The user leaves, and counts; `before`: what was in force, for an undo. */
  | { kind: 'departure'; how: DepartureKind; directoryId: string; figures: GuardFigures; before: FormerUser }
  /** The user gets another identity or role, and counts for the second figure; `isBack`: with a return. */
  | { kind: 'change'; directoryId: string; figures: GuardFigures; isBack: boolean }
  /** The user is back, and counts no more. */
  | { kind: 'return'; directoryId: string };

/** A user before the departure. */
export interface FormerUser {
  person: Person;
  /** The resource, and when the user was created; only of a user whose row is deleted. */
  doc?: string;
  createdAt?: Date;
  /** The group whose members have changed, where the user leaves for that: its membership is gone already. */
  leftGroup?: string | undefined;
}
