import { CliError, EXIT } from '../client/cli.errors.js';
import { encode, type Json } from '../client/client.js';
import { columns, type Command } from '../command/command.js';
import { tenantOf } from './domains.js';

const UNITS: Readonly<Record<string, number>> = { MiB: 1024 ** 2, GiB: 1024 ** 3, TiB: 1024 ** 4 };

export const STORAGE_COMMANDS: Command[] = [
  {
    noun: 'storage',
    verb: 'show',
    description: 'Shows the bytes that the tenant stores, its limit, and the bytes of each kind of data',
    async run({ client, options }) {
      const storage = await client.call<Json & { classes: Json[] }>('GET', '/storage');
      if (options['json'] === true) return storage;
      const kinds = storage.classes.map((one) => [String(one['class']), sizeOf(one['bytes'])]);
      const shown: Json = {
        state: storage['state'],
        storage: storageWords(storage),
        measured_at: storage['measured_at'],
      };
      return { ...shown, ...(Object.fromEntries(kinds) as Json) };
    },
  },
  {
    noun: 'storage',
    verb: 'limit',
    description: 'Sets how many bytes a tenant may store (operator token)',
    options: [
      {
        name: 'limit',
        description: 'such as 512MiB, 50GiB or 1TiB; default: that of the installation',
        required: true,
      },
    ],
    async run(context) {
      const path = `/tenants/${encode(await tenantOf(context))}/storage`;
      const body = { limit_bytes: bytesOf(String(context.options['limit'])) };
      return columns([await context.client.operate('PUT', path, body)], 'limit_bytes', 'used_bytes', 'state')[0]!;
    },
  },
];

/** Returns use and limit in words. */
export function storageWords(storage: Json): string {
  const limit = storage['limit_bytes'];
  return `${sizeOf(storage['used_bytes'])} of ${limit === null ? 'no limit' : sizeOf(limit)}`;
}

function sizeOf(bytes: unknown): string {
  const size = Number(bytes);
  const unit = Object.keys(UNITS).findLast((name) => size >= UNITS[name]!) ?? 'MiB';
  return `${(size / UNITS[unit]!).toFixed(1)} ${unit}`;
}

function bytesOf(text: string): number | null {
  if (text === 'default') return null;
  const [, count, unit] = /^(\d+)(MiB|GiB|TiB)$/.exec(text) ?? [];
  if (count === undefined) throw new CliError('--limit is a size such as 50GiB, or default.', EXIT.usage);
  return Number(count) * UNITS[unit!]!;
}
