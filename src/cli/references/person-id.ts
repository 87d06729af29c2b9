import { CliError, EXIT } from '../client/cli.errors.js';
import type { Client } from '../client/client.js';

/** What an id of a user begins with. */
const ID = /^usr_/;

interface Found {
  id: string;
  email: string | null;
  status: string;
}

/**
 * Returns the id of the only user with a name.
 *
 * @param named an id, which is not looked up (a deleted user has only that), else an e-mail, `external_id` or `userName`
 * @throws {CliError} when no user has the name, or several have it
 */
export async function personNamed(client: Client, named: string): Promise<string> {
  if (ID.test(named)) return named;
  const filters = named.includes('@') ? ['email', 'user_name', 'external_id'] : ['external_id', 'user_name'];
  for (const filter of filters) {
    const found = await client.list<Found>(`/users?${filter}=${encodeURIComponent(named)}`);
    const [only, ...others] = found;
    if (only === undefined) continue;
    if (others.length === 0) return only.id;
    const all = found.map(({ id, status }) => `${id} (${status})`).join(', ');
    throw new CliError(`Several users have the ${filter} ${named}. Name one by its id: ${all}.`, EXIT.usage);
  }
  throw new CliError(
    `No user has ${named} as id, e-mail, external_id or userName. "user find" looks for parts of names, ` +
      '"leavers list" has deleted users.',
  );
}
