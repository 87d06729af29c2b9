import { PREVIEW_KINDS } from '../../directory-sync/routes/preview/preview.rules.js';
import { CliError, EXIT } from '../client/cli.errors.js';
import { encode, type Json } from '../client/client.js';
import { columns, given, LONG_LIST, numbers, queryOf, type Command, type Context } from '../command/command.js';
import { DIRECTORY, directoryId } from '../references/directory-id.js';
import { REQUEST_COMMANDS } from './requests.js';
import { exportOf } from './seat-lists.js';

const LIMIT = { name: 'limit', description: 'how many, 200 unless set' };

/** Commands that list what belongs to a directory: its plan of a preview, its rules, its groups and its requests. */
export const DIRECTORY_LIST_COMMANDS: Command[] = [
  {
    noun: 'directory',
    verb: 'plan',
    description: 'Counts the users that a directory in preview would change if it went live now',
    argument: DIRECTORY,
    async run(context) {
      const plan = await context.client.call(
        'GET',
        `/directories/${encode(await directoryId(context))}/preview?limit=1`,
      );
      const { state, made_at, stale, task_id, counts, seats_free } = plan;
      return { state, made_at, stale, task_id, ...(counts as Json | null), seats_free };
    },
  },
  {
    noun: 'directory',
    verb: 'plan users',
    description: 'Lists the users that a directory in preview would change if it went live now',
    argument: DIRECTORY,
    options: [{ name: 'kind', description: 'only these', choices: PREVIEW_KINDS }, ...LONG_LIST],
    async run(context) {
      const path = `/directories/${encode(await directoryId(context))}/preview${queryOf(context, 'kind')}`;
      const file = await exportOf(context, path);
      if (file !== undefined) return file;
      const { limit = 200 } = numbers(context, 'limit');
      const names = ['user_id', 'user_name', 'would', 'fields', 'take_seat', 'held'];
      return columns(await context.client.list(path, limit), ...names);
    },
  },
  {
    noun: 'directory',
    verb: 'plan make',
    description: 'Makes the plan of a directory in preview anew',
    argument: DIRECTORY,
    begins: 'answer',
    run: async (context) =>
      context.client.call('POST', `/directories/${encode(await directoryId(context))}/preview/plan`),
  },
  {
    noun: 'directory',
    verb: 'rules',
    description: 'Lists the group rules in order; --set replaces all of them',
    argument: DIRECTORY,
    options: [
      {
        name: 'set',
        of: 'rules',
        description: 'group=role with commas between, the group by id or name, the first match wins; or none',
      },
    ],
    begins: ['rules-changed'],
    async run(context) {
      const path = `/directories/${encode(await directoryId(context))}/rules`;
      const { set } = given(context, 'set');
      const { rules } =
        set === undefined
          ? await context.client.call<{ rules: Json[] }>('GET', path)
          : await context.client.call<{ rules: Json[] }>('PUT', path, { rules: await rulesOf(context, set) });
      return columns(rules, 'group_id', 'group', 'role');
    },
  },
  list('groups', 'Lists the groups of a directory, newest first', 'groups', [
    'id',
    'display_name',
    'external_id',
    'members',
    'pending_members',
    'updated_at',
  ]),
  list('pending', 'Lists members of groups whose user does not exist yet', 'pending-members', [
    'group_id',
    'group',
    'member_id',
    'display',
    'since',
  ]),
  ...REQUEST_COMMANDS,
];

function list(verb: string, description: string, resource: string, names: string[]): Command {
  return {
    noun: 'directory',
    verb,
    description,
    argument: DIRECTORY,
    options: [LIMIT],
    async run(context: Context) {
      const { limit = 200 } = numbers(context, 'limit');
      const path = `/directories/${encode(await directoryId(context))}/${resource}`;
      return columns(await context.client.list(path, limit), ...names);
    },
  };
}

/** Reads `group=role,…`; a group is named by its id or its display name. */
async function rulesOf(context: Context, text: string): Promise<Json[]> {
  if (text === 'none') return [];
  const pairs = text.split(',').map((pair) => {
    const at = pair.lastIndexOf('=');
    if (at < 1 || at === pair.length - 1) {
      throw new CliError('--set is group=role with commas between, or none.', EXIT.usage);
    }
    return { group: pair.slice(0, at).trim(), role: pair.slice(at + 1).trim() };
  });
  if (pairs.every(({ group }) => group.startsWith('grp_')))
    return pairs.map(({ group, role }) => ({ group_id: group, role }));
  const path = `/directories/${encode(await directoryId(context))}/groups`;
  const groups = await context.client.list<{ id: string; display_name: string }>(path, 10_000);
  return pairs.map(({ group, role }) => ({ group_id: groupIn(groups, group), role }));
}

function groupIn(groups: readonly { id: string; display_name: string }[], named: string): string {
  if (named.startsWith('grp_')) return named;
  const found = groups.filter(({ display_name: name }) => name.toLowerCase() === named.toLowerCase());
  if (found.length === 1) return found[0]!.id;
  const words = found.length === 0 ? `No group is called ${named}` : `Several groups are called ${named}`;
  throw new CliError(`${words}. "directory groups" lists them with their ids.`, EXIT.usage);
}
