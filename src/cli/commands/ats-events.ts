import { CliError, EXIT } from '../client/cli.errors.js';
import { encode } from '../client/client.js';
import { columns, given, numbers, queryOf, type Command, type CommandOption } from '../command/command.js';
import { ats, ATS_CONNECTION } from './ats.js';

const LIMIT: CommandOption = { name: 'limit', description: 'how many, 50 unless set' };
const EVENT: CommandOption = { name: 'event_id', description: 'one event (aev_…)' };
const STATES = ['waiting', 'applied', 'no_effect', 'failed', 'dismissed'];

/** Commands about what came in from an ATS. */
export const ATS_EVENT_COMMANDS: Command[] = [
  {
    noun: 'ats',
    verb: 'runs',
    description: 'Lists the passes over the records of the ATS, newest first, with counts and progress',
    argument: ATS_CONNECTION,
    options: [LIMIT],
    async run(context) {
      const { limit = 50 } = numbers(context, 'limit');
      const found = await context.client.list(`${ats(context.argument)}/runs`, limit);
      if (context.options['json'] === true) return found;
      return columns(
        found,
        ...['id', 'reason', 'full', 'state', 'waiting_reason', 'phase', 'started_at', 'duration_ms', 'counts', 'error'],
      );
    },
  },
  {
    noun: 'ats',
    verb: 'events',
    description: 'Lists the webhooks of the ATS that were received, or shows one with its body',
    argument: ATS_CONNECTION,
    options: [
      { ...EVENT, conflicts: ['state', 'remote_id'] },
      { name: 'state', description: 'only in this state', choices: STATES },
      { name: 'remote_id', description: 'about the record with this id in the ATS' },
      LIMIT,
    ],
    async run(context) {
      const { event_id: event } = given(context, 'event_id');
      if (event !== undefined) return context.client.call('GET', `${ats(context.argument)}/events/${encode(event)}`);
      const { limit = 50 } = numbers(context, 'limit');
      const found = await context.client.list(
        `${ats(context.argument)}/events${queryOf(context, 'state', 'remote_id')}`,
        limit,
      );
      if (context.options['json'] === true) return found;
      return columns(found, 'id', 'at', 'name', 'remote_id', 'state', 'reason', 'detail');
    },
  },
  {
    noun: 'ats',
    verb: 'retry',
    description: 'Lets one event, or all that failed, be applied again',
    argument: ATS_CONNECTION,
    options: [EVENT, { name: 'failed', description: 'all that failed', flag: true, conflicts: ['event_id'] }],
    run(context) {
      const { event_id: event } = given(context, 'event_id');
      if (event === undefined && context.options['failed'] !== true) {
        throw new CliError('Say --event-id or --failed.', EXIT.usage);
      }
      const place = event === undefined ? 'retry' : `${encode(event)}/retry`;
      return context.client.call('POST', `${ats(context.argument)}/events/${place}`, {});
    },
  },
  {
    noun: 'ats',
    verb: 'dismiss',
    description: 'Notes that an event does not matter',
    argument: ATS_CONNECTION,
    options: [
      { ...EVENT, required: true },
      { name: 'reason', description: 'why; kept in the audit log', required: true },
    ],
    run(context) {
      const { event_id: event = '', reason } = given(context, 'event_id', 'reason');
      return context.client.call('POST', `${ats(context.argument)}/events/${encode(event)}/dismiss`, { reason });
    },
  },
];
