import { CliError, EXIT } from '../cli.errors.js';
import { given, numbers, queryOf, type Command } from '../command.js';
import { verifyExport } from '../seat-export.js';
import { headsOf, KNOWN_HEAD } from './audit.js';

const DOORS = ['directory', 'api', 'sign_in'] as const;

/** The answer of `POST /seats/reconcile`. */
interface Reconciled {
  missing_in_ledger: string[];
  extra_in_ledger: string[];
  out_of_order: { user_id: string | null; lines: number[] }[];
  more: boolean;
  repaired: number;
}

export const SEAT_COMMANDS: Command[] = [
  {
    noun: 'seats',
    verb: 'show',
    description: 'Shows limit, use and waiting users',
    options: [{ name: 'as_of', description: 'at that moment; a bare date is the end of that day' }],
    run: (context) => context.client.call('GET', `/seats${queryOf(context, 'as_of')}`),
  },
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
      { name: 'head', description: 'with --file: a hash kept elsewhere, which the chain must pass through' },
      ...KNOWN_HEAD,
    ],
    async run(context) {
      const { file, head } = given(context, 'file', 'head');
      if (head !== undefined && file === undefined) throw new CliError('--head goes with --file.', EXIT.usage);
      return file === undefined
        ? context.client.call('POST', `/seats/verify${queryOf(context, 'sequence', 'hash')}`, {})
        : { ...(await verifyExport(file, head)) };
    },
  },
  {
    noun: 'seats',
    verb: 'reconcile',
    description: 'Compares the ledger with the users in force, and names those who differ',
    options: [{ name: 'repair', flag: true, description: 'correct them by further lines; no line is changed' }],
    async run({ client, options }) {
      const repair = options['repair'] === true;
      const answer = await client.call<Reconciled>('POST', '/seats/reconcile', { repair });
      if (options['json'] === true) return { ...answer };
      if (repair) return { repaired: answer.repaired, more: answer.more };
      return [
        ...answer.missing_in_ledger.map((user_id) => ({
          user_id,
          finding: 'in force, and not a holder by the ledger',
        })),
        ...answer.extra_in_ledger.map((user_id) => ({ user_id, finding: 'a holder by the ledger, and not in force' })),
        ...answer.out_of_order.map(({ user_id, lines }) => ({
          user_id: user_id ?? 'limit',
          finding: `lines ${lines.join(' and ')} are not in the order in which they were written`,
        })),
      ];
    },
  },
  {
    noun: 'seats',
    verb: 'heads',
    description: 'Lists the signed heads of the ledger by day; --json with signatures and keys',
    run: (context) => headsOf(context, '/seats/heads'),
  },
  {
    noun: 'seats',
    verb: 'limit',
    description: 'Sets the limit, and the policy at the limit',
    options: [
      { name: 'limit', description: 'a number, or none' },
      {
        name: 'policy',
        description: 'wait, block or allow for every channel; or directory=wait,api=block,sign_in=wait',
      },
    ],
    run(context) {
      const { limit, policy } = given(context, 'limit', 'policy');
      if (limit === undefined && policy === undefined) throw new CliError('Say --limit, --policy or both.', EXIT.usage);
      return context.client.call('PUT', '/seats/limit', {
        ...(limit === undefined ? {} : { limit: limit === 'none' ? null : numbers(context, 'limit')['limit'] }),
        ...(policy === undefined ? {} : { policy: policyOf(policy) }),
      });
    },
  },
];

function policyOf(text: string): Record<string, string> {
  if (!text.includes('=')) return Object.fromEntries(DOORS.map((door) => [door, text]));
  return Object.fromEntries(
    text.split(',').map((pair) => pair.split('=').map((part) => part.trim()) as [string, string]),
  );
}
