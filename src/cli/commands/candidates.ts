import { ATS_STATUSES } from '../../hiring/candidates/candidate.js';
import { encode, type Json } from '../client/client.js';
import { columns, CSV, isExport, numbers, queryOf, type Command } from '../command/command.js';
import { recordOfArgument } from '../references/record-id.js';

const FILTERS = [
  'email',
  'external_id',
  'ats_priority',
  'stage',
  'ats_status',
  'job',
  'connection',
  'q',
  'updated_since',
] as const;
const CANDIDATES = { what: 'candidate', path: '/candidates', prefix: 'cand_' };

/** Commands that look candidates up. */
export const CANDIDATE_COMMANDS: Command[] = [
  {
    noun: 'candidate',
    verb: 'list',
    description: 'Lists candidates, newest first',
    options: [
      { name: 'email', description: 'only with this e-mail' },
      { name: 'external_id', description: 'only with this external_id' },
      { name: 'ats_priority', description: 'only with this ats_priority in the metadata, such as high' },
      { name: 'stage', description: 'only in this stage of the ATS, by name' },
      { name: 'ats_status', description: 'only with this state in the ATS', choices: [...ATS_STATUSES] },
      { name: 'job', description: 'only of this opening: id or external_id' },
      { name: 'connection', description: 'only of this ATS connection: id or name', refers: 'ats_connection' },
      { name: 'q', description: 'only whose name, e-mail or external_id begins so' },
      CSV,
      { name: 'updated_since', description: 'only changed since then, such as 2026-10-31 or 2026-10-31T12:00:00Z' },
      { name: 'limit', description: 'how many, 50 unless set' },
    ],
    async run(context) {
      const { limit = 50 } = numbers(context, 'limit');
      const filters = queryOf(context, ...FILTERS, ...(isExport(context) ? ['format'] : []));
      if (isExport(context)) return context.client.text(`/candidates${filters}`);
      const found = await context.client.list(`/candidates${filters}`, limit);
      if (context.options['json'] === true) return found;
      return columns(
        found.map(named),
        'id',
        'external_id',
        'name',
        'email',
        'job_title',
        'stage',
        'ats_status',
        'updated_at',
      );
    },
  },
  {
    noun: 'candidate',
    verb: 'show',
    description: 'Shows a candidate with its metadata',
    argument: { name: 'candidate_id', required: true, description: 'the id or external_id' },
    async run(context) {
      const candidate = await recordOfArgument(context, CANDIDATES);
      if (context.options['json'] === true) return candidate;
      return { ...candidate, metadata: JSON.stringify(candidate['metadata']) };
    },
  },
  {
    noun: 'candidate',
    verb: 'history',
    description: 'Shows what came in for a candidate, what went out, and what waits and why, newest first',
    argument: {
      name: 'candidate_id',
      required: true,
      description: 'the id or external_id',
      refers: 'candidate',
    },
    options: [{ name: 'limit', description: 'how many, 50 unless set' }],
    async run(context) {
      const { limit = 50 } = numbers(context, 'limit');
      const found = await context.client.list(`/candidates/${encode(context.argument!)}/history`, limit);
      if (context.options['json'] === true) return found;
      return columns(found, 'at', 'kind', 'what', 'state', 'reason', 'detail', 'id');
    },
  },
];

function named(candidate: Json): Json {
  const { first_name, last_name } = candidate;
  return { ...candidate, name: [first_name, last_name].filter((part) => part !== '').join(' ') };
}
