import { encode } from '../client/client.js';
import { columns, given, isExport, LONG_LIST, numbers, queryOf, SPAN, type Command } from '../command/command.js';
import { PERSON, personId } from '../references/person-id.js';

export const SIGN_IN_COMMANDS: Command[] = [
  {
    noun: 'sign-in',
    verb: 'list',
    description: 'Lists sign-ins and refusals with their reasons, newest first',
    options: [
      { name: 'support_id', description: 'the number on the page that the user has seen' },
      { name: 'user_id', description: 'of one user: id, e-mail, external_id or userName', refers: 'user' },
      { name: 'connection_id', description: 'of one connection: its id or slug', refers: 'connection' },
      { name: 'kind', description: 'sign-in, test or logout' },
      { name: 'outcome', description: 'success or refused' },
      { name: 'reason', description: 'such as unknown_account' },
      ...SPAN,
      ...LONG_LIST,
    ],
    async run(context) {
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
    description: 'Lists the live sessions of a user',
    argument: PERSON,
    async run(context) {
      const path = `/users/${encode(await personId(context))}/sessions`;
      const { data } = await context.client.call<{ data: Record<string, unknown>[] }>('GET', path);
      return columns(data, 'id', 'connection', 'created_at', 'seen_at', 'expires_at', 'ip');
    },
  },
  {
    noun: 'session',
    verb: 'end',
    description: 'Ends the sessions of a user',
    argument: PERSON,
    options: [{ name: 'session_id', description: 'only this one' }],
    async run(context) {
      const userId = await personId(context);
      const { session_id: one } = given(context, 'session_id');
      const path = `/users/${encode(userId)}/sessions`;
      await context.client.call('DELETE', one === undefined ? path : `${path}/${encode(one)}`);
      return { user_id: userId, sessions: one ?? 'all', ended: true };
    },
  },
];
