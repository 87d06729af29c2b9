import { CliError, EXIT } from '../client/cli.errors.js';
import type { Json } from '../client/client.js';
import { given, numbers, queryOf, type Command, type Context } from '../command/command.js';
import { verifyExport } from './seat-export.js';
import { headsOf, KNOWN_HEAD } from './audit.js';
import { AS_OF_OPTION, EXCEL, exportOf } from './seat-lists.js';

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
    description: 'Shows limit, use, and how many users wait; unknown before the ledger began',
    options: [
      AS_OF_OPTION,
      { name: 'format', description: 'as the API exports it', choices: ['csv'], conflicts: ['json'] },
      { ...EXCEL, conflicts: ['json'] },
    ],
    async run(context) {
      const path = `/seats${queryOf(context, 'as_of')}`;
      return (await exportOf(context, path)) ?? shown(context, await context.client.call<Summary>('GET', path));
    },
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
      {
        name: 'head',
        description:
          'with --file: a hash kept elsewhere, which the chain must pass through; without it a cut end is not seen',
      },
      ...KNOWN_HEAD,
    ],
    async run(context) {
      const { file, head } = given(context, 'file', 'head');
      if (head !== undefined && file === undefined) throw new CliError('--head goes with --file.', EXIT.usage);
      if (file !== undefined) return { ...(await verifyExport(file, head)) };
      const verdict = await context.client.call('POST', `/seats/verify${queryOf(context, 'sequence', 'hash')}`, {});
      return context.options['json'] === true ? verdict : shownVerdict(verdict);
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
    async run(context) {
      const { limit, policy } = given(context, 'limit', 'policy');
      if (limit === undefined && policy === undefined) throw new CliError('Say --limit, --policy or both.', EXIT.usage);
      const set = await context.client.call<Summary>('PUT', '/seats/limit', {
        ...(limit === undefined ? {} : { limit: limit === 'none' ? null : numbers(context, 'limit')['limit'] }),
        ...(policy === undefined ? {} : { policy: policyOf(policy) }),
      });
      return shown(context, set);
    },
  },
];

/** The answer of `GET /seats`. */
interface Summary extends Json {
  limit: number | null;
  policy: Record<string, string> | null;
  used: number | null;
  waiting: number | null;
  overage: number | null;
  sealed_through: string | null;
  final: boolean;
}

/** Returns the seats for a reader; for `--json` they are as the API gives them. */
function shown(context: Context, summary: Summary): Json {
  if (context.options['json'] === true) return summary;
  const { limit, policy, used, waiting, overage, sealed_through: sealed, final } = summary;
  const policies = DOORS.flatMap((door) => (policy?.[door] === undefined ? [] : `${door}=${policy[door]}`));
  const until = sealed === null ? 'the ledger has no line yet' : `the ledger is sealed up to ${sealed}`;
  return {
    limit: limit ?? (used === null ? 'unknown' : 'none'),
    policy: policies.length === 0 ? '-' : policies.join(','),
    used: used ?? 'unknown',
    // How many waited at a past moment is in no ledger.
    waiting: waiting ?? 'unknown',
    overage: overage ?? 'unknown',
    as_of: summary['as_of'],
    final: final ? 'yes: no line can change these figures any more' : `no: ${until}, later lines can follow`,
  };
}

/** Returns a verdict for a reader: users who differ are named by `seats reconcile`. */
function shownVerdict({ differences, more: _, ...verdict }: Json): Json {
  if (!Array.isArray(differences)) return verdict;
  return { ...verdict, differences: `${differences.length} users: see seats reconcile` };
}

function policyOf(text: string): Record<string, string> {
  if (!text.includes('=')) return Object.fromEntries(DOORS.map((door) => [door, text]));
  return Object.fromEntries(
    text.split(',').map((pair) => pair.split('=').map((part) => part.trim()) as [string, string]),
  );
}
