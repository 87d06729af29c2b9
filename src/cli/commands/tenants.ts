import { encode, type Json } from '../client/client.js';
import { columns, given, queryOf, type Command } from '../command/command.js';
import { tenantOf } from './domains.js';
import { STORAGE_COMMANDS } from './storage.js';

export const TENANT_COMMANDS: Command[] = [
  {
    noun: 'tenant',
    verb: 'create',
    description: 'Makes a tenant and its first API key',
    options: [
      { name: 'name', description: 'what the tenant is called', required: true },
      { name: 'time_zone', description: 'IANA name, UTC unless set' },
    ],
    async run(context) {
      const body = { ...given(context, 'name', 'time_zone'), api_key: { name: 'first key' } };
      const tenant = await context.client.operate('POST', '/tenants', body);
      return { tenant_id: tenant['id'], name: tenant['name'], api_key: tenant['api_key'] };
    },
  },
  {
    noun: 'tenant',
    verb: 'list',
    description: 'Lists the tenants',
    async run({ client }) {
      const tenants = await client.list('/tenants', 10_000, true);
      return columns(tenants, 'id', 'name', 'time_zone', 'created_at').map(({ id, ...rest }) => ({
        tenant_id: id,
        ...rest,
      }));
    },
  },
  {
    noun: 'owner',
    verb: 'sign-in-link',
    description: 'Makes a sign-in link for the owner of a tenant; it works once, for ten minutes (operator token)',
    options: [{ name: 'user_id', description: 'a break-glass account of the tenant instead of the owner' }],
    async run(context) {
      const body = given(context, 'user_id');
      const path = `/tenants/${encode(await tenantOf(context))}/owner-sign-in-link`;
      const link = await context.client.operate('POST', path, body);
      return { url: link['url'], user_id: link['user_id'], expires_at: link['expires_at'] };
    },
  },
  {
    noun: 'api-key',
    verb: 'create',
    description: 'Makes an API key, which is shown only once',
    options: [
      { name: 'name', description: 'what the key is for', required: true },
      { name: 'scopes', description: 'with commas between, such as users:read,users:write', required: true },
      { name: 'expires_at', description: 'when it ends, such as 2027-01-31T00:00:00Z' },
      {
        name: 'owner_user_id',
        description: 'the user whose key it is: id, e-mail, external_id or userName',
        refers: 'user',
      },
    ],
    async run(context) {
      const { scopes, ...rest } = given(context, 'name', 'scopes', 'expires_at', 'owner_user_id');
      const body = { ...rest, scopes: scopes!.split(',').map((scope) => scope.trim()) };
      const key = await context.client.call('POST', '/api-keys', body);
      return { api_key_id: key['id'], name: key['name'], scopes: key['scopes'], api_key: key['api_key'] };
    },
  },
  {
    noun: 'api-key',
    verb: 'list',
    description: 'Lists the API keys',
    async run({ client }) {
      const keys = await client.list('/api-keys');
      return columns(keys, 'id', 'name', 'scopes', 'expires_at', 'last_used_at', 'revoked_at', 'orphaned');
    },
  },
  {
    noun: 'api-key',
    verb: 'revoke',
    description: 'Ends an API key at once',
    argument: { name: 'api_key_id', required: true, description: 'the id, not the key itself' },
    options: [
      {
        name: 'endpoints',
        description: 'what becomes of its webhook endpoints: keep unless set',
        choices: ['keep', 'pause'],
      },
    ],
    async run(context) {
      const { client, argument } = context;
      const left = await client.call<{ endpoints: Json[] } | undefined>(
        'DELETE',
        `/api-keys/${encode(argument!)}${queryOf(context, 'endpoints')}`,
      );
      return {
        api_key_id: argument,
        revoked: true,
        ...(left === undefined ? {} : { endpoints: left.endpoints.map(endpointWords) }),
      };
    },
  },
  ...STORAGE_COMMANDS,
];

/** Returns what became of a webhook endpoint that the key had made. */
function endpointWords({ id, host, paused }: Json): string {
  return `${String(id)} at ${String(host)} ${paused === true ? 'is paused' : 'is active'}`;
}
