import { readFileSync } from 'node:fs';
import { CliError, EXIT } from '../cli.errors.js';
import { encode } from '../client.js';
import { columns, given, numbers, queryOf, type Command } from '../command.js';

const ALL = { name: 'all', description: 'all of them', flag: true };

export const PLATFORM_COMMANDS: Command[] = [
  {
    noun: 'platform',
    verb: 'set',
    description: 'Sets where changes are forwarded to',
    options: [
      { name: 'base_url', description: 'the address of the platform’s API' },
      { name: 'api_key', description: 'the platform’s key; - reads it from standard input' },
      { name: 'on_deactivate', description: 'inactive or delete' },
      { name: 'on_delete', description: 'delete or inactive' },
      { name: 'rate', description: 'calls a second' },
      { name: 'concurrency', description: 'calls at once' },
      { name: 'timeout_ms', description: 'the deadline of a call' },
    ],
    run(context) {
      const body = given(context, 'base_url', 'api_key', 'on_deactivate', 'on_delete');
      // Arguments can be read by everybody on the machine; a secret need not be one.
      if (body['api_key'] === '-') body['api_key'] = readFileSync(0, 'utf8').trim();
      return context.client.call('PUT', '/platform', {
        ...body,
        ...numbers(context, 'rate', 'concurrency', 'timeout_ms'),
      });
    },
  },
  {
    noun: 'platform',
    verb: 'show',
    description: 'Shows where changes go, and how that place is doing',
    run: ({ client }) => client.call('GET', '/platform'),
  },
  ...(
    [
      ['test', 'Tries the connection'],
      ['resume', 'Forwards again'],
      ['import', 'Takes in the platform’s people without forwarding'],
    ] as const
  ).map(([verb, description]): Command => ({
    noun: 'platform',
    verb,
    description,
    run: ({ client }) => client.call('POST', `/platform/${verb}`, {}),
  })),
  {
    noun: 'platform',
    verb: 'pause',
    description: 'Stops forwarding; everything waits',
    options: [{ name: 'reason', description: 'for whoever wonders later' }],
    run: (context) => context.client.call('POST', '/platform/pause', given(context, 'reason')),
  },
  {
    noun: 'drift',
    verb: 'run',
    description: 'Compares the platform’s list with what the platform should know; task left-out lists what differs',
    run: ({ client }) => client.call('POST', '/platform/drift', {}),
  },
  {
    noun: 'changes',
    verb: 'list',
    description: 'Lists changes, newest first',
    options: [
      { name: 'state', description: 'waiting, parked, delivered …' },
      { name: 'kind', description: 'created, updated, deactivated …' },
      { name: 'user_id', description: 'of one person' },
      { name: 'since', description: 'such as 2026-01-31T00:00:00Z' },
      { name: 'limit', description: 'how many, 50 unless set' },
    ],
    async run(context) {
      const { limit = 50 } = numbers(context, 'limit');
      const query = queryOf(context, 'state', 'kind', 'user_id', 'since');
      const changes = await context.client.list(`/changes${query}`, limit);
      return columns(changes, 'id', 'kind', 'state', 'user_id', 'external_id', 'changed', 'occurred_at', 'error');
    },
  },
  ...(['retry', 'dismiss'] as const).map((verb): Command => ({
    noun: 'changes',
    verb,
    description: verb === 'retry' ? 'Tries a parked change again' : 'Gives a parked change up',
    argument: { name: 'change_id', required: true, description: 'as the list shows it' },
    ...(verb === 'dismiss' ? { options: [{ name: 'reason', description: 'why it is given up' }] } : {}),
    run: (context) =>
      context.client.call('POST', `/changes/${encode(context.argument!)}/${verb}`, given(context, 'reason')),
  })),
  {
    noun: 'changes',
    verb: 'resend',
    description: 'Sends everyone changed since then again, as they are now',
    options: [{ name: 'since', description: 'such as 2026-01-31T00:00:00Z', required: true }],
    run: (context) => context.client.call('POST', '/changes/resend', given(context, 'since')),
  },
  {
    noun: 'held',
    verb: 'list',
    description: 'Lists people for whom what was written is not in force, and why',
    options: [{ name: 'reason', description: 'guard, no_seat, no_email …' }],
    async run(context) {
      const held = await context.client.list(`/held${queryOf(context, 'reason')}`);
      return columns(held, 'user_id', 'reason', 'since', 'directory_id');
    },
  },
  ...(['release', 'discard'] as const).map((verb): Command => ({
    noun: 'held',
    verb,
    description: verb === 'release' ? 'Puts what was written into force' : 'Forgets what was written',
    argument: { name: 'user_id', required: false, description: 'one person; else --all' },
    options: [ALL, { name: 'reason', description: 'with --all: only those' }],
    async run(context) {
      const { client, argument, options } = context;
      if (argument !== undefined) return client.call('POST', `/held/${encode(argument)}/${verb}`, {});
      if (options['all'] !== true) throw new CliError('Name a user, or say --all.', EXIT.usage);
      const held = await client.list(`/held${queryOf(context, 'reason')}`, 100_000);
      const refused: string[] = [];
      for (const { user_id } of held as { user_id: string }[]) {
        await client.call('POST', `/held/${encode(user_id)}/${verb}`, {}).catch((error: unknown) => {
          if (!(error instanceof CliError) || error.exitCode !== EXIT.failed) throw error;
          refused.push(user_id);
        });
      }
      return { [verb === 'release' ? 'released' : 'discarded']: held.length - refused.length, refused };
    },
  })),
];
