import { CliError, EXIT } from '../client/cli.errors.js';
import { encode, type Json } from '../client/client.js';
import { columns, given, queryOf, type Command, type Context } from '../command/command.js';
import { personId } from '../references/person-id.js';

const REASON = { name: 'reason', description: 'guard, no_seat, no_email …' };

/** Commands about users whose requested state is not in force. */
export const HELD_COMMANDS: Command[] = [
  {
    noun: 'held',
    verb: 'list',
    description: 'Lists users whose requested state has no effect, and why; "user show" names the user in the way',
    options: [REASON, { name: 'directory', description: 'of one directory: its id or name', refers: 'directory' }],
    async run(context) {
      const held = await context.client.list(`/held${queryOf(context, 'reason', 'directory')}`);
      if (context.options['json'] === true) return columns(held, 'user_id', 'reason', 'since', 'directory_id');
      return held.map((row) => ({
        ...columns([row], 'user_id', 'reason', 'since', 'directory_id')[0],
        requested_email: (row['written'] as Json)['email'],
        requested_status: (row['written'] as Json)['status'],
      }));
    },
  },
  ...(['release', 'discard'] as const).map((verb): Command => ({
    noun: 'held',
    verb,
    description:
      verb === 'release' ? 'Puts the requested state into force' : 'Makes the state in force the requested one',
    argument: {
      name: 'user_id',
      required: false,
      description: 'one user: id, e-mail, external_id or userName; else --all or a filter',
    },
    options: [
      { name: 'all', description: 'all of them', flag: true },
      { ...REASON, description: 'only those, in a task that "task show" follows' },
      {
        name: 'directory',
        description: 'only those of this directory (its id or name), in a task',
        refers: 'directory',
      },
      { name: 'dry_run', description: 'with --reason or --directory: counts, and changes nothing', flag: true },
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
  if (argument !== undefined && (all || isFiltered)) {
    throw new CliError('Name a user, or say --all or a filter, and not both.', EXIT.usage);
  }
  if (options['dry_run'] === true && !isFiltered) {
    throw new CliError('--dry-run goes with --reason or --directory.', EXIT.usage);
  }
  if (argument !== undefined) return client.call('POST', `/held/${encode(await personId(context))}/${verb}`, {});
  if (isFiltered) {
    const body = { ...filter, ...(options['dry_run'] === true ? { dry_run: true } : {}) };
    return client.call('POST', `/held/${verb}`, body);
  }
  if (!all) throw new CliError('Name a user, or say --all, --reason or --directory.', EXIT.usage);
  const held = await client.list('/held', 100_000);
  const refused: string[] = [];
  for (const { user_id } of held as { user_id: string }[]) {
    await client.call('POST', `/held/${encode(user_id)}/${verb}`, {}).catch((error: unknown) => {
      if (!(error instanceof CliError) || error.exitCode !== EXIT.failed) throw error;
      refused.push(user_id);
    });
  }
  return { [verb === 'release' ? 'released' : 'discarded']: held.length - refused.length, refused };
}
