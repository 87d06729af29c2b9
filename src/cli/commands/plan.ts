import { PREVIEW_KINDS } from '../../directory-sync/routes/preview/preview.rules.js';
import { encode, type Json } from '../client/client.js';
import { columns, LONG_LIST, numbers, queryOf, type Command, type Context } from '../command/command.js';
import { DIRECTORY, directoryId } from '../references/directory-id.js';
import { countedTask, COUNTED_OPTIONS } from './guard.js';
import { exportOf } from './seat-lists.js';

/** Commands about a switch to a directory: the plan of going live, and the users that are left with the old directory. */
export const PLAN_COMMANDS: Command[] = [
  {
    noun: 'directory',
    verb: 'plan',
    description: 'Counts the users that a directory in preview would change if it went live now',
    argument: DIRECTORY,
    async run(context) {
      const plan = await context.client.call('GET', `${await pathOf(context)}/preview?limit=1`);
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
      const path = `${await pathOf(context)}/preview${queryOf(context, 'kind')}`;
      return listed(context, path, ['user_id', 'user_name', 'would', 'fields', 'take_seat', 'held']);
    },
  },
  {
    noun: 'directory',
    verb: 'plan make',
    description: 'Makes the plan of a directory in preview anew',
    argument: DIRECTORY,
    begins: 'answer',
    run: async (context) => context.client.call('POST', `${await pathOf(context)}/preview/plan`),
  },
  {
    noun: 'directory',
    verb: 'unlinked',
    description: 'Lists active users of the replaced directory that a live directory has not linked',
    argument: DIRECTORY,
    options: LONG_LIST,
    async run(context) {
      const path = `${await pathOf(context)}/unlinked`;
      return listed(context, path, ['user_id', 'user_name', 'email', 'role', 'seat', 'held', 'updated_at']);
    },
  },
  {
    noun: 'directory',
    verb: 'unlinked deactivate',
    description: 'Deactivates active users of the replaced directory that a live directory has not linked',
    argument: DIRECTORY,
    options: COUNTED_OPTIONS,
    begins: 'answer',
    run: (context) => countedTask(context, 'unlinked/deactivate'),
  },
];

async function pathOf(context: Context): Promise<string> {
  return `/directories/${encode(await directoryId(context))}`;
}

async function listed(context: Context, path: string, names: string[]): Promise<string | Json[]> {
  const file = await exportOf(context, path);
  if (file !== undefined) return file;
  const { limit = 200 } = numbers(context, 'limit');
  return columns(await context.client.list(path, limit), ...names);
}
