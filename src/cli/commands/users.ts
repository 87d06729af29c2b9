import type { Actor } from '../../tenancy/identity/source.js';
import { actorName } from '../output/actor-name.js';
import { encode, type Client, type Json } from '../client/client.js';
import { numbers, queryOf, type Command } from '../command/command.js';
import { CliError, EXIT } from '../client/cli.errors.js';
import { EXPLAIN_COMMAND } from './explain.js';
import { SEARCH_COMMAND } from './search.js';
import { PERSON, personId } from '../references/person-id.js';

const FILTERS = ['directory', 'status', 'role', 'seat', 'held'] as const;

/** Commands that look users up. */
export const USER_COMMANDS: Command[] = [
  {
    noun: 'user',
    verb: 'find',
    description: 'Finds users by the beginning of an e-mail, name, userName or external_id, held users too',
    argument: { name: 'text', required: false, description: 'at least one character, or a filter in its place' },
    options: [
      {
        name: 'directory',
        description: 'only of this directory (its id or name), or none: managed by no directory',
        refers: 'directory',
      },
      { name: 'status', description: 'effective status', choices: ['active', 'inactive'] },
      { name: 'role', description: 'only with this role' },
      { name: 'seat', description: 'only with this seat state', choices: ['held', 'none', 'waiting'] },
      { name: 'held', description: 'a reason such as email_taken, any, or none' },
      { name: 'limit', description: 'how many, 50 unless set' },
    ],
    async run(context) {
      const { client, argument, options } = context;
      const filters = queryOf(context, ...FILTERS);
      if (argument === undefined && filters === '')
        throw new CliError(
          'Say what to look for, or a filter such as --status active; "user find --help" names all there is.',
          EXIT.usage,
        );
      const query = new URLSearchParams(filters);
      if (argument !== undefined) query.set('q', argument);
      const { limit = 50 } = numbers(context, 'limit');
      const users = await client.list(`/users?${query.toString()}`, limit);
      return options['json'] === true ? users : users.map(row);
    },
  },
  {
    noun: 'user',
    verb: 'show',
    description:
      'Shows a user: requested and effective state, why they differ, and the user in the way; how an inactive user has left',
    argument: PERSON,
    async run(context) {
      const id = await personId(context);
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
    noun: 'user',
    verb: 'resend',
    description: 'Sends a user to the platform again, in the effective state',
    argument: PERSON,
    async run(context) {
      const id = await personId(context);
      await context.client.call('POST', `/users/${encode(id)}/resend`, {});
      return { id, sent: 'again' };
    },
  },
  EXPLAIN_COMMAND,
  SEARCH_COMMAND,
];

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

function row(user: Json): Json {
  const { id, email, first_name, last_name, external_id, role, status, seat, held } = user;
  const managed = user['managed_by'] as { name: string } | null;
  const name = [first_name, last_name].filter((part) => part !== '').join(' ');
  return { id, email, name, external_id, role, status, seat, held, directory: managed?.name ?? null };
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
