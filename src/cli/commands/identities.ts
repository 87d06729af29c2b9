import { encode, type Json } from '../client/client.js';
import { columns, given, type Command } from '../command/command.js';
import { PERSON, personId } from '../references/person-id.js';

export const IDENTITY_COMMANDS: Command[] = [
  {
    noun: 'identity',
    verb: 'list',
    description: 'Lists the bindings of a user at IdPs',
    argument: PERSON,
    async run(context) {
      const path = `/users/${encode(await personId(context))}/identities`;
      const { data } = await context.client.call<{ data: Json[] }>('GET', path);
      const names = ['connection_id', 'connection', 'subject', 'made_by', 'made_of', 'last_sign_in_at'];
      return columns(data, ...names, 'ended_at', 'end_reason');
    },
  },
  {
    noun: 'identity',
    verb: 'release',
    description: 'Removes the bindings of a user at a connection, so that the next sign-in links anew',
    argument: PERSON,
    options: [
      { name: 'connection_id', description: 'the connection: its id or slug', required: true, refers: 'connection' },
    ],
    async run(context) {
      const { connection_id: id } = given(context, 'connection_id');
      const userId = await personId(context);
      await context.client.call('DELETE', `/users/${encode(userId)}/identities/${encode(id!)}`);
      return { user_id: userId, connection_id: id, released: true };
    },
  },
];
