import { CliError, EXIT } from './cli.errors.js';
import type { Context } from './command.js';

/** How commands say whom they are about. */
export const PERSON = { name: 'user_id', required: true, description: 'the person: their id, or e-mail' };

/** The person that a command is about. Of an e-mail that several have, they are named, and one has to be chosen. */
export function personId({ client, argument }: Context): Promise<string> {
  return idOf(client, argument!);
}

/** The same context, with the id where `--user-id` has an e-mail. */
export async function withPersonId(context: Context): Promise<Context> {
  const { user_id: named } = context.options;
  if (typeof named !== 'string') return context;
  return { ...context, options: { ...context.options, user_id: await idOf(context.client, named) } };
}

/** Whoever was deleted has only the id, which the log and the list of leavers name. */
async function idOf(client: Context['client'], named: string): Promise<string> {
  if (!named.includes('@')) return named;
  const found = (await client.list(`/users?email=${encodeURIComponent(named)}`)) as { id: string; status: string }[];
  const [only, ...others] = found;
  if (only === undefined) throw new CliError(`Nobody has the e-mail ${named}.`);
  if (others.length === 0) return only.id;
  const all = found.map(({ id, status }) => `${id} (${status})`).join(', ');
  throw new CliError(`Several people have the e-mail ${named}; name one: ${all}.`, EXIT.usage);
}
