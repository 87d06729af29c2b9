import { CliError, EXIT } from '../client/cli.errors.js';
import type { Json } from '../client/client.js';
import { columns, given, numbers, queryOf, type Command, type CommandOption } from '../command/command.js';
import { at, ENDPOINT } from './webhooks.js';

const LIMIT: CommandOption = { name: 'limit', description: 'how many, 50 unless set' };

interface Explained {
  found: boolean;
  why: string | null;
  events: Json[];
}

/** Commands about the messages of webhook endpoints. */
export const WEBHOOK_MESSAGE_COMMANDS: Command[] = [
  {
    noun: 'webhook',
    verb: 'attempts',
    description: 'Lists the requests to an endpoint, newest first',
    argument: ENDPOINT,
    options: [
      { name: 'event_id', description: 'of one event (evt_…)' },
      { name: 'outcome', description: 'which ones', choices: ['delivered', 'failed'] },
      LIMIT,
    ],
    async run(context) {
      const { limit = 50 } = numbers(context, 'limit');
      const found = await context.client.list(
        `${at(context.argument)}/attempts${queryOf(context, 'event_id', 'outcome')}`,
        limit,
      );
      if (context.options['json'] === true) return found;
      return columns(found, 'at', 'event_id', 'outcome', 'status', 'fault', 'ms', 'address');
    },
  },
  {
    noun: 'webhook',
    verb: 'messages',
    description: 'Lists the messages that wait for an endpoint, or that were given up',
    argument: ENDPOINT,
    options: [{ name: 'state', description: 'waiting unless set', choices: ['waiting', 'given_up'] }, LIMIT],
    async run(context) {
      const { limit = 50 } = numbers(context, 'limit');
      const found = await context.client.list(`${at(context.argument)}/messages${queryOf(context, 'state')}`, limit);
      if (context.options['json'] === true) return found;
      return columns(found, 'event_id', 'event', 'record', 'at', 'failures', 'next_attempt_at', 'reason');
    },
  },
  {
    noun: 'webhook',
    verb: 'redeliver',
    description: 'Sends one event again, at once',
    argument: ENDPOINT,
    options: [{ name: 'event_id', description: 'its id (evt_…)', required: true }],
    run: (context) => context.client.call('POST', `${at(context.argument)}/redeliver`, given(context, 'event_id')),
  },
  {
    noun: 'webhook',
    verb: 'replay',
    description: 'Sends events again, oldest first, in a task that "task show" follows',
    argument: ENDPOINT,
    options: [
      { name: 'since', description: 'everything from then on, such as 2026-01-31T00:00:00Z', conflicts: ['given_up'] },
      { name: 'given_up', description: 'what was given up', flag: true },
      { name: 'rate', description: 'messages a second, 50 unless set' },
      { name: 'dry_run', description: 'counts, and sends nothing', flag: true },
    ],
    begins: 'answer',
    run(context) {
      const { since } = given(context, 'since');
      const flags = ['given_up', 'dry_run'].filter((name) => context.options[name] === true);
      if (since === undefined && !flags.includes('given_up')) {
        throw new CliError('Say --since or --given-up.', EXIT.usage);
      }
      return context.client.call('POST', `${at(context.argument)}/replay`, {
        ...(since === undefined ? {} : { since }),
        ...Object.fromEntries(flags.map((name) => [name, true])),
        ...numbers(context, 'rate'),
      });
    },
  },
  {
    noun: 'webhook',
    verb: 'explain',
    description: 'Says why an event did not arrive: of a record, or one event',
    argument: ENDPOINT,
    options: [
      {
        name: 'record',
        description: 'the record: cand_…, an external_id, or the id that the ATS itself has',
        conflicts: ['event_id'],
      },
      { name: 'event_id', description: 'the id of the event (evt_…)' },
    ],
    async run(context) {
      const query = queryOf(context, 'record', 'event_id');
      if (query === '') throw new CliError('Say --record or --event-id.', EXIT.usage);
      const found = await context.client.call<Explained>('GET', `${at(context.argument)}/explain${query}`);
      if (context.options['json'] === true) return { ...found };
      if (!found.found) return `${found.why}\n`;
      return columns(found.events, 'event_id', 'event', 'at', 'outcome', 'why');
    },
  },
];
