import { encode, type Json } from '../client/client.js';
import { columns, CSV, given, isExport, numbers, queryOf, type Command, type Context } from '../command/command.js';
import { ats, ATS_CONNECTION } from './ats.js';

const WRITE = { name: 'write_id', description: 'as the list shows it (awr_…)', required: true };

const STATES = ['waiting', 'written', 'superseded', 'failed', 'dismissed', 'left'];

/** Commands about what is written to an ATS. */
export const ATS_WRITE_COMMANDS: Command[] = [
  {
    noun: 'ats',
    verb: 'writes',
    description: 'Lists what is written to the ATS, newest first',
    argument: ATS_CONNECTION,
    options: [
      { name: 'state', description: 'only in this state', choices: STATES },
      { name: 'candidate_id', description: 'only about this candidate: id or external_id', refers: 'candidate' },
      CSV,
      { name: 'limit', description: 'how many, 50 unless set' },
    ],
    async run(context) {
      const { limit = 50 } = numbers(context, 'limit');
      if (isExport(context)) {
        return context.client.text(`${writes(context)}${queryOf(context, 'state', 'candidate_id', 'format')}`);
      }
      const path = `${writes(context)}${queryOf(context, 'state', 'candidate_id')}`;
      const found = await context.client.list(path, limit);
      if (context.options['json'] === true) return found;
      return columns(found, 'id', 'candidate_id', 'kind', 'revision', 'state', 'reason', 'attempts', 'written_at');
    },
  },
  {
    noun: 'ats',
    verb: 'retry-write',
    description: 'Tries a write again that failed, was dismissed or left',
    argument: ATS_CONNECTION,
    options: [WRITE],
    run: (context) => context.client.call('POST', `${one(context)}/retry`, {}),
  },
  {
    noun: 'ats',
    verb: 'dismiss-write',
    description: 'Ends a write that waits or failed',
    argument: ATS_CONNECTION,
    options: [WRITE, { name: 'reason', description: 'why; kept in the audit log', required: true }],
    run: (context) => context.client.call('POST', `${one(context)}/dismiss`, given(context, 'reason')),
  },
  {
    noun: 'ats',
    verb: 'test-write',
    description: 'Writes to one candidate in the ATS, reads it back, and takes it back',
    argument: ATS_CONNECTION,
    options: [
      {
        name: 'candidate_id',
        description: 'one that came through this connection: id or external_id',
        required: true,
        refers: 'candidate',
      },
      { name: 'confirm', description: 'also where it cannot be taken back', flag: true },
    ],
    async run(context) {
      const body = { ...given(context, 'candidate_id'), confirm: context.options['confirm'] === true };
      const answer = await context.client.call('POST', `${ats(context.argument)}/test-write`, body);
      return context.options['json'] === true ? answer : columns(answer['steps'] as Json[], 'step', 'ok', 'detail');
    },
  },
];

function writes(context: Context): string {
  return `${ats(context.argument)}/writes`;
}

function one(context: Context): string {
  return `${writes(context)}/${encode(given(context, 'write_id')['write_id']!)}`;
}
