import { encode, type Json } from '../client.js';
import { columns, given, type Command } from '../command.js';
import { withConnectionId } from '../connection-id.js';

const USER = { name: 'user_id', required: true, description: 'the person, or somebody who was removed' };

export const IDENTITY_COMMANDS: Command[] = [
  {
    noun: 'identity',
    verb: 'list',
    description: 'Who a person is at the IdPs',
    argument: USER,
    async run({ client, argument }) {
      const { data } = await client.call<{ data: Json[] }>('GET', `/users/${encode(argument!)}/identities`);
      const names = ['connection_id', 'connection', 'subject', 'made_by', 'made_of', 'last_sign_in_at'];
      return columns(data, ...names, 'ended_at', 'end_reason');
    },
  },
  {
    noun: 'identity',
    verb: 'release',
    description: 'Forgets who a person is at a connection, so that the next sign-in links anew',
    argument: USER,
    options: [{ name: 'connection_id', description: 'the connection: its id or slug', required: true }],
    async run(context) {
      const { connection_id: id } = given(await withConnectionId(context), 'connection_id');
      await context.client.call('DELETE', `/users/${encode(context.argument!)}/identities/${encode(id!)}`);
      return { user_id: context.argument, connection_id: id, released: true };
    },
  },
];
