import { encode } from '../client/client.js';
import { columns, type Command, type CommandOption } from '../command/command.js';

const ROLE = { name: 'name', required: true, description: 'the role, such as User' };
const TAKES_SEAT: CommandOption = {
  name: 'takes_seat',
  description: 'whether an active user with this role takes a seat',
  choices: ['yes', 'no'],
  required: true,
};

/** Commands about the catalogue of roles. */
export const ROLE_COMMANDS: Command[] = [
  {
    noun: 'role',
    verb: 'list',
    description: 'Lists the roles, and how many users have each',
    run: async ({ client }) => columns(await client.list('/roles'), 'name', 'takes_seat', 'users', 'created_at'),
  },
  {
    noun: 'role',
    verb: 'show',
    description: 'Shows one role',
    argument: ROLE,
    run: ({ client, argument }) => client.call('GET', `/roles/${encode(argument!)}`),
  },
  {
    noun: 'role',
    verb: 'create',
    description: 'Makes a role',
    argument: ROLE,
    options: [TAKES_SEAT],
    run: ({ client, argument, options }) =>
      client.call('POST', '/roles', { name: argument, takes_seat: options['takes_seat'] === 'yes' }),
  },
  {
    noun: 'role',
    verb: 'set',
    description: 'Changes whether a role takes a seat; refused while users have the role',
    argument: ROLE,
    options: [TAKES_SEAT],
    run: ({ client, argument, options }) =>
      client.call('PATCH', `/roles/${encode(argument!)}`, { takes_seat: options['takes_seat'] === 'yes' }),
  },
  {
    noun: 'role',
    verb: 'delete',
    description: 'Deletes a role that no user, rule or directory uses',
    argument: ROLE,
    async run({ client, argument }) {
      await client.call('DELETE', `/roles/${encode(argument!)}`);
      return { name: argument, deleted: true };
    },
  },
];
