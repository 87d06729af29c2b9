import { readFileSync } from 'node:fs';
import { CHANGE_STATES } from '../../forwarding/changes/change.mapping.js';
import { readable, type ShownChange } from '../output/change-words.js';
import { encode, type Json } from '../client/client.js';
import { PARKED_COMMANDS } from './parked-changes.js';
import { CONFIRM, demandConfirmed } from '../command/confirmation.js';
import { columns, given, nothingToChange, numbers, queryOf, type Command } from '../command/command.js';

const REMOVALS = ['inactive', 'delete'];
const KINDS = ['created', 'updated', 'deactivated', 'reactivated', 'deleted'];

export const PLATFORM_COMMANDS: Command[] = [
  {
    noun: 'platform',
    verb: 'set',
    description: 'Sets the destination of changes',
    options: [
      { name: 'base_url', description: 'the address of the platform’s API' },
      { name: 'api_key', description: 'the platform’s key; - reads it from standard input' },
      { name: 'on_deactivate', description: 'what a deactivation does there', choices: REMOVALS },
      { name: 'on_delete', description: 'what a deletion does there', choices: REMOVALS },
      { name: 'rate', description: 'calls a second' },
      { name: 'concurrency', description: 'calls at once' },
      { name: 'timeout_ms', description: 'the deadline of a call' },
      { name: 'dry_run', description: 'counts the users that are sent again, and changes nothing', flag: true },
      CONFIRM,
    ],
    begins: ['platform.reforward'],
    async run(context) {
      const { client, options } = context;
      const body = given(context, 'base_url', 'api_key', 'on_deactivate', 'on_delete');
      // Arguments can be read by everybody on the machine; a secret need not be one.
      if (body['api_key'] === '-') body['api_key'] = readFileSync(0, 'utf8').trim();
      const change = { ...body, ...numbers(context, 'rate', 'concurrency', 'timeout_ms') };
      if (Object.keys(change).length === 0) throw nothingToChange('platform set', '--base-url');
      const counted = await client.call('PUT', '/platform', { ...change, dry_run: true });
      if (options['dry_run'] === true) return { sends_again: counted['sends_again'], changed: false };
      const again = Number(counted['sends_again']);
      demandConfirmed(
        context,
        again,
        `Another address sends all ${again} users again, to ${String(body['base_url'])}.`,
      );
      return client.call('PUT', '/platform', change);
    },
  },
  {
    noun: 'platform',
    verb: 'show',
    description: 'Shows the destination of changes and its health',
    async run({ client, options }) {
      const platform = await client.call('GET', '/platform');
      return options['json'] === true ? platform : { ...platform, state: stateWord(platform['state']) };
    },
  },
  {
    noun: 'platform',
    verb: 'test',
    description: 'Tests the connection; exit code 1 when an answer is wrong',
    options: [{ name: 'write', description: 'also creates, changes and deletes a test user', flag: true }],
    async run({ client, options }) {
      const body = options['write'] === true ? { write: true } : {};
      const finding = await client.call<Json & { steps?: Step[] }>('POST', '/platform/test', body);
      if (options['json'] === true) return finding;
      const { steps = [], ...rest } = finding;
      return { ...rest, ...Object.fromEntries(steps.map(stepLine)) };
    },
  },
  {
    noun: 'platform',
    verb: 'resume',
    description: 'Forwards again',
    run: ({ client }) => client.call('POST', '/platform/resume', {}),
  },
  {
    noun: 'platform',
    verb: 'import',
    description: 'Imports the users of the platform, without forwarding',
    begins: 'answer',
    run: ({ client }) => client.call('POST', '/platform/import', {}),
  },
  {
    noun: 'platform',
    verb: 'pause',
    description: 'Pauses forwarding; changes wait',
    options: [{ name: 'reason', description: 'why, for other admins' }],
    run: (context) => context.client.call('POST', '/platform/pause', given(context, 'reason')),
  },
  {
    noun: 'drift',
    verb: 'run',
    description: 'Compares the platform’s list with the expected state; task left-out lists the differences',
    begins: 'answer',
    run: ({ client }) => client.call('POST', '/platform/drift', {}),
  },
  {
    noun: 'changes',
    verb: 'list',
    description: 'Lists changes, newest first',
    options: [
      {
        name: 'state',
        description: 'the state; waiting is the same as pending',
        choices: ['waiting', ...CHANGE_STATES],
      },
      { name: 'kind', description: 'what happened', choices: KINDS },
      { name: 'user_id', description: 'of one user: id, e-mail, external_id or userName', refers: 'user' },
      { name: 'since', description: 'such as 2026-10-31 or 2026-10-31T12:00:00Z' },
      { name: 'directory', description: 'of one directory: its id or name', refers: 'directory' },
      { name: 'actor', description: 'by one key, directory, user or operator: its id' },
      { name: 'request_id', description: 'of one request: X-Request-Id of its answer' },
      { name: 'limit', description: 'how many, 50 unless set' },
    ],
    async run(context) {
      const { limit = 50 } = numbers(context, 'limit');
      const state = context.options['state'] === 'waiting' ? 'pending' : context.options['state'];
      const query = queryOf(
        { ...context, options: { ...context.options, state } },
        'state',
        'kind',
        'user_id',
        'since',
        'directory',
        'actor',
        'request_id',
      );
      const changes = await context.client.list(`/changes${query}`, limit);
      if (context.options['json'] === true) return changes;
      return columns(changes, 'id', 'kind', 'state', 'user_id', 'external_id', 'changed', 'occurred_at', 'error');
    },
  },
  {
    noun: 'changes',
    verb: 'show',
    description: 'Shows one change, each call to the platform because of it, and the platform’s own words',
    argument: { name: 'change_id', required: true, description: 'as the list shows it' },
    async run({ client, argument, options }) {
      const found = await client.call<ShownChange>('GET', `/changes/${encode(argument!)}`);
      return options['json'] === true ? { ...found } : readable(found);
    },
  },
  {
    noun: 'changes',
    verb: 'statistics',
    description: 'Shows how many changes were accepted, confirmed, failed and parked, and their lag',
    options: [
      { name: 'from', description: 'such as 2026-10-31; 24 hours or 30 days before --to unless set' },
      { name: 'to', description: 'before this time; now unless set' },
      { name: 'interval', description: 'hour unless set', choices: ['hour', 'day'] },
    ],
    async run(context) {
      const path = `/changes/statistics${queryOf(context, 'from', 'to', 'interval')}`;
      return (await context.client.call<{ data: Json[] }>('GET', path)).data;
    },
  },
  ...PARKED_COMMANDS,
  {
    noun: 'changes',
    verb: 'resend',
    description: 'Sends each user who changed since then again, in the effective state',
    options: [{ name: 'since', description: 'such as 2026-01-31T00:00:00Z', required: true }],
    begins: 'answer',
    run: (context) => context.client.call('POST', '/changes/resend', given(context, 'since')),
  },
];

interface Step {
  name: string;
  method: string;
  path: string;
  status: number | null;
  ok: boolean;
  message: string | null;
}

function stepLine({ name, method, path, status, ok, message }: Step, place: number): [string, string] {
  const found = ok ? 'ok' : `not ok: ${message ?? ''}`;
  return [`step_${place + 1}`, `${name}: ${method} ${path} → ${status ?? 'no answer'}, ${found}`];
}

/** The state as a reader knows it: the circuit breaker's word `open` says the opposite to most. */
export function stateWord(state: unknown): unknown {
  return state === 'open' ? 'unavailable' : state;
}
