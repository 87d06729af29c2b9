import { columns, numbers, queryOf, type Command } from '../command/command.js';
import { recordOfArgument } from '../references/record-id.js';

const JOBS = { what: 'job', path: '/jobs', prefix: 'job_' };

/** Commands that look job openings up. */
export const JOB_COMMANDS: Command[] = [
  {
    noun: 'job',
    verb: 'list',
    description: 'Lists job openings, newest first',
    options: [
      { name: 'status', description: 'only with this status', choices: ['open', 'closed', 'draft'] },
      { name: 'external_id', description: 'only with this external_id' },
      { name: 'ats', description: 'only of this ATS' },
      { name: 'updated_since', description: 'only changed since then, such as 2026-10-31 or 2026-10-31T12:00:00Z' },
      { name: 'limit', description: 'how many, 50 unless set' },
    ],
    async run(context) {
      const { limit = 50 } = numbers(context, 'limit');
      const filters = queryOf(context, 'status', 'external_id', 'ats', 'updated_since');
      const found = await context.client.list(`/jobs${filters}`, limit);
      if (context.options['json'] === true) return found;
      return columns(found, 'id', 'external_id', 'title', 'status', 'department', 'location', 'updated_at');
    },
  },
  {
    noun: 'job',
    verb: 'show',
    description: 'Shows a job opening',
    argument: { name: 'job_id', required: true, description: 'the id or external_id' },
    run: (context) => recordOfArgument(context, JOBS),
  },
];
