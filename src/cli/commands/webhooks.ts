import { readFileSync } from 'node:fs';
import { CliError, EXIT } from '../client/cli.errors.js';
import { encode, type Json } from '../client/client.js';
import { CONFIRM, demandConfirmed } from '../command/confirmation.js';
import {
  columns,
  given,
  nothingToChange,
  numbers,
  type Command,
  type CommandOption,
  type Context,
} from '../command/command.js';
import { NAMED_BY } from '../references/references.js';

const FORMS = ['source', 'standard', 'cloudevents'];
/** The argument of commands about one endpoint. */
export const ENDPOINT = {
  name: 'webhook_id',
  required: true,
  description: NAMED_BY.webhook,
  refers: 'webhook',
} as const;
const SECRET: CommandOption = {
  name: 'secret',
  description: 'one of your own (whsec_…); - reads it from standard input',
};

const CHANGES: readonly CommandOption[] = [
  { name: 'events', description: 'names with commas between, or all' },
  { name: 'description', description: 'what it is for' },
  { name: 'form', description: 'the form of the body', choices: FORMS },
  {
    name: 'headers',
    description: 'its own headers as JSON, such as {"x-team":"hr"}; - reads them from standard input',
  },
];

/** Commands about webhook endpoints. */
export const WEBHOOK_COMMANDS: Command[] = [
  {
    noun: 'webhook',
    verb: 'create',
    description: 'Makes an endpoint; its secret is shown this once',
    options: [
      { name: 'url', description: 'where events are posted to', required: true },
      ...CHANGES,
      { name: 'ordered', description: 'events about one record arrive in order', flag: true },
      SECRET,
    ],
    run(context) {
      const ordered = context.options['ordered'] === true ? { ordered: true } : {};
      return context.client.call('POST', '/webhooks', { ...changesOf(context), ...secretOf(context), ...ordered });
    },
  },
  {
    noun: 'webhook',
    verb: 'list',
    description: 'Lists the endpoints of the key; with admin, all',
    async run({ client, options }) {
      const found = await client.list('/webhooks', 50);
      if (options['json'] === true) return found;
      return columns(found, 'id', 'url', 'state', 'state_reason', 'waiting', 'given_up', 'last_success_at');
    },
  },
  {
    noun: 'webhook',
    verb: 'show',
    description: 'Shows an endpoint, its state and what waits',
    argument: ENDPOINT,
    run: ({ client, argument }) => client.call('GET', at(argument)),
  },
  {
    noun: 'webhook',
    verb: 'set',
    description: 'Changes an endpoint; what waits is sent to a new address',
    argument: ENDPOINT,
    options: [
      { name: 'url', description: 'where events are posted to' },
      ...CHANGES,
      { name: 'ordered', description: 'whether events about one record arrive in order', choices: ['true', 'false'] },
      {
        ...SECRET,
        description: `with another host in --url: ${SECRET.description}; else one is made, and shown this once`,
      },
    ],
    run(context) {
      const { ordered } = given(context, 'ordered');
      const change = {
        ...changesOf(context),
        ...secretOf(context),
        ...(ordered === undefined ? {} : { ordered: ordered === 'true' }),
      };
      if (Object.keys(change).length === 0) throw nothingToChange('webhook set', '--url');
      return context.client.call('PATCH', at(context.argument), change);
    },
  },
  {
    noun: 'webhook',
    verb: 'delete',
    description: 'Removes an endpoint with all that waits for it',
    argument: ENDPOINT,
    options: [CONFIRM],
    async run(context) {
      const { client, argument } = context;
      const { url, waiting } = await client.call('GET', at(argument));
      const lost = Number(waiting);
      demandConfirmed(context, lost, `${lost} messages wait for ${String(url)}, and are dropped with it.`);
      await client.call('DELETE', at(argument));
      return { deleted: argument! };
    },
  },
  {
    noun: 'webhook',
    verb: 'test',
    description: 'Sends the example of an event, signed, and shows the answer',
    argument: ENDPOINT,
    options: [{ name: 'event', description: 'its name; the first that the endpoint takes unless set' }],
    run: (context) => context.client.call('POST', `${at(context.argument)}/test`, given(context, 'event')),
  },
  {
    noun: 'webhook',
    verb: 'rotate',
    description: 'Makes a new secret, shown this once; the present ones sign beside it for a day',
    argument: ENDPOINT,
    options: [
      { name: 'overlap_seconds', description: 'for how long instead, at most 604800; 0: the present ones end now' },
      SECRET,
      { name: 'revoke', description: 'makes none, and ends all secrets but the newest', flag: true },
    ],
    run(context) {
      const overlap = numbers(context, 'overlap_seconds');
      const path = at(context.argument);
      if (context.options['revoke'] === true) return context.client.call('POST', `${path}/revoke-secrets`, {});
      return context.client.call('POST', `${path}/rotate-secret`, { ...overlap, ...secretOf(context) });
    },
  },
  {
    noun: 'webhook',
    verb: 'pause',
    description: 'Stops deliveries; events wait',
    argument: ENDPOINT,
    options: [{ name: 'reason', description: 'why, for other admins' }],
    run: (context) => context.client.call('POST', `${at(context.argument)}/pause`, given(context, 'reason')),
  },
  {
    noun: 'webhook',
    verb: 'resume',
    description: 'Resumes deliveries, once a test event was taken',
    argument: ENDPOINT,
    run: ({ client, argument }) => client.call('POST', `${at(argument)}/resume`, {}),
  },
];

/** Returns the address of an endpoint in the API. */
export function at(argument: string | undefined): string {
  return `/webhooks/${encode(argument!)}`;
}

function changesOf(context: Context): Json {
  const { events, headers, ...rest } = given(context, 'url', 'events', 'description', 'form', 'headers');
  return {
    ...rest,
    ...(events === undefined ? {} : { events: events === 'all' ? null : events.split(',').map((one) => one.trim()) }),
    ...(headers === undefined ? {} : { headers: jsonOf(fromInput(headers)) }),
  };
}

function secretOf(context: Context): Json {
  const { secret } = given(context, 'secret');
  return secret === undefined ? {} : { secret: fromInput(secret) };
}

/** Arguments can be read by everybody on the machine; a secret need not be one. */
function fromInput(text: string): string {
  return text === '-' ? readFileSync(0, 'utf8').trim() : text;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new CliError('--headers must be JSON, such as {"x-team":"hr"}.', EXIT.usage);
  }
}
