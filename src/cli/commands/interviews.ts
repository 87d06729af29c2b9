import { readFileSync } from 'node:fs';
import { CliError, EXIT } from '../client/cli.errors.js';
import { encode, type Json } from '../client/client.js';
import {
  columns,
  CSV,
  given,
  isExport,
  nothingToChange,
  numbers,
  queryOf,
  type Command,
  type CommandOption,
  type Context,
} from '../command/command.js';
import { recordOfArgument } from '../references/record-id.js';

const CANDIDATES = { what: 'candidate', path: '/candidates', prefix: 'cand_' };
const INTERVIEW = { name: 'interview_id', required: true, description: 'as the list shows it (int_…)' };

const PLAN: readonly CommandOption[] = [
  { name: 'time_zone', description: 'such as Europe/Zurich' },
  { name: 'interviewers', description: 'names or e-mail addresses with commas between' },
  { name: 'job_id', description: 'the opening: id or external_id; that of the candidate unless set', refers: 'job' },
  { name: 'meeting_url', description: 'your own meeting link; that of the interview engine unless set' },
];

const ENGINE = '/interview-engine';

const MOVES = ['in_progress', 'completed', 'cancelled', 'no_show'];

/** Commands about interviews. */
export const INTERVIEW_COMMANDS: Command[] = [
  {
    noun: 'interview',
    verb: 'set',
    description: 'Sets the interview engine of the tenant, which meeting links come from',
    options: [
      { name: 'base_url', description: 'the address of the engine’s API' },
      { name: 'api_key', description: 'the engine’s key; - reads it from standard input' },
      {
        name: 'remove',
        description: 'the tenant has no engine any more',
        flag: true,
        conflicts: ['base_url', 'api_key'],
      },
    ],
    run(context) {
      if (context.options['remove'] === true) return context.client.call('PUT', ENGINE, { base_url: null });
      const body = given(context, 'base_url', 'api_key');
      // Arguments can be read by all users of the machine; a secret need not be one.
      if (body['api_key'] === '-') body['api_key'] = readFileSync(0, 'utf8').trim();
      if (Object.keys(body).length === 0) throw nothingToChange('interview set', '--base-url');
      return context.client.call('PUT', ENGINE, body);
    },
  },
  {
    noun: 'interview',
    verb: 'engine',
    description: 'Shows the interview engine of the tenant and its health',
    run: ({ client }) => client.call('GET', ENGINE),
  },
  {
    noun: 'interview',
    verb: 'test',
    description: 'Tests the interview engine; exit code 1 when an answer is wrong',
    run: ({ client }) => client.call('POST', `${ENGINE}/test`, {}),
  },
  {
    noun: 'interview',
    verb: 'schedule',
    description: 'Schedules an interview of a candidate, and shows the meeting link',
    argument: { name: 'candidate_id', required: true, description: 'the id or external_id' },
    options: [
      { name: 'starts_at', description: 'such as 2026-01-31T09:00:00Z', required: true },
      { name: 'ends_at', description: 'at most 24 hours later', required: true },
      ...PLAN,
      { name: 'force', description: 'also for a candidate who is no longer active in the ATS', flag: true },
    ],
    async run(context) {
      const { id } = await recordOfArgument(context, CANDIDATES);
      const force = context.options['force'] === true ? { force: true } : {};
      const plan = { ...planOf(context), ...force };
      return context.client.call('POST', `/candidates/${encode(String(id))}/interviews`, plan);
    },
  },
  {
    noun: 'interview',
    verb: 'list',
    description: 'Lists interviews, newest first',
    options: [
      { name: 'candidate_id', description: 'only of this candidate: id or external_id', refers: 'candidate' },
      { name: 'state', description: 'only in this state', choices: ['scheduled', ...MOVES] },
      { name: 'job_id', description: 'only for this opening: id or external_id', refers: 'job' },
      { name: 'updated_since', description: 'only changed since then, such as 2026-10-31 or 2026-10-31T12:00:00Z' },
      CSV,
      { name: 'limit', description: 'how many, 50 unless set' },
    ],
    async run(context) {
      const { limit = 50 } = numbers(context, 'limit');
      const names = ['candidate_id', 'state', 'job_id', 'updated_since'];
      if (isExport(context)) return context.client.text(`/interviews${queryOf(context, ...names, 'format')}`);
      const filters = queryOf(context, ...names);
      const found = await context.client.list(`/interviews${filters}`, limit);
      if (context.options['json'] === true) return found;
      return columns(found, 'id', 'candidate_id', 'state', 'starts_at', 'ends_at', 'meeting_url');
    },
  },
  {
    noun: 'interview',
    verb: 'show',
    description: 'Shows an interview',
    argument: INTERVIEW,
    run: ({ client, argument }) => client.call('GET', at(argument)),
  },
  {
    noun: 'interview',
    verb: 'move',
    description: 'Changes the plan or the state of an interview',
    argument: INTERVIEW,
    options: [
      { name: 'starts_at', description: 'such as 2026-01-31T09:00:00Z' },
      { name: 'ends_at', description: 'at most 24 hours later' },
      ...PLAN,
      { name: 'state', description: 'where it moves', choices: MOVES },
    ],
    run(context) {
      const change = { ...planOf(context), ...given(context, 'state') };
      if (Object.keys(change).length === 0) throw nothingToChange('interview move', '--starts-at');
      return context.client.call('PATCH', at(context.argument), change);
    },
  },
  {
    noun: 'interview',
    verb: 'cancel',
    description: 'Cancels an interview; its link is taken back from the ATS',
    argument: INTERVIEW,
    run: ({ client, argument }) => client.call('PATCH', at(argument), { state: 'cancelled' }),
  },
  {
    noun: 'interview',
    verb: 'scorecard',
    description: 'Shows the scorecard of an interview, or puts one, which completes it',
    argument: INTERVIEW,
    options: [
      { name: 'put', description: 'the scorecard as JSON; - reads it from standard input', conflicts: ['version'] },
      { name: 'version', description: 'an older version to show' },
    ],
    run(context) {
      const { put } = given(context, 'put');
      const path = `${at(context.argument)}/scorecard`;
      if (put === undefined) return context.client.call('GET', `${path}${queryOf(context, 'version')}`);
      return context.client.call('PUT', path, jsonOf(put === '-' ? readFileSync(0, 'utf8') : put));
    },
  },
];

function at(argument: string | undefined): string {
  return `/interviews/${encode(argument!)}`;
}

function planOf(context: Context): Json {
  const { interviewers, ...rest } = given(
    context,
    'starts_at',
    'ends_at',
    'time_zone',
    'interviewers',
    'job_id',
    'meeting_url',
  );
  if (interviewers === undefined) return rest;
  return { ...rest, interviewers: interviewers.split(',').map((one) => one.trim()) };
}

function jsonOf(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw new CliError('The scorecard must be JSON.', EXIT.usage);
  }
}
