import { CliError } from '../client/cli.errors.js';
import { encode, type Client, type Json } from '../client/client.js';

/** Records that a command names by id or `external_id`. */
interface NamedRecords {
  /** What one record is called. */
  what: string;
  /** The list of the records. */
  path: string;
  /** What an id begins with. */
  prefix: string;
}

/**
 * Returns the record with an id or `external_id`.
 *
 * @throws {CliError} when no record has it
 */
export async function recordNamed(client: Client, named: string, { what, path, prefix }: NamedRecords): Promise<Json> {
  if (named.startsWith(prefix)) return client.call('GET', `${path}/${encode(named)}`);
  const [found] = await client.list(`${path}?external_id=${encodeURIComponent(named)}`, 1);
  if (found !== undefined) return found;
  throw new CliError(`No ${what} has ${named} as id or external_id.`);
}
