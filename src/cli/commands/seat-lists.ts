import { ENTRY_KINDS } from '../../seats/ledger/event.mapping.js';
import type { Json } from '../client.js';
import { columns, isExport, LONG_LIST, numbers, queryOf, type Command, type CommandOption } from '../command.js';

const DAYS: readonly CommandOption[] = [
  { name: 'from', description: 'the first day, such as 2026-01-01', required: true },
  { name: 'to', description: 'the day after the last', required: true },
];

/** Lists of the seat ledger, as finance reads them. */
export const SEAT_LIST_COMMANDS: Command[] = [
  {
    noun: 'seats',
    verb: 'holders',
    description: 'Lists the users who hold a seat, or held one at a past moment',
    options: [
      { name: 'as_of', description: 'at that moment; a bare date is the end of that day of the tenant' },
      ...LONG_LIST,
    ],
    async run(context) {
      const path = `/seats/holders${queryOf(context, 'as_of', 'format')}`;
      if (isExport(context)) return context.client.text(path);
      const { limit = 200 } = numbers(context, 'limit');
      const rows = await context.client.list(path, limit);
      if (context.options['json'] === true) return rows;
      return columns(rows, 'user_id', 'name', 'email', 'external_id', 'role', 'directory', 'cost_center', 'since');
    },
  },
  {
    noun: 'seats',
    verb: 'events',
    description: 'Lists the lines of the ledger, newest first',
    options: [
      { name: 'since', description: 'a time, or a date: the start of that day of the tenant' },
      { name: 'until', description: 'before this time, or before the start of this day' },
      { name: 'kind', description: 'only these lines', choices: ENTRY_KINDS },
      { name: 'directory', description: 'a directory: its id or name; or none', refers: 'directory' },
      { name: 'user_id', description: 'of one user: id, e-mail, external_id or userName', refers: 'user' },
      ...LONG_LIST,
    ],
    async run(context) {
      const path = `/seats/events${queryOf(context, 'since', 'until', 'kind', 'directory', 'user_id', 'format')}`;
      if (isExport(context)) return context.client.text(path);
      const { limit = 200 } = numbers(context, 'limit');
      const rows = await context.client.list(path, limit);
      if (context.options['json'] === true) return rows;
      const names = [
        'sequence',
        'effective_at',
        'kind',
        'delta',
        'count_after',
        'user_id',
        'reason',
        'channel',
        'actor',
      ];
      return columns(rows, ...names);
    },
  },
  {
    noun: 'seats',
    verb: 'usage',
    description: 'Shows peak, average, end and distinct holders of each day; - is unknown',
    options: [...DAYS, { name: 'format', description: 'as the API exports it', choices: ['csv'], conflicts: ['json'] }],
    async run(context) {
      const path = `/seats/usage${queryOf(context, 'from', 'to', 'format')}`;
      if (isExport(context)) return context.client.text(path);
      const report = await context.client.call<Json & { data: Json[] }>('GET', path);
      return context.options['json'] === true ? report : report.data;
    },
  },
];
