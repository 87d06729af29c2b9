import { CliError, EXIT } from '../client/cli.errors.js';
import { encode, type Client, type Json } from '../client/client.js';
import { columns, type Command } from '../command/command.js';
import { PERSON, personNamed } from '../references/person-id.js';

/** Users that are named where a text is only the beginning of a name. */
const CANDIDATES = 10;

/** Says why a user is as it is. */
export const EXPLAIN_COMMAND: Command = {
  noun: 'explain',
  verb: '',
  description: 'Says in sentences why a user has access or not, with role, seat, last write, platform and sign-in',
  argument: PERSON,
  async run({ client, argument, options }) {
    const id = await idOf(client, argument!);
    const explained = await client.call<{ sentences: Json[] }>('GET', `/users/${encode(id)}/explain`);
    return options['json'] === true
      ? { ...explained }
      : columns(explained.sentences, 'about', 'words', 'since', 'code');
  },
};

async function idOf(client: Client, named: string): Promise<string> {
  try {
    return await personNamed(client, named);
  } catch (error) {
    if (!(error instanceof CliError) || error.exitCode !== EXIT.failed) throw error;
    const found = await client.list<{ id: string; email: string | null }>(`/users?q=${encode(named)}`, CANDIDATES);
    if (found.length === 0) throw error;
    const all = found.map((user) => `${user.email ?? 'no e-mail'} (${user.id})`).join(', ');
    throw new CliError(`${named} is the beginning of a name. Name one user: ${all}.`, EXIT.usage);
  }
}
