import { CliError, EXIT } from '../cli.errors.js';
import { encode, type Json } from '../client.js';
import { columns, given, numbers, type Command, type Context } from '../command.js';
import { DIRECTORY, directoryId } from '../directory-id.js';

const LIMIT = { name: 'limit', description: 'how many, 200 unless set' };

/** Commands about the groups of a directory, and which roles they give. */
export const DIRECTORY_LIST_COMMANDS: Command[] = [
  {
    noun: 'directory',
    verb: 'rules',
    description: 'Lists the group rules in order; --set replaces all of them',
    argument: DIRECTORY,
    options: [{ name: 'set', description: 'group_id=role with commas between, the first match wins; or none' }],
    async run(context) {
      const path = `/directories/${encode(await directoryId(context))}/rules`;
      const { set } = given(context, 'set');
      const { rules } =
        set === undefined
          ? await context.client.call<{ rules: Json[] }>('GET', path)
          : await context.client.call<{ rules: Json[] }>('PUT', path, { rules: rulesOf(set) });
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

function rulesOf(text: string): Json[] {
  if (text === 'none') return [];
  return text.split(',').map((pair) => {
    const at = pair.indexOf('=');
    if (at < 1 || at === pair.length - 1) {
      throw new CliError('--set is group_id=role with commas between, or none.', EXIT.usage);
    }
    return { group_id: pair.slice(0, at).trim(), role: pair.slice(at + 1).trim() };
  });
}
