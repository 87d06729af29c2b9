import type { Json } from '../client/client.js';
import { CliError, EXIT } from '../client/cli.errors.js';
import { columns, given, queryOf, type Command } from '../command/command.js';
import { verifyExport } from './seat-export.js';

/** Commands about the chains over the seat ledger and the audit log. */
export const CHAIN_COMMANDS: Command[] = [
  heads('seats', 'Lists the signed heads of the ledger by day; --json with signatures and keys'),
  heads('audit', 'Lists the signed heads of the audit log by day; --json with signatures and keys'),
  {
    noun: 'seats',
    verb: 'verify',
    description: 'Checks the ledger and names the first entry that does not fit',
    options: [
      {
        name: 'file',
        description: 'an export (seats events --format ndjson), checked without the service',
        conflicts: ['sequence', 'hash'],
      },
      {
        name: 'head',
        description:
          'with --file: a hash kept elsewhere, which the chain must pass through; without it a cut end is not seen',
      },
      { name: 'sequence', description: 'with --hash: a head kept elsewhere, which the chain must pass through' },
      { name: 'hash', description: 'with --sequence: its hash' },
    ],
    async run(context) {
      const { file, head } = given(context, 'file', 'head');
      if (head !== undefined && file === undefined) throw new CliError('--head goes with --file.', EXIT.usage);
      if (file !== undefined) return { ...(await verifyExport(file, head)) };
      const verdict = await context.client.call('POST', `/seats/verify${queryOf(context, 'sequence', 'hash')}`, {});
      const { differences, more: _, ...rest } = verdict;
      if (context.options['json'] === true || !Array.isArray(differences)) {
        return context.options['json'] === true ? verdict : rest;
      }
      return { ...rest, differences: `${differences.length} users: see seats reconcile` };
    },
  },
];

/** Reads the published heads: a table of the days, or with `--json` the whole answer, which an auditor keeps. The first row is the head of now. */
function heads(noun: 'seats' | 'audit', description: string): Command {
  return {
    noun,
    verb: 'heads',
    description,
    async run({ client, options }) {
      const days: Json[] = [];
      let answer: { data: Json[]; next_cursor: string | null; open: Json | null; keys: Json[] };
      let cursor = '';
      do {
        answer = await client.call('GET', `/${noun}/heads?limit=200${cursor}`);
        days.push(...answer.data);
        cursor = `&cursor=${encodeURIComponent(answer.next_cursor ?? '')}`;
      } while (answer.next_cursor !== null);
      if (options['json'] === true) return { data: days, open: answer.open, keys: answer.keys };
      const shown = answer.open === null ? days : [answer.open, ...days];
      return columns(shown, 'day', 'closed', 'sequence', 'count', 'hash', 'key_id');
    },
  };
}
