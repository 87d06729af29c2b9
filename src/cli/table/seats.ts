import { CliError, EXIT } from '../client/cli.errors.js';
import type { Json } from '../client/client.js';
import type { Context } from '../command/command.js';
import type { FactsTable } from '../made/values.js';
import { picked } from '../made/made-command.js';

const DOORS = ['directory', 'api', 'sign_in'] as const;
const AS_OF = 'a date such as 2026-10-31: the end of that day of the tenant; or a time; not after today';
const HOLDERS = 'user_id name email external_id role directory cost_center since';

/** Seats and their ledger, and the log of administrative changes. */
export const SEAT_FACTS: FactsTable = {
  'seats show': {
    about: 'Shows limit, use, and how many users wait; unknown before the ledger began',
    options: { as_of: AS_OF },
    shown: summaryWords,
  },
  'seats limit': {
    of: 'PUT /seats/limit',
    options: {
      limit: 'a number, or none',
      policy: {
        description: 'wait, block or allow for every channel; or directory=wait,api=block,sign_in=wait',
        read: policyOf,
      },
    },
    check({ options: { limit, policy } }) {
      if (limit === undefined && policy === undefined) throw new CliError('Say --limit, --policy or both.', EXIT.usage);
    },
    shown: summaryWords,
  },
  'seats reconcile': {
    about: 'Compares the ledger with the users in force, and names those who differ',
    options: { repair: 'correct them by further lines; no line is changed' },
    answer: (found, { options }) => {
      if (options['json'] === true) return found;
      // The answer arrives as JSON, and its fields are those of the API.
      return options['repair'] === true ? picked(found, 'repaired more') : differences(found as unknown as Reconciled);
    },
  },
  'seats holders': {
    about: 'Lists the users who hold a seat, or held one at a past moment; unknown before the ledger began',
    options: { as_of: AS_OF },
    answer: holders,
  },
  'seats events': {
    about: 'Lists the lines of the ledger, newest first',
    options: {
      since: 'a date such as 2026-10-31: the start of that day of the tenant; or a time',
      until: 'before this time, or before the start of this day',
      directory: { description: 'a directory: its id or name; or none', refers: 'directory' },
    },
    without: ['user'],
    columns: 'sequence effective_at kind delta count_after user_id reason channel actor',
  },
  'seats usage': {
    about:
      'Shows peak, average, end and distinct holders of each day, without dates of the last 30 days; unknown before the ledger began; final: the figures of the day cannot change any more',
    check({ options: { from, to } }) {
      if ((from === undefined) === (to === undefined)) return;
      throw new CliError('--from and --to go together; without both: the last 30 days.', EXIT.usage);
    },
    rows: 'data',
    shown: shownDay,
  },
  'audit list': {
    shown({ actor, ...row }) {
      const { kind, name, id } = actor as { kind: string; name: string | null; id: string | null };
      const by = `${kind} ${name ?? id ?? ''}`.trim();
      const { at, action, target_type, target_id, before, after } = row;
      return { at, actor: by, action, target_type, target_id, after: changedFields(before, after) };
    },
  },
};

/** Returns the fields that a change has set: a record as a whole has some 25 of them, and most are the former ones. */
function changedFields(before: unknown, after: unknown): unknown {
  if (!isRecord(after)) return after;
  const former = isRecord(before) ? before : {};
  return Object.fromEntries(
    Object.entries(after).filter(([name, value]) => name !== 'updated_at' && !isSame(former[name], value)),
  );
}

/** A field that is absent, null or empty says the same. */
function isSame(former: unknown, value: unknown): boolean {
  const isEmpty = (one: unknown): boolean => one === undefined || one === null || JSON.stringify(one).length <= 2;
  return isEmpty(former) && isEmpty(value) ? true : JSON.stringify(former) === JSON.stringify(value);
}

function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The answer of `POST /seats/reconcile`. */
interface Reconciled {
  missing_in_ledger: string[];
  extra_in_ledger: string[];
  out_of_order: { user_id: string | null; lines: number[] }[];
}

function differences({ missing_in_ledger, extra_in_ledger, out_of_order }: Reconciled): Json[] {
  return [
    ...missing_in_ledger.map((user_id) => ({ user_id, finding: 'in force, and not a holder by the ledger' })),
    ...extra_in_ledger.map((user_id) => ({ user_id, finding: 'a holder by the ledger, and not in force' })),
    ...out_of_order.map(({ user_id, lines }) => ({
      user_id: user_id ?? 'limit',
      finding: `lines ${lines.join(' and ')} are not in the order in which they were written`,
    })),
  ];
}

async function holders({ data }: Json, { client, options }: Context): Promise<Json[] | string | null> {
  const rows = data as Json[];
  const isJson = options['json'] === true;
  if (rows.length === 0) {
    const query = typeof options['as_of'] === 'string' ? `?as_of=${encodeURIComponent(options['as_of'])}` : '';
    const { known } = await client.call<{ known: boolean }>('GET', `/seats/holders${query}`);
    if (!known) return isJson ? null : 'unknown: the ledger has no line before that moment\n';
  }
  return isJson ? rows : rows.map((row) => picked(row, HOLDERS));
}

function summaryWords(summary: Json): Json {
  const { limit, used, waiting, overage, final } = summary;
  const sealed = summary['sealed_through'] as string | null;
  const policy = summary['policy'] as Record<string, string> | null;
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

function policyOf(text: string): Record<string, string> {
  if (!text.includes('=')) return Object.fromEntries(DOORS.map((door) => [door, text]));
  return Object.fromEntries(
    text.split(',').map((pair) => pair.split('=').map((part) => part.trim()) as [string, string]),
  );
}

/** A day of usage for a reader: what is not known is a word, and so is a limit that is not set. */
function shownDay({ day, peak, average, end, distinct_holders: holders, limit, final }: Json): Json {
  const known = (value: unknown): unknown => value ?? 'unknown';
  return {
    day,
    peak: known(peak),
    average: known(average),
    end: known(end),
    distinct_holders: known(holders),
    limit: limit ?? (peak === null ? 'unknown' : 'none'),
    final: final === true ? 'yes' : 'no',
  };
}
