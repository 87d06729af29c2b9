import type { Actor } from '../../tenancy/identity/person.js';
import { CliError, EXIT } from '../client/cli.errors.js';
import { encode, type Client, type Json } from '../client/client.js';
import { columns, type Command, given, numbers, type Context } from '../command/command.js';
import { actorName } from '../output/words.js';
import { personNamed, NAMED_BY } from '../references/references.js';

const USER = { name: 'user_id', required: true, description: NAMED_BY.user, refers: 'user' } as const;
/** Users that are named where a text is only the beginning of a name. */
const CANDIDATES = 10;

/** Commands that explain a user, also one that was deleted, or of whom only the beginning of a name is known. */
export const USER_COMMANDS: Command[] = [
  {
    noun: 'user',
    verb: 'show',
    description:
      'Shows a user: requested and effective state, why they differ, and the user in the way; how an inactive user has left',
    argument: USER,
    async run(context) {
      const id = context.argument!;
      const isJson = context.options['json'] === true;
      try {
        const explained = await context.client.call<Explained>('GET', `/users/${encode(id)}/explain`);
        return isJson ? { ...explained } : readable(explained);
      } catch (error) {
        const deleted = isJson ? null : await deletedUser(context.client, id);
        if (deleted === null) throw error;
        return deleted;
      }
    },
  },
  {
    noun: 'explain',
    verb: '',
    description:
      'Says in sentences why a user has access or not, with role, seat, last write, platform and sign-in; of another id (also a support id), and of an e-mail that no user has, what it is',
    argument: { name: 'user_id', required: true, description: `${NAMED_BY.user}; or any other id` },
    async run({ client, argument, options }) {
      const hits = await otherRecords(client, argument!);
      if (hits.length > 0)
        return options['json'] === true ? hits : columns(hits, 'kind', 'title', 'detail', 'parent_id', 'id');
      const id = await idOf(client, argument!);
      const explained = await client.call<{ sentences: Json[] }>('GET', `/users/${encode(id)}/explain`);
      return options['json'] === true
        ? { ...explained }
        : columns(explained.sentences, 'about', 'words', 'since', 'code');
    },
  },
];

/** Returns what a text names that is no user: the record with an id, or the refused sign-ins of an address. */
async function otherRecords(client: Client, named: string): Promise<Json[]> {
  const isId = /^[a-z]{3,4}_[0-9a-z._]+$/.test(named) && !named.startsWith('usr_');
  if (!isId && !named.includes('@')) return [];
  const { data } = await client.call<{ data: Json[] }>('GET', `/search?q=${encode(named)}`).catch(() => ({ data: [] }));
  return data.some(({ kind }) => kind === 'user') ? [] : data;
}

async function idOf(client: Client, named: string): Promise<string> {
  try {
    return await personNamed(client, named);
  } catch (error) {
    if (!(error instanceof CliError) || error.exitCode !== EXIT.failed) throw error;
    const found = await client.list<{ id: string; email: string | null }>(`/users?q=${encode(named)}`, CANDIDATES);
    if (found.length === 0) throw error;
    const all = found.map((user) => `${user.email ?? 'no e-mail'} (${user.id})`).join(', ');
    throw new CliError(`${named} is the beginning of a name. Name one user: ${all}.`, EXIT.usage);
  }
}

interface Departure {
  source: { actor: Actor; request_id: string };
  cause: { words: string } | null;
}

interface Leaver extends Departure {
  kind: string;
  user: Json;
  committed_at: string;
}

interface Explained {
  user: Json & { managed_by: { id: string; name: string } | null };
  user_name: string;
  requested: Json;
  refused_roles: { role: string; words: string }[];
  left: (Departure & { at: string }) | null;
  held: {
    reason: string;
    since: string;
    words: string;
    next: string;
    releasable: boolean;
    conflicts: Conflict[];
  } | null;
}

interface Conflict {
  field: string;
  value: string;
  user_id: string;
  email: string | null;
  directory: string | null;
}

/** Returns what is known of a deleted user; null: the user was not deleted, or the key may not read leavers. */
async function deletedUser(client: Client, id: string): Promise<Json | null> {
  const [last] = await client.list<Leaver>(`/leavers/${encode(id)}`, 1).catch(() => []);
  if (last?.kind !== 'deleted') return null;
  const { user, committed_at: at, source, cause } = last;
  const next = `history show ${id} shows all that happened to the user`;
  return { id, ...user, status: 'deleted', ...departure({ at, source, cause }), next };
}

function departure({ at, source, cause }: Departure & { at: string }): Json {
  return {
    left_at: at,
    left_by: actorName(source.actor),
    left_why: cause?.words ?? 'not recorded',
    left_request_id: source.request_id === '' ? null : source.request_id,
  };
}

function readable({ user, user_name, requested, refused_roles, left, held }: Explained): Json {
  const { managed_by, held: _, seat, ...fields } = user;
  const { id, ...others } = fields;
  const shown: Json = {
    id,
    user_name,
    ...others,
    seat,
    directory: managed_by === null ? null : `${managed_by.name} (${managed_by.id})`,
    ...(left === null ? {} : departure(left)),
    held: held?.reason ?? null,
    ...Object.fromEntries(refused_roles.map(({ role, words }) => [`refused_role_${role}`, words])),
  };
  if (held === null) return shown;
  const asked = Object.entries(requested).filter(([name, value]) => value !== user[name]);
  const conflicts = held.conflicts.map(
    ({ field, value, user_id, email, directory }) =>
      `${user_id}${email === null || field === 'email' ? '' : ` (${email})`} has the ${field} ${value}` +
      (directory === null ? '' : `, managed by ${directory}`),
  );
  return {
    ...shown,
    held_since: held.since,
    why: held.words,
    ...Object.fromEntries(asked.map(([name, value]) => [`requested_${name}`, value])),
    ...Object.fromEntries(conflicts.map((words, place) => [place === 0 ? 'conflict' : `conflict_${place + 1}`, words])),
    next: held.releasable ? `${held.next} (held release ${String(id)})` : held.next,
  };
}

/** Commands about users whose requested state is not in force. */
export const HELD_COMMANDS: Command[] = [
  ...(['release', 'discard'] as const).map((verb): Command => ({
    noun: 'held',
    verb,
    description:
      verb === 'release' ? 'Puts the requested state into force' : 'Makes the state in force the requested one',
    argument: {
      name: 'user_id',
      required: false,
      description: 'one user: id, e-mail, external_id or userName; else --all or a filter',
      refers: 'user',
    },
    options: [
      { name: 'all', description: 'all of them, in a task that "task show" follows', flag: true },
      { name: 'reason', description: 'only those, in a task' },
      {
        name: 'directory',
        description: 'only those of this directory (its id or name), in a task',
        refers: 'directory',
      },
      { name: 'dry_run', description: 'with --all, --reason or --directory: counts, and changes nothing', flag: true },
      ...(verb === 'release'
        ? [{ name: 'administrators', description: 'how many of them administer the tenant, as the dry run says' }]
        : []),
    ],
    begins: 'answer',
    run: (context) => settle(context, verb),
  })),
];

async function settle(context: Context, verb: 'release' | 'discard'): Promise<Json> {
  const { client, argument, options } = context;
  const filter = given(context, 'reason', 'directory');
  const isFiltered = Object.keys(filter).length > 0;
  const all = options['all'] === true;
  if ([argument !== undefined, isFiltered, all].filter(Boolean).length > 1) {
    throw new CliError('Name a user, or say --all or a filter, and not both.', EXIT.usage);
  }
  if (options['dry_run'] === true && argument !== undefined) {
    throw new CliError('--dry-run goes with --all, --reason or --directory.', EXIT.usage);
  }
  if (argument !== undefined) return client.call('POST', `/held/${encode(argument)}/${verb}`, {});
  if (!isFiltered && !all) throw new CliError('Name a user, or say --all, --reason or --directory.', EXIT.usage);
  const choice = { ...filter, ...(all ? { all } : {}) };
  const asked = verb === 'release' ? numbers(context, 'administrators') : {};
  return client.call('POST', `/held/${verb}`, {
    ...choice,
    ...asked,
    ...(options['dry_run'] === true ? { dry_run: true } : {}),
  });
}
