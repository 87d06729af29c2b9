import { whatHappened, type HistoryEntry } from '../../history/entry.mapping.js';
import { encode, type Json } from '../client.js';
import { CliError, EXIT } from '../cli.errors.js';
import { columns, given, numbers, queryOf, type Command } from '../command.js';

const SINCE = { name: 'since', description: 'such as 2026-01-31T00:00:00Z' };
const UNTIL = { name: 'until', description: 'before that moment' };
const FORMAT = { name: 'format', description: 'csv or ndjson: all of them, as the API exports them' };
const LIMIT = { name: 'limit', description: 'how many, 200 unless set' };

export const HISTORY_COMMANDS: Command[] = [
  {
    noun: 'leavers',
    verb: 'list',
    description: 'Lists who left, newest first, and how long it took until the platform knew',
    options: [
      SINCE,
      UNTIL,
      { name: 'user_id', description: 'of one person' },
      { name: 'state', description: 'confirmed, waiting, parked, dismissed or not_forwarded' },
      FORMAT,
      LIMIT,
    ],
    async run(context) {
      const filters = ['since', 'until', 'user_id', 'state'];
      if (exported(given(context, 'format')['format'])) {
        return context.client.text(`/leavers${queryOf(context, ...filters, 'format')}`);
      }
      const { limit = 200 } = numbers(context, 'limit');
      const leavers = await context.client.list(`/leavers${queryOf(context, ...filters)}`, limit);
      if (context.options['json'] === true) return leavers;
      return leavers.map((leaver) => ({
        ...columns([leaver], 'requested_at', 'user_id', 'kind')[0],
        email: (leaver['person'] as Json)['email'],
        state: leaver['state'],
        ...prefixed(leaver['milliseconds'] as Json),
        sessions_ended: leaver['sessions_ended'],
      }));
    },
  },
  {
    noun: 'history',
    verb: 'show',
    description: 'Shows all that happened to a person, newest first',
    argument: { name: 'user_id', required: true, description: 'also of somebody who was deleted' },
    options: [
      SINCE,
      UNTIL,
      { name: 'kind', description: 'with commas between: change, delivery, seat, sign_in, session …' },
      { name: 'order', description: 'desc (unless set) or asc' },
      FORMAT,
      LIMIT,
    ],
    async run(context) {
      const path = `/users/${encode(context.argument!)}/history`;
      const filters = ['since', 'until', 'kind', 'order'];
      if (exported(given(context, 'format')['format'])) {
        return context.client.text(`${path}${queryOf(context, ...filters, 'format')}`);
      }
      const { limit = 200 } = numbers(context, 'limit');
      const entries = await context.client.list(`${path}${queryOf(context, ...filters)}`, limit);
      if (context.options['json'] === true) return entries;
      return (entries as HistoryEntry[]).map(({ id, at, kind, ...fields }) => {
        return { at, kind, what: whatHappened({ kind, fields }), id };
      });
    },
  },
];

/** Whether a file is asked for; only what the API exports is one. */
function exported(format: string | undefined): boolean {
  if (format === undefined) return false;
  if (format === 'csv' || format === 'ndjson') return true;
  throw new CliError('--format is csv or ndjson.', EXIT.usage);
}

function prefixed(milliseconds: Json): Json {
  return Object.fromEntries(Object.entries(milliseconds).map(([step, ms]) => [`${step}_ms`, ms]));
}
