import { CliError, EXIT } from '../client/cli.errors.js';
import type { Client } from '../client/client.js';

/** Returns the id of the only connection. */
export async function onlyConnection(client: Client): Promise<string> {
  const [only, ...others] = await connections(client);
  if (only === undefined) throw new CliError('There is no connection yet.', EXIT.usage);
  if (others.length === 0) return only.id;
  throw new CliError(`There are several connections; name one: ${slugs([only, ...others])}.`, EXIT.usage);
}

/** The id of a connection that is named by its id or slug. No slug has an underline, so none looks like an id. */
export async function connectionNamed(client: Client, named: string): Promise<string> {
  if (named.startsWith('con_')) return named;
  const [found] = await connections(client, `?slug=${encodeURIComponent(named)}`);
  if (found !== undefined) return found.id;
  const all = await connections(client);
  throw new CliError(
    all.length === 0 ? 'There is no connection yet.' : `No connection is called ${named}; there are: ${slugs(all)}.`,
  );
}

interface Named {
  id: string;
  slug: string;
}

function connections(client: Client, query = ''): Promise<Named[]> {
  return client.list<Named>(`/connections${query}`);
}

function slugs(all: readonly Named[]): string {
  return all.map(({ slug }) => slug).join(', ');
}
