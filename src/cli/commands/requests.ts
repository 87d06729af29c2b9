import { encode, type Json } from '../client/client.js';
import { columns, numbers, queryOf, SPAN, type Command, type CommandOption, type Context } from '../command/command.js';
import { DIRECTORY, directoryId } from '../references/directory-id.js';

const FILTERS = ['directory', 'credential', 'status', 'user', 'request_id', 'since', 'until'];

const OPTIONS: readonly CommandOption[] = [
  { name: 'user', description: 'of one user: id, e-mail, external_id or userName', refers: 'user' },
  { name: 'status', description: 'a status such as 409, or a class such as 4xx' },
  { name: 'credential', description: 'by one SCIM token: its id' },
  { name: 'request_id', description: 'one request: X-Request-Id of its answer' },
  ...SPAN,
  { name: 'limit', description: 'how many, 200 unless set' },
];

/** Commands that show the log of SCIM requests. */
export const REQUEST_COMMANDS: Command[] = [
  {
    noun: 'directory',
    verb: 'requests',
    description: 'Lists the SCIM requests of a directory and what each did, newest first',
    argument: DIRECTORY,
    options: OPTIONS,
    run: async (context) => listed(context, `/directories/${encode(await directoryId(context))}/requests`),
  },
  {
    noun: 'request',
    verb: 'list',
    description: 'Lists the SCIM requests of all directories and what each did, newest first',
    options: [{ name: 'directory', description: 'of one directory: its id or name', refers: 'directory' }, ...OPTIONS],
    run: (context) => listed(context, '/requests'),
  },
  {
    noun: 'request',
    verb: 'show',
    description: 'Shows a SCIM request with its body, without secrets',
    argument: { name: 'request_id', required: true, description: 'X-Request-Id of its answer' },
    run: ({ client, argument }) => client.call('GET', `/requests/${encode(argument!)}`),
  },
];

async function listed(context: Context, path: string): Promise<Json[]> {
  const { limit = 200 } = numbers(context, 'limit');
  const rows = await context.client.list(`${path}${queryOf(context, ...FILTERS)}`, limit);
  if (context.options['json'] === true) return rows;
  return columns(rows, 'at', 'method', 'path', 'status', 'outcome', 'held', 'code', 'user_id', 'detail', 'id');
}
