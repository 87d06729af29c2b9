import type { Person } from '../../src/tenancy/identity/person.js';

/** A user as the platform should know it. */
export function personOf(userId: string, person: Partial<Person> = {}): Person {
  return {
    email: `${userId}@example.com`,
    first_name: 'First',
    last_name: 'Last',
    role: 'User',
    external_id: `x-${userId}`,
    ...person,
  };
}
