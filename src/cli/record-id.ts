import { CliError } from './cli.errors.js';
import { encode, type Json } from './client.js';
import type { Context } from './command.js';

/** Records that a command names by id or `external_id`. */
export interface NamedRecords {
  /** What one record is called. */
  what: string;
  /** The list of the records. */
  path: string;
  /** What an id begins with. */
  prefix: string;
}

/**
 * Returns the record that the argument of a command names.
 *
 * @throws {CliError} when no record has the id or the `external_id`
 */
export async function recordOf({ client, argument }: Context, { what, path, prefix }: NamedRecords): Promise<Json> {
  const named = argument!;
  if (named.startsWith(prefix)) return client.call('GET', `${path}/${encode(named)}`);
  const [found] = await client.list(`${path}?external_id=${encodeURIComponent(named)}`, 1);
  if (found !== undefined) return found;
  throw new CliError(`No ${what} has ${named} as id or external_id.`);
}
