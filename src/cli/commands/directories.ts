import { CliError, EXIT } from '../client/cli.errors.js';
import { encode, type Client, type Json } from '../client/client.js';
import { columns, given, numbers, type Command, type CommandOption, type Context } from '../command/command.js';
import { stepped, isTask } from '../output/words.js';
import { NAMED_BY } from '../references/references.js';

interface NamedGroup extends Json {
  id: string;
  display_name: string;
}

const DIRECTORY = {
  name: 'directory_id',
  required: false,
  description: `${NAMED_BY.directory}; not needed where there is only one`,
  refers: 'directory',
} as const;
/** The number of administrators that an act takes the console from. */
const ADMINISTRATORS: CommandOption = {
  name: 'administrators',
  description: 'how many administrators lose the console by it, as the plan or the refusal says',
};
const RULES = 'group=role with commas between, the group by id or name, the first match wins; or none';

/** Commands of a directory that name groups, or look at its tokens first. */
export const DIRECTORY_COMMANDS: Command[] = [
  {
    noun: 'directory',
    verb: 'rotate-token',
    description: 'Makes a new SCIM token; the newest one stays valid for an overlap',
    argument: DIRECTORY,
    options: [
      { name: 'overlap_seconds', description: 'how long the old one stays valid, a day unless set' },
      {
        name: 'expires_at',
        description: 'when the new one ends, or `never`; else it lives as long as the old one was made for',
      },
    ],
    async run(context) {
      const { client } = context;
      const id = context.argument!;
      const end = given(context, 'expires_at');
      const body = {
        ...(end['expires_at'] === 'never' ? { expires_at: null } : end),
        ...numbers(context, 'overlap_seconds'),
      };
      const now = Date.now();
      const valid = (await client.list(`/directories/${encode(id)}/tokens`)).filter(
        (token) =>
          token['revoked_at'] === null &&
          (token['expires_at'] === null || Date.parse(token['expires_at'] as string) > now),
      );
      const made = await rotate(client, id, valid, body);
      return { directory_id: id, scim_base_url: made['scim_base_url'], scim_token: made['scim_token'] };
    },
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
        description: RULES,
      },
      ADMINISTRATORS,
    ],
    begins: ['rules-changed'],
    async run(context) {
      const path = `/directories/${encode(context.argument!)}/rules`;
      const { set } = given(context, 'set');
      const { rules } =
        set === undefined
          ? await context.client.call<{ rules: Json[] }>('GET', path)
          : await context.client.call<{ rules: Json[] }>('PUT', path, {
              rules: await rulesOf(context, set),
              ...numbers(context, 'administrators'),
            });
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
    begins: 'answer',
    async run(context) {
      const path = `/directories/${encode(context.argument!)}/rules/plan`;
      const rules = await rulesOf(context, given(context, 'set')['set']!);
      const answer = await context.client.call<Json & { data: Json[] }>('POST', path, { rules });
      // Of a directory with very many users; `task left-out` lists those who would change.
      if (isTask(answer)) return answer;
      const { data, ...counts } = answer;
      if (context.options['json'] === true) return { ...counts, data };
      return context.options['users'] === true
        ? columns(data.map(stepped), 'user_name', 'role', 'status', 'seat', 'console', 'user_id')
        : counts;
    },
  },
  {
    noun: 'directory',
    verb: 'group-members',
    description: 'Lists the users who are members of a group',
    argument: DIRECTORY,
    options: [
      { name: 'group', description: 'the group, by id or name', required: true },
      { name: 'limit', description: 'how many, 200 unless set' },
    ],
    async run(context) {
      const { limit = 200 } = numbers(context, 'limit');
      const path = `/directories/${encode(context.argument!)}/groups`;
      const named = given(context, 'group')['group']!;
      const groups = named.startsWith('grp_') ? [] : await groupsOf(context);
      const members = `${path}/${encode(groupIn(groups, named))}/members`;
      return columns(await context.client.list(members, limit), 'user_id', 'user_name', 'email', 'status');
    },
  },
];

async function rotate(client: Client, id: string, valid: Json[], body: Json): Promise<Json> {
  const path = `/directories/${encode(id)}/tokens`;
  const [newest] = valid;
  if (newest === undefined) return client.call('POST', path, { name: 'token', ...omit(body, 'overlap_seconds') });
  return client.call('POST', `${path}/${encode(newest['id'] as string)}/rotate`, body);
}

function omit(record: Json, name: string): Json {
  const { [name]: _, ...rest } = record;
  return rest;
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

function groupsOf(context: Context): Promise<NamedGroup[]> {
  return context.client.list<NamedGroup>(`/directories/${encode(context.argument!)}/groups`, 10_000);
}

function groupIn(groups: readonly NamedGroup[], named: string): string {
  if (named.startsWith('grp_')) return named;
  const found = groups.filter(({ display_name: name }) => name.toLowerCase() === named.toLowerCase());
  if (found.length === 1) return found[0]!.id;
  const words = found.length === 0 ? `No group is called ${named}` : `Several groups are called ${named}`;
  throw new CliError(`${words}. "directory groups" lists them with their ids.`, EXIT.usage);
}
