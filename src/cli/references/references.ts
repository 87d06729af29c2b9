import { CliError, EXIT } from '../client/cli.errors.js';
import { type Client, encode, type Json } from '../client/client.js';
import type { Command, Context, Reference } from '../command/command.js';

/** Returns the id of the only connection. */
async function onlyConnection(client: Client): Promise<string> {
  const [only, ...others] = await connections(client);
  if (only === undefined) throw new CliError('There is no connection yet.', EXIT.usage);
  if (others.length === 0) return only.id;
  throw new CliError(`There are several connections; name one: ${slugs([only, ...others])}.`, EXIT.usage);
}

/** The id of a connection that is named by its id or slug. No slug has an underline, so none looks like an id. */
async function connectionNamed(client: Client, named: string): Promise<string> {
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

/**
 * Returns the id of the directory with an id or name.
 *
 * @param argument undefined: the only directory
 * @throws {CliError} when no directory has the name, several have it, or none is named and there are several
 */
async function directoryNamed(client: Client, argument: string | undefined): Promise<string> {
  if (argument?.startsWith('dir_')) return argument;
  const all = await client.list<{ id: string; name: string }>('/directories');
  if (all.length === 0) throw new CliError('There is no directory yet.', EXIT.usage);
  const found = all.filter(({ name }) => argument === undefined || name.toLowerCase() === argument.toLowerCase());
  const listed = (found.length === 0 ? all : found).map(({ id, name }) => `${id} (${name})`).join(', ');
  if (found.length === 1) return found[0]!.id;
  if (found.length === 0) throw new CliError(`No directory is called ${argument!}; there are: ${listed}.`);
  throw new CliError(`There are several directories: name one by its id: ${listed}.`, EXIT.usage);
}

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

/** Records that a command names by id or `external_id`. */
interface NamedRecords {
  what: string;
  path: string;
  prefix: string;
}

/**
 * Returns the record with an id or `external_id`.
 *
 * @throws {CliError} when no record has it
 */
async function recordNamed(client: Client, named: string, { what, path, prefix }: NamedRecords): Promise<Json> {
  if (named.startsWith(prefix)) return client.call('GET', `${path}/${encode(named)}`);
  const [found] = await client.list(`${path}?external_id=${encodeURIComponent(named)}`, 1);
  if (found !== undefined) return found;
  throw new CliError(`No ${what} has ${named} as id or external_id.`);
}

/** How each kind is named, for the help. */
export const NAMED_BY: Record<Reference, string> = {
  ats_connection: 'its id, name, marker or provider',
  candidate: 'its id or external_id',
  connection: 'its id or slug',
  directory: 'its id or name',
  job: 'its id or external_id',
  user: 'its id, e-mail, external_id or userName',
  webhook: 'its id, description or url',
};

/** Records of which a tenant often has only one: that one is meant where none is named. */
export const OFTEN_ONE: ReadonlySet<Reference> = new Set(['connection', 'directory']);

/** Ids of records that a look-up would only read again. */
const ANY_ID = /^(?:cand|job)_/;

const RESOLVERS: Record<Reference, (client: Client, named: string) => Promise<string>> = {
  ats_connection: (client, named) =>
    idIn(client, named, { path: '/ats-connections', prefix: 'ats_', fields: ['name', 'marker', 'provider'] }),
  candidate: (client, named) => recordId(client, named, 'candidate', '/candidates', 'cand_'),
  connection: connectionNamed,
  directory: directoryNamed,
  job: (client, named) => recordId(client, named, 'job', '/jobs', 'job_'),
  user: personNamed,
  webhook: (client, named) =>
    idIn(client, named, { path: '/webhooks', prefix: 'whk_', fields: ['description', 'url'] }),
};

/**
 * Returns the context of a command with ids where its argument and options name records in another way. `none` stays.
 *
 * @throws {CliError} when no record has the name, or several have it
 */
export async function withIds(context: Context, command: Pick<Command, 'argument' | 'options'>): Promise<Context> {
  const { client, argument } = context;
  const refers = command.argument?.refers;
  const options = { ...context.options };
  for (const { name, refers: kind } of command.options ?? []) {
    const value = options[name];
    if (kind === undefined || typeof value !== 'string' || value === 'none') continue;
    options[name] = await RESOLVERS[kind](client, value);
  }
  if (refers === undefined || (argument === undefined && !OFTEN_ONE.has(refers))) return { ...context, options };
  if (argument === undefined) return { ...context, argument: await onlyOne(client, refers), options };
  // The call of the command itself says that a record does not exist.
  const id = ANY_ID.test(argument) ? argument : await RESOLVERS[refers](client, argument);
  return { ...context, argument: id, options };
}

function onlyOne(client: Client, refers: Reference): Promise<string> {
  return refers === 'directory' ? directoryNamed(client, undefined) : onlyConnection(client);
}

async function recordId(client: Client, named: string, what: string, path: string, prefix: string): Promise<string> {
  return (await recordNamed(client, named, { what, path, prefix }))['id'] as string;
}

/** Finds a record in a short list by one of its fields. */
async function idIn(
  client: Client,
  named: string,
  { path, prefix, fields }: { path: string; prefix: string; fields: readonly string[] },
): Promise<string> {
  if (named.startsWith(prefix)) return named;
  const all = await client.list<Record<string, unknown> & { id: string }>(path);
  const found = all.filter((one) => fields.some((field) => sameText(one[field], named)));
  if (found.length === 1) return found[0]!.id;
  const listed = (found.length === 0 ? all : found).map((one) => `${one.id} (${textOf(one[fields[0]!])})`);
  const words =
    found.length === 0 ? `Nothing has ${named} as id, ${fields.join(', ')}` : `Several have the name ${named}`;
  throw new CliError(`${words}; there are: ${listed.join(', ') || 'none'}.`, EXIT.usage);
}

function sameText(value: unknown, named: string): boolean {
  return typeof value === 'string' && value.toLowerCase() === named.toLowerCase();
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '-';
}

/** Returns the tenant of `--tenant`, else of the configured key. */
export async function tenantOf({ client, options }: Context): Promise<string> {
  const { tenant } = options;
  if (typeof tenant === 'string') return tenant;
  const me = await client.call<{ tenant: { id: string } }>('GET', '/me');
  return me.tenant.id;
}
