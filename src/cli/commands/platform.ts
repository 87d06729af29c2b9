import { CliError, EXIT } from '../cli.errors.js';
import { encode } from '../client.js';
import { columns, given, type Command } from '../command.js';

const ALL = { name: 'all', description: 'all of them', flag: true };

export const PLATFORM_COMMANDS: Command[] = [
  {
    noun: 'platform',
    verb: 'set',
    description: 'Sets where changes are forwarded to',
    options: [
      { name: 'base_url', description: 'the address of the platform’s API' },
      { name: 'api_key', description: 'the platform’s key' },
      { name: 'on_deactivate', description: 'inactive or delete' },
      { name: 'on_delete', description: 'delete or inactive' },
      { name: 'rate', description: 'calls a second' },
      { name: 'concurrency', description: 'calls at once' },
    ],
    run(context) {
      const { rate, concurrency, ...rest } = given(
        context,
        'base_url',
        'api_key',
        'on_deactivate',
        'on_delete',
        'rate',
        'concurrency',
      );
      return context.client.call('PUT', '/platform', {
        ...rest,
        ...(rate === undefined ? {} : { rate: Number(rate) }),
        ...(concurrency === undefined ? {} : { concurrency: Number(concurrency) }),
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
      ['pause', 'Stops forwarding; everything waits'],
      ['resume', 'Forwards again'],
      ['import', 'Takes in the platform’s people without forwarding'],
    ] as const
  ).map(
    ([verb, description]): Command => ({
      noun: 'platform',
      verb,
      description,
      run: ({ client }) => client.call('POST', `/platform/${verb}`, {}),
    }),
  ),
  {
    noun: 'changes',
    verb: 'list',
    description: 'Lists changes, newest first',
    options: [
      { name: 'state', description: 'waiting, parked, delivered …' },
      { name: 'user_id', description: 'of one person' },
      { name: 'limit', description: 'how many, 50 unless set' },
    ],
    async run(context) {
      const { limit, ...filter } = given(context, 'state', 'user_id', 'limit');
      const query = new URLSearchParams(filter).toString();
      return context.client.list(`/changes${query === '' ? '' : `?${query}`}`, Number(limit ?? 50));
    },
  },
  ...(['retry', 'dismiss'] as const).map(
    (verb): Command => ({
      noun: 'changes',
      verb,
      description: verb === 'retry' ? 'Tries a parked change again' : 'Gives a parked change up',
      argument: { name: 'change_id', required: true, description: 'as the list shows it' },
      run: ({ client, argument }) => client.call('POST', `/changes/${encode(argument!)}/${verb}`, {}),
    }),
  ),
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
      const query = new URLSearchParams(given(context, 'reason')).toString();
      const held = await context.client.list(`/held${query === '' ? '' : `?${query}`}`);
      return columns(held, 'user_id', 'reason', 'since', 'directory_id');
    },
  },
  ...(['release', 'discard'] as const).map(
    (verb): Command => ({
      noun: 'held',
      verb,
      description: verb === 'release' ? 'Puts what was written into force' : 'Forgets what was written',
      argument: { name: 'user_id', required: false, description: 'one person; else --all' },
      options: [ALL, { name: 'reason', description: 'with --all: only those' }],
      async run(context) {
        const { client, argument, options } = context;
        if (argument !== undefined) return client.call('POST', `/held/${encode(argument)}/${verb}`, {});
        if (options['all'] !== true) throw new CliError('Name a user, or say --all.', EXIT.usage);
        const query = new URLSearchParams(given(context, 'reason')).toString();
        const held = await client.list(`/held${query === '' ? '' : `?${query}`}`, 100_000);
        for (const one of held) await client.call('POST', `/held/${encode(one['user_id'] as string)}/${verb}`, {});
        return { [verb === 'release' ? 'released' : 'discarded']: held.length };
      },
    }),
  ),
];
