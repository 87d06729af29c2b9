import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { ExportVerifier, type ChainVerdict, type SealedEntry } from '../../seats/ledger/chain.rules.js';
import { CliError, EXIT } from '../client/cli.errors.js';
import type { Json } from '../client/client.js';
import { columns, given, queryOf, type Command } from '../command/command.js';

/** What a file alone cannot show. */
const CUT =
  'lines cut off at the end are not seen: give --head with a hash that was kept elsewhere (seats heads), which the chain must pass through';

/**
 * Checks an export of the seat ledger (`GET /seats/events?format=ndjson`) without service and database.
 * In: the file and, where one was kept elsewhere, a head that the chain must pass through (hex). What only a head can
 * show is that the newest lines were cut off. Out: the verdict of the chain. Throws a `CliError` for a file that
 * cannot be read or is no such export.
 */
async function verifyExport(file: string, head?: string): Promise<ChainVerdict & { note?: string }> {
  const verifier = new ExportVerifier();
  const expected = head?.toLowerCase();
  let passed = expected === undefined;
  let line = 0;
  try {
    for await (const text of createInterface({ input: createReadStream(file, 'utf8'), crlfDelay: Infinity })) {
      line += 1;
      if (text.trim() === '') continue;
      const entry = entryIn(text, `${file}, line ${line}`);
      if (!verifier.take(entry)) return verifier.verdict();
      passed ||= entry.hash === expected;
    }
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError(`${file} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'}).`, EXIT.usage);
  }
  const verdict = verifier.verdict();
  if (verdict.ok && head === undefined) return { ...verdict, note: CUT };
  if (!verdict.ok || passed) return verdict;
  return { ok: false, sequence: verdict.entries + 1, problem: 'the chain does not pass through the head given' };
}

function entryIn(text: string, place: string): SealedEntry {
  let entry: unknown;
  try {
    entry = JSON.parse(text);
  } catch {
    throw new CliError(`${place}: not JSON. The export is GET /api/v1/seats/events?format=ndjson.`, EXIT.usage);
  }
  const { sequence, count_after, previous_hash, hash, effective_at } = (entry ?? {}) as Partial<SealedEntry>;
  const whole =
    [sequence, count_after].every(Number.isInteger) &&
    [previous_hash, hash, effective_at].every((value) => typeof value === 'string');
  if (!whole) throw new CliError(`${place}: not an entry of the seat ledger.`, EXIT.usage);
  return entry as SealedEntry;
}

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
