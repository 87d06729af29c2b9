import type { Expected } from './expected.js';
import type { Person } from '../../tenancy/identity/person.js';
import type { PlatformUser } from '../platform-client/platform.types.js';

const FIELDS = ['email', 'first_name', 'last_name', 'role', 'external_id'] as const satisfies readonly (keyof Person)[];

/** How an account of the platform differs from what it should be, as one sentence; null: it does not. */
export function differenceOf(expected: Expected, account: PlatformUser, accountIsActive: boolean): string | null {
  const shouldBeActive = expected.state === 'active';
  if (shouldBeActive !== accountIsActive) {
    return shouldBeActive ? 'Active here and inactive on the platform.' : 'Active on the platform and not here.';
  }
  // An inactive account keeps the values that it had.
  if (!shouldBeActive) return null;
  const person = JSON.parse(expected.body) as Person;
  // A platform that does not show a field cannot be compared by it. The account of a user without an e-mail keeps its own.
  const shown = FIELDS.filter((name) => account[name] !== null && !(name === 'email' && person.email === null));
  const fields = shown.filter((name) => account[name] !== (person[name] ?? ''));
  return fields.length === 0 ? null : `Another value on the platform: ${fields.join(', ')}.`;
}
