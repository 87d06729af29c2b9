import { CliError, EXIT } from '../client/cli.errors.js';
import { encode, type Json } from '../client/client.js';
import {
  CONFIRM,
  demandConfirmed,
  given,
  nothingToChange,
  numbers,
  type Command,
  type Context,
} from '../command/command.js';
import { fromInput } from '../made/values.js';

const REMOVALS = ['inactive', 'delete'];

/** Commands about the platform and the changes that it has refused: of one change, or of all that a filter finds. */
export const CHANGE_COMMANDS: Command[] = [
  {
    noun: 'platform',
    verb: 'set',
    description: 'Sets the destination of changes',
    options: [
      { name: 'base_url', description: 'the address of the platform’s API' },
      { name: 'api_key', description: 'the platform’s key; - reads it from standard input' },
      { name: 'on_deactivate', description: 'what a deactivation does there', choices: REMOVALS },
      { name: 'on_delete', description: 'what a deletion does there', choices: REMOVALS },
      { name: 'rate', description: 'calls a second' },
      { name: 'concurrency', description: 'calls at once' },
      { name: 'timeout_ms', description: 'the deadline of a call' },
      { name: 'dry_run', description: 'counts the users that are sent again, and changes nothing', flag: true },
      CONFIRM,
    ],
    begins: ['platform.reforward'],
    async run(context) {
      const { client, options } = context;
      const body = given(context, 'base_url', 'api_key', 'on_deactivate', 'on_delete');
      if (body['api_key'] !== undefined) body['api_key'] = fromInput(body['api_key']);
      const change = { ...body, ...numbers(context, 'rate', 'concurrency', 'timeout_ms') };
      if (Object.keys(change).length === 0) throw nothingToChange('platform set', '--base-url');
      const counted = await client.call('PUT', '/platform', { ...change, dry_run: true });
      if (options['dry_run'] === true) return { sends_again: counted['sends_again'], changed: false };
      const again = Number(counted['sends_again']);
      demandConfirmed(
        context,
        again,
        `Another address sends all ${again} users again, to ${String(body['base_url'])}.`,
      );
      return client.call('PUT', '/platform', change);
    },
  },
  ...(['retry', 'dismiss'] as const).map((verb): Command => ({
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
  })),
];

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
