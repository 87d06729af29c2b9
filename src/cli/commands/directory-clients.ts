import { CliError, EXIT } from '../client/cli.errors.js';
import { encode, type Json } from '../client/client.js';
import { columns, given, numbers, type Command, type CommandOption, type Context } from '../command/command.js';
import { DIRECTORY, directoryId } from '../references/directory-id.js';

const KINDS = ['secret', 'private_key_jwt', 'federated'];
const CLIENT: CommandOption = { name: 'client', of: 'client_id', description: 'the id of the client', required: true };
const FORCE: CommandOption = {
  name: 'force',
  description: 'although it was used in the last 24 hours: requests with it are refused from then on',
  flag: true,
};

/** Commands for the credentials of a directory: its SCIM tokens, its OAuth clients and their secrets. */
export const DIRECTORY_CREDENTIAL_COMMANDS: Command[] = [
  {
    noun: 'directory',
    verb: 'tokens',
    description: 'Lists the SCIM tokens of a directory, newest first, with their last use',
    argument: DIRECTORY,
    async run(context) {
      const tokens = await context.client.list(`${await directory(context)}/tokens`);
      return columns(
        tokens,
        'id',
        'name',
        'prefix',
        'last_used_at',
        'requests_last_day',
        'dialect',
        'expires_at',
        'revoked_at',
      );
    },
  },
  {
    noun: 'directory',
    verb: 'revoke-token',
    description: 'Ends a SCIM token at once',
    argument: DIRECTORY,
    options: [{ name: 'token', of: 'token_id', description: 'the id of the token', required: true }, FORCE],
    async run(context) {
      const { token } = given(context, 'token');
      await context.client.call('DELETE', `${await directory(context)}/tokens/${encode(token!)}${forced(context)}`);
      return { token_id: token, revoked: true };
    },
  },
  {
    noun: 'directory',
    verb: 'clients',
    description: 'Lists the OAuth clients of a directory, newest first, with their last use',
    argument: DIRECTORY,
    async run(context) {
      const clients = await context.client.list(`${await directory(context)}/clients`);
      if (context.options['json'] === true) return clients;
      return columns(clients, 'id', 'name', 'kind', 'last_used_at', 'requests_last_day', 'dialect', 'revoked_at');
    },
  },
  {
    noun: 'directory',
    verb: 'clients create',
    description: 'Makes an OAuth client; the secret of the kind secret is shown only once',
    argument: DIRECTORY,
    options: [
      { name: 'kind', description: 'how it authenticates', choices: KINDS, required: true },
      { name: 'name', description: 'what it is called' },
      { name: 'issuer', description: 'federated: the iss of its assertions' },
      { name: 'subject', description: 'federated: the sub of its assertions' },
      { name: 'audience', description: 'federated: the aud of its assertions, without /.default' },
      { name: 'jwks_url', description: 'federated and private_key_jwt: the address of the public keys' },
      { name: 'jwks', description: 'private_key_jwt: the public keys as JSON, in place of the address' },
      { name: 'access_token_seconds', description: 'how long an access token lives, 3600 unless set' },
      { name: 'expires_at', description: 'when the first secret ends, in a year unless set' },
    ],
    async run(context) {
      const { jwks, ...fields } = given(
        context,
        'kind',
        'name',
        'issuer',
        'subject',
        'audience',
        'jwks_url',
        'jwks',
        'expires_at',
      );
      const keys = jwks === undefined ? {} : { jwks: keySet(jwks) };
      const body = { ...fields, ...keys, ...numbers(context, 'access_token_seconds') };
      const made = await context.client.call('POST', `${await directory(context)}/clients`, body);
      const { id, kind, token_url, scim_base_url, client_secret } = made;
      const secret = client_secret === undefined ? {} : { client_secret };
      return { client_id: id, kind, token_url, scim_base_url, ...secret };
    },
  },
  {
    noun: 'directory',
    verb: 'clients delete',
    description: 'Ends an OAuth client with its secrets and access tokens at once',
    argument: DIRECTORY,
    options: [CLIENT, FORCE],
    async run(context) {
      const path = await client(context);
      await context.client.call('DELETE', `${path}${forced(context)}`);
      return { client_id: given(context, 'client')['client'], deleted: true };
    },
  },
  {
    noun: 'directory',
    verb: 'clients delete-secret',
    description: 'Ends a secret of a client, and the access tokens that it was given for, at once',
    argument: DIRECTORY,
    options: [CLIENT, { name: 'secret', of: 'secret_id', description: 'the id of the secret', required: true }, FORCE],
    async run(context) {
      const { secret } = given(context, 'secret');
      await context.client.call('DELETE', `${await client(context)}/secrets/${encode(secret!)}${forced(context)}`);
      return { secret_id: secret, deleted: true };
    },
  },
  {
    noun: 'directory',
    verb: 'rotate-client-secret',
    description: 'Makes a new secret of a client; the present one stays valid for an overlap',
    argument: DIRECTORY,
    options: [
      CLIENT,
      { name: 'overlap_seconds', description: 'how long the present one stays valid, a day unless set' },
      { name: 'expires_at', description: 'when the new one ends, in a year unless set' },
    ],
    async run(context) {
      const { overlap_seconds = 86_400 } = numbers(context, 'overlap_seconds');
      const body = { overlap_seconds, ...given(context, 'expires_at') };
      const made = await context.client.call('POST', `${await client(context)}/secrets`, body);
      const { client_id, client_secret, expires_at } = made;
      return { client_id, client_secret, expires_at };
    },
  },
];

function keySet(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw new CliError('--jwks must be a key set as JSON: {"keys": […]}.', EXIT.usage);
  }
}

async function directory(context: Context): Promise<string> {
  return `/directories/${encode(await directoryId(context))}`;
}

async function client(context: Context): Promise<string> {
  return `${await directory(context)}/clients/${encode(given(context, 'client')['client']!)}`;
}

function forced({ options }: Context): string {
  return options['force'] === true ? '?force=true' : '';
}
