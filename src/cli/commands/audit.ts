import type { Json } from '../client/client.js';
import {
  columns,
  isExport,
  LONG_LIST,
  numbers,
  queryOf,
  SPAN,
  type Command,
  type CommandOption,
  type Context,
} from '../command/command.js';

/** A head that an auditor has kept. */
export const KNOWN_HEAD: readonly CommandOption[] = [
  { name: 'sequence', description: 'with --hash: a head kept elsewhere, which the chain must pass through' },
  { name: 'hash', description: 'with --sequence: its hash' },
];

/**
 * Reads the published heads of a chain: a table of the days, or with `--json` the whole answer, which an auditor keeps.
 * The last row is the head of now.
 */
export async function headsOf({ client, options }: Context, path: string): Promise<Json | Json[]> {
  const days: Json[] = [];
  let answer: { data: Json[]; next_cursor: string | null; open: Json | null; keys: Json[] };
  let cursor = '';
  do {
    answer = await client.call('GET', `${path}?limit=200${cursor}`);
    days.push(...answer.data);
    cursor = `&cursor=${encodeURIComponent(answer.next_cursor ?? '')}`;
  } while (answer.next_cursor !== null);
  if (options['json'] === true) return { data: days, open: answer.open, keys: answer.keys };
  const shown = answer.open === null ? days : [answer.open, ...days];
  return columns(shown, 'day', 'closed', 'sequence', 'count', 'hash', 'key_id');
}

/** Commands about the audit log. */
export const AUDIT_COMMANDS: Command[] = [
  {
    noun: 'audit',
    verb: 'list',
    description: 'Lists administrative changes, newest first',
    options: [
      { name: 'action', description: 'such as directory.changed' },
      { name: 'actor_id', description: 'by this key, directory, user or operator' },
      { name: 'target_type', description: 'such as directory' },
      { name: 'target_id', description: 'of this object' },
      ...SPAN,
      ...LONG_LIST,
    ],
    async run(context) {
      const filters = ['action', 'actor_id', 'target_type', 'target_id', 'since', 'until'];
      if (isExport(context)) return context.client.text(`/audit${queryOf(context, ...filters, 'format')}`);
      const { limit = 200 } = numbers(context, 'limit');
      const rows = await context.client.list(`/audit${queryOf(context, ...filters)}`, limit);
      if (context.options['json'] === true) return rows;
      return rows.map((row) => {
        const { kind, name, id } = row['actor'] as { kind: string; name: string | null; id: string | null };
        const { at, action, target_type, target_id } = row;
        return { at, actor: `${kind} ${name ?? id ?? ''}`.trim(), action, target_type, target_id, after: row['after'] };
      });
    },
  },
  {
    noun: 'audit',
    verb: 'verify',
    description: 'Checks the chain over the audit log and names the first line that does not fit',
    options: KNOWN_HEAD,
    async run(context) {
      const path = `/audit/verify${queryOf(context, 'sequence', 'hash')}`;
      return context.client.call('POST', path, {});
    },
  },
  {
    noun: 'audit',
    verb: 'heads',
    description: 'Lists the signed heads of the audit log by day; --json with signatures and keys',
    run: (context) => headsOf(context, '/audit/heads'),
  },
];
