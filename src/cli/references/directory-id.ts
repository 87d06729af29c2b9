import { CliError, EXIT } from '../client/cli.errors.js';
import type { Client } from '../client/client.js';

/**
 * Returns the id of the directory with an id or name.
 *
 * @param argument undefined: the only directory
 * @throws {CliError} when no directory has the name, several have it, or none is named and there are several
 */
export async function directoryNamed(client: Client, argument: string | undefined): Promise<string> {
  if (argument?.startsWith('dir_')) return argument;
  const all = await client.list<{ id: string; name: string }>('/directories');
  if (all.length === 0) throw new CliError('There is no directory yet.', EXIT.usage);
  const found = all.filter(({ name }) => argument === undefined || name.toLowerCase() === argument.toLowerCase());
  const listed = (found.length === 0 ? all : found).map(({ id, name }) => `${id} (${name})`).join(', ');
  if (found.length === 1) return found[0]!.id;
  if (found.length === 0) throw new CliError(`No directory is called ${argument!}; there are: ${listed}.`);
  throw new CliError(`There are several directories: name one by its id: ${listed}.`, EXIT.usage);
}
