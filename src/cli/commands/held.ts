import { CliError, EXIT } from '../client/cli.errors.js';
import { encode, type Json } from '../client/client.js';
import { given, numbers, type Command, type Context } from '../command/command.js';

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
