import { encode } from '../client.js';
import { columns, isExport, LONG_LIST, numbers, queryOf, SPAN, type Command } from '../command.js';
import { withConnectionId } from '../connection-id.js';

const USER = { name: 'user_id', required: true, description: 'the person' };

export const SIGN_IN_COMMANDS: Command[] = [
  {
    noun: 'sign-in',
    verb: 'list',
    description: 'Who signed in, who was refused, and why; newest first',
    options: [
      { name: 'support_id', description: 'the number on the page that somebody has seen' },
      { name: 'user_id', description: 'of one person' },
      { name: 'connection_id', description: 'of one connection: its id or slug' },
      { name: 'kind', description: 'sign-in, test or logout' },
      { name: 'outcome', description: 'success or refused' },
      { name: 'reason', description: 'such as unknown_account' },
      ...SPAN,
      ...LONG_LIST,
    ],
    async run(given) {
      const context = await withConnectionId(given);
      const filters = ['support_id', 'user_id', 'connection_id', 'kind', 'outcome', 'reason', 'since', 'until'];
      if (isExport(context)) return context.client.text(`/sign-ins${queryOf(context, ...filters, 'format')}`);
      const { limit = 200 } = numbers(context, 'limit');
      const rows = await context.client.list(`/sign-ins${queryOf(context, ...filters)}`, limit);
      if (context.options['json'] === true) return rows;
      return columns(rows, 'at', 'kind', 'outcome', 'reason', 'account', 'connection', 'user_id', 'detail', 'id');
    },
  },
  {
    noun: 'session',
    verb: 'list',
    description: 'The live sessions of a person',
    argument: USER,
    async run({ client, argument }) {
      const { data } = await client.call<{ data: Record<string, unknown>[] }>(
        'GET',
        `/users/${encode(argument!)}/sessions`,
      );
      return columns(data, 'id', 'connection', 'created_at', 'seen_at', 'expires_at', 'ip');
    },
  },
  {
    noun: 'session',
    verb: 'end',
    description: 'Ends all sessions of a person',
    argument: USER,
    async run({ client, argument }) {
      await client.call('DELETE', `/users/${encode(argument!)}/sessions`);
      return { user_id: argument, sessions: 'ended' };
    },
  },
];
