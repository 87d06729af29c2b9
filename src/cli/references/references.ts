import { CliError, EXIT } from '../client/cli.errors.js';
import type { Client } from '../client/client.js';
import type { Command, Context, Reference } from '../command/command.js';
import { connectionNamed, onlyConnection } from './connection-id.js';
import { directoryNamed } from './directory-id.js';
import { personNamed } from './person-id.js';
import { recordNamed } from './record-id.js';

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
const ID = /^(?:cand|job)_/;

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
  const id = ID.test(argument) ? argument : await RESOLVERS[refers](client, argument);
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
