import { LEDGER_ENTRY_KINDS } from '../../seats/ledger/event.mapping.js';
import type { Json } from '../client/client.js';
import { CliError, EXIT } from '../client/cli.errors.js';
import {
  columns,
  given,
  LONG_LIST,
  numbers,
  queryOf,
  type Command,
  type CommandOption,
  type Context,
} from '../command/command.js';

const DAYS: readonly CommandOption[] = [
  { name: 'from', description: 'the first day, such as 2026-10-01', required: true },
  { name: 'to', description: 'the day after the last', required: true },
];

/** A CSV file that Excel reads as UTF-8. */
export const EXCEL: CommandOption = {
  name: 'excel',
  flag: true,
  description: 'CSV with a byte order mark, as Excel needs it for names',
  conflicts: ['limit', 'json'],
};

/** The moment that a command is about. */
export const AS_OF_OPTION: CommandOption = {
  name: 'as_of',
  description: 'a date such as 2026-10-31: the end of that day of the tenant; or a time; not after today',
};

/**
 * Returns the text of an export, where `--format` or `--excel` asks for one; undefined: they do not.
 *
 * @param path the list with its filters
 */
export async function exportOf(context: Context, path: string): Promise<string | undefined> {
  const excel = context.options['excel'] === true;
  const { format } = given(context, 'format');
  if (excel && format === 'ndjson') throw new CliError('--excel goes with --format csv.', EXIT.usage);
  if (!excel && format === undefined) return undefined;
  const asked = excel ? 'format=csv&bom=true' : `format=${format}`;
  return context.client.text(`${path}${path.includes('?') ? '&' : '?'}${asked}`);
}

/** Lists of the seat ledger, as finance reads them. */
export const SEAT_LIST_COMMANDS: Command[] = [
  {
    noun: 'seats',
    verb: 'holders',
    description: 'Lists the users who hold a seat, or held one at a past moment; unknown before the ledger began',
    options: [AS_OF_OPTION, ...LONG_LIST, EXCEL],
    async run(context) {
      const path = `/seats/holders${queryOf(context, 'as_of')}`;
      const file = await exportOf(context, path);
      if (file !== undefined) return file;
      const { limit = 200 } = numbers(context, 'limit');
      const rows = await context.client.list(path, limit);
      if (rows.length === 0 && !(await context.client.call<{ known: boolean }>('GET', path)).known) {
        return context.options['json'] === true ? null : 'unknown: the ledger has no line before that moment\n';
      }
      if (context.options['json'] === true) return rows;
      return columns(rows, 'user_id', 'name', 'email', 'external_id', 'role', 'directory', 'cost_center', 'since');
    },
  },
  {
    noun: 'seats',
    verb: 'events',
    description: 'Lists the lines of the ledger, newest first',
    options: [
      { name: 'since', description: 'a date such as 2026-10-31: the start of that day of the tenant; or a time' },
      { name: 'until', description: 'before this time, or before the start of this day' },
      { name: 'kind', description: 'only these lines', choices: LEDGER_ENTRY_KINDS },
      { name: 'directory', description: 'a directory: its id or name; or none', refers: 'directory' },
      { name: 'user_id', description: 'of one user: id, e-mail, external_id or userName', refers: 'user' },
      ...LONG_LIST,
      EXCEL,
    ],
    async run(context) {
      const path = `/seats/events${queryOf(context, 'since', 'until', 'kind', 'directory', 'user_id')}`;
      const file = await exportOf(context, path);
      if (file !== undefined) return file;
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
    description:
      'Shows peak, average, end and distinct holders of each day; unknown before the ledger began; final: the figures of the day cannot change any more',
    options: [
      ...DAYS,
      { name: 'format', description: 'as the API exports it', choices: ['csv'], conflicts: ['json'] },
      { ...EXCEL, conflicts: ['json'] },
    ],
    async run(context) {
      const path = `/seats/usage${queryOf(context, 'from', 'to')}`;
      const file = await exportOf(context, path);
      if (file !== undefined) return file;
      const report = await context.client.call<Json & { data: Json[] }>('GET', path);
      return context.options['json'] === true ? report : report.data.map(shownDay);
    },
  },
];

/** A day of usage for a reader: what is not known is a word, and so is a limit that is not set. */
function shownDay({ day, peak, average, end, distinct_holders: holders, limit, final }: Json): Json {
  const known = (value: unknown): unknown => value ?? 'unknown';
  return {
    day,
    peak: known(peak),
    average: known(average),
    end: known(end),
    distinct_holders: known(holders),
    limit: limit ?? (peak === null ? 'unknown' : 'none'),
    final: final === true ? 'yes' : 'no',
  };
}
