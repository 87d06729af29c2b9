import { CliError, EXIT } from '../client/cli.errors.js';
import { encode, type Json } from '../client/client.js';
import type { Command, CommandOption, Context } from '../command/command.js';
import { personId } from '../references/person-id.js';
import { DIRECTORY, directoryId } from '../references/directory-id.js';

const ACTS = {
  release: 'Lets the users go whom the guard holds',
  discard: 'Makes the users active in the directory again whom the guard holds',
  undo: 'Brings back who left before the guard held the others, for 24 hours',
} as const;

/** Which users a task of one directory is about, and the number that its caller expects. */
export const COUNTED_OPTIONS: readonly CommandOption[] = [
  { name: 'user', description: 'one user: id, e-mail, external_id or userName' },
  { name: 'all', description: 'all of them', flag: true },
  { name: 'count', description: 'the number of the dry run: where it is another one by now, nothing is done' },
  { name: 'dry_run', description: 'counts, and changes nothing', flag: true },
];

/** Commands about what the guard of a directory counts and holds. */
export const GUARD_COMMANDS: Command[] = [
  {
    noun: 'directory',
    verb: 'guard show',
    description: 'Shows the windows of the guard, who left, and how many it holds',
    argument: DIRECTORY,
    async run(context) {
      const guard = await context.client.call('GET', `/directories/${encode(await directoryId(context))}/guard`);
      if (context.options['json'] === true) return guard;
      const { departures, ...figures } = guard;
      const left = (departures as Json)['data'] as Json[];
      return { ...figures, left: left.map(({ user_id, email, how, at }) => ({ user_id, email, how, at })) };
    },
  },
  ...Object.entries(ACTS).map(([act, description]): Command => ({
    noun: 'directory',
    verb: `guard ${act}`,
    description,
    argument: DIRECTORY,
    options: COUNTED_OPTIONS,
    begins: 'answer',
    run: (context) => countedTask(context, `guard/${act}`),
  })),
];

/** Begins a task of one directory about one user or all, or counts the users. */
export async function countedTask(context: Context, act: string): Promise<Json> {
  const { client, options } = context;
  const { user, count } = options;
  const isDry = options['dry_run'] === true;
  if ((typeof user === 'string') === (options['all'] === true || isDry) && !isDry) {
    throw new CliError('Say either --user or --all.', EXIT.usage);
  }
  const ids = typeof user === 'string' ? { user_ids: [await personId({ ...context, argument: user })] } : {};
  const body = {
    ...ids,
    ...(isDry ? { dry_run: true } : {}),
    ...(typeof count === 'string' ? { count: Number(count) } : {}),
  };
  return client.call('POST', `/directories/${encode(await directoryId(context))}/${act}`, body);
}
