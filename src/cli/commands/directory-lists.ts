import { CliError, EXIT } from '../client/cli.errors.js';
import { encode, type Json } from '../client/client.js';
import { columns, given, numbers, type Command, type Context } from '../command/command.js';
import { DIRECTORY, directoryId } from '../references/directory-id.js';
import { PLAN_COMMANDS } from './plan.js';
import { REQUEST_COMMANDS } from './requests.js';

interface NamedGroup extends Json {
  id: string;
  display_name: string;
}

const RULES = 'group=role with commas between, the group by id or name, the first match wins; or none';
const LIMIT = { name: 'limit', description: 'how many, 200 unless set' };

/** Commands that list what belongs to a directory: its plan of a preview, its rules, its groups and its requests. */
export const DIRECTORY_LIST_COMMANDS: Command[] = [
  ...PLAN_COMMANDS,
  {
    noun: 'directory',
    verb: 'rules',
    description: 'Lists the group rules in order; --set replaces all of them',
    argument: DIRECTORY,
    options: [
      {
        name: 'set',
        of: 'rules',
        description: RULES,
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
  {
    noun: 'directory',
    verb: 'rules plan',
    description: 'Shows the users whose role or seat would change with other group rules; changes nothing',
    argument: DIRECTORY,
    options: [
      { name: 'set', of: 'rules', description: RULES, required: true },
      { name: 'users', description: 'lists the first 200 users in place of the counts', flag: true },
    ],
    async run(context) {
      const path = `/directories/${encode(await directoryId(context))}/rules/plan`;
      const rules = await rulesOf(context, given(context, 'set')['set']!);
      const { data, ...counts } = await context.client.call<Json & { data: Json[] }>('POST', path, { rules });
      if (context.options['json'] === true) return { ...counts, data };
      return context.options['users'] === true ? columns(data, 'user_id', 'user_name', 'from', 'to', 'seat') : counts;
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
  {
    noun: 'directory',
    verb: 'group-members',
    description: 'Lists the users who are members of a group',
    argument: DIRECTORY,
    options: [{ name: 'group', description: 'the group, by id or name', required: true }, LIMIT],
    async run(context) {
      const { limit = 200 } = numbers(context, 'limit');
      const path = `/directories/${encode(await directoryId(context))}/groups`;
      const named = given(context, 'group')['group']!;
      const groups = named.startsWith('grp_') ? [] : await groupsOf(context);
      const members = `${path}/${encode(groupIn(groups, named))}/members`;
      return columns(await context.client.list(members, limit), 'user_id', 'user_name', 'email', 'status');
    },
  },
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
  const groups = await groupsOf(context);
  return pairs.map(({ group, role }) => ({ group_id: groupIn(groups, group), role }));
}

async function groupsOf(context: Context): Promise<NamedGroup[]> {
  return context.client.list<NamedGroup>(`/directories/${encode(await directoryId(context))}/groups`, 10_000);
}

function groupIn(groups: readonly NamedGroup[], named: string): string {
  if (named.startsWith('grp_')) return named;
  const found = groups.filter(({ display_name: name }) => name.toLowerCase() === named.toLowerCase());
  if (found.length === 1) return found[0]!.id;
  const words = found.length === 0 ? `No group is called ${named}` : `Several groups are called ${named}`;
  throw new CliError(`${words}. "directory groups" lists them with their ids.`, EXIT.usage);
}
