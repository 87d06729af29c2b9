import { encode } from '../client.js';
import { columns, given, type Command } from '../command.js';
import { tenantOf } from './domains.js';

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
      { name: 'owner_user_id', description: 'the person whose key it is' },
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
    async run({ client, argument }) {
      await client.call('DELETE', `/api-keys/${encode(argument!)}`);
      return { api_key_id: argument, revoked: true };
    },
  },
];
