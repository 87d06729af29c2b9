import type { Json } from '../client/client.js';
import { picked } from '../made/made-command.js';
import type { FactsTable } from '../made/values.js';
import { bytesIn, sizeOf, storageWords, barOf, taskRecord, type ShownTask } from '../output/words.js';

const TAKES_SEAT = { words: { yes: true, no: false }, required: true };

/** Tenants, API keys, roles, tasks and storage. */
export const TENANCY_FACTS: FactsTable = {
  'tenant create': {
    about: 'Makes a tenant and its first API key',
    options: { time_zone: 'IANA name, UTC unless set' },
    fixed: { api_key: { name: 'first key' } },
    without: ['api_key.name', 'api_key.scopes', 'api_key.expires_at'],
    fields: 'tenant_id=id name api_key',
  },
  'tenant list': { limit: 10_000, fields: 'tenant_id=id name time_zone created_at' },
  'tenant show': { of: 'GET /tenant' },
  'tenant set': { of: 'PATCH /tenant' },
  'tenant base-url': {
    of: 'PATCH /tenants/{tenant_id}',
    about: 'Sets an address of its own for a tenant',
    without: ['name', 'time_zone', 'owner_user_id', 'help_url', 'break_glass', 'api_may_write_directory_users'],
  },
  'owner sign-in-link': {
    of: 'POST /tenants/{tenant_id}/owner-sign-in-link',
    options: {
      user_id: { description: 'a break-glass account of the tenant instead of the owner', refers: undefined },
    },
    fields: 'url user_id expires_at',
  },
  'api-key create': {
    options: { scopes: 'with commas between, such as users:read,users:write' },
    fields: 'api_key_id=id name scopes notices? api_key',
  },
  'api-key list': { limit: 1_000, fields: 'id name scopes expires_at last_used_at revoked_at orphaned allow_from' },
  'api-key revoke': {
    of: 'DELETE /api-keys/{key_id}',
    about: 'Ends an API key at once',
    argument: { name: 'api_key_id' },
    answer: ({ endpoints }, { argument }) => ({
      api_key_id: argument,
      revoked: true,
      ...(endpoints === undefined ? {} : { endpoints: (endpoints as Json[]).map(endpointWords) }),
    }),
  },
  'role list': { limit: 1_000, fields: 'name takes_seat users created_at' },
  'role create': { argument: { of: 'name' }, options: { takes_seat: TAKES_SEAT } },
  'role set': { options: { takes_seat: TAKES_SEAT } },
  'member list': { limit: 1_000, fields: 'user_id email role console owner role_from' },
  search: {
    of: 'GET /search',
    argument: { of: 'q', name: 'text', description: 'the beginning of a name, or an id' },
    rows: 'data',
    fields: 'kind id title detail parent_id',
  },
  'storage show': {
    shown: ({ state, measured_at, classes, ...storage }) => ({
      state,
      storage: storageWords(storage),
      measured_at,
      ...Object.fromEntries((classes as Json[]).map((one) => [String(one['class']), sizeOf(one['bytes'])])),
    }),
  },
  'storage limit': {
    of: 'PUT /tenants/{tenant_id}/storage',
    options: {
      limit: {
        of: 'limit_bytes',
        description: 'such as 512MiB, 50GiB or 1TiB; default: that of the installation',
        words: { default: null },
        read: bytesIn,
      },
    },
    fields: 'limit_bytes used_bytes state',
  },
  'task list': {
    limit: 50,
    fields: 'id kind state done total created_at estimated_end error',
    shown: (task) => ({
      ...picked(task, 'id kind state'),
      progress: barOf(task as ShownTask),
      ...picked(task, 'estimated_end error'),
    }),
  },
  'task show': {
    begins: 'answer',
    answer: (task, { options }) =>
      options['json'] === true || options['wait'] === true ? task : taskRecord(task as ShownTask),
  },
  'task cancel': { answer: (task) => ({ ...picked(task, 'id kind state'), progress: barOf(task as ShownTask) }) },
  'task left-out': { limit: 100_000, fields: 'id reason detail' },
};

/** Returns what became of a webhook endpoint that the key had made. */
function endpointWords({ id, host, paused }: Json): string {
  return `${String(id)} at ${String(host)} ${paused === true ? 'is paused' : 'is active'}`;
}
