import { CliError, EXIT } from '../client/cli.errors.js';
import { encode, type Json } from '../client/client.js';
import { given, type Command, type Context } from '../command/command.js';

/** Commands about changes that the platform has refused. */
export const PARKED_COMMANDS: Command[] = (['retry', 'dismiss'] as const).map((verb) => ({
  noun: 'changes',
  verb,
  description: verb === 'retry' ? 'Tries parked changes again' : 'Gives up parked changes',
  argument: { name: 'change_id', required: false, description: 'one change, as the list shows it; else a filter' },
  options: [
    { name: 'error', description: 'all with this code, such as refused, in a task' },
    {
      name: 'directory',
      description: 'all that came from this directory (its id or name), in a task',
      refers: 'directory',
    },
    { name: 'dry_run', description: 'with a filter: counts, and changes nothing', flag: true },
    ...(verb === 'dismiss' ? [{ name: 'reason', description: 'the reason' }] : []),
  ],
  begins: 'answer',
  run: (context) => act(context, verb),
}));

function act(context: Context, verb: 'retry' | 'dismiss'): Promise<Json> {
  const { client, argument, options } = context;
  const filter = given(context, 'error', 'directory');
  const isFiltered = Object.keys(filter).length > 0;
  if ((argument !== undefined) === isFiltered) {
    throw new CliError('Name a change, or say --error or --directory, and not both.', EXIT.usage);
  }
  const reason = given(context, 'reason');
  if (argument !== undefined) return client.call('POST', `/changes/${encode(argument)}/${verb}`, reason);
  const dryRun = options['dry_run'] === true ? { dry_run: true } : {};
  return client.call('POST', `/changes/${verb}`, { ...filter, ...reason, ...dryRun });
}
