import { readFileSync } from 'node:fs';
import { CliError, EXIT } from '../client/cli.errors.js';
import { encode, type Json } from '../client/client.js';
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

/** The argument of commands about one connection to an ATS. */
export const ATS_CONNECTION = {
  name: 'connection_id',
  required: true,
  description: NAMED_BY.ats_connection,
  refers: 'ats_connection',
} as const;
const FROM_INPUT = '; - reads it from standard input';

const SETTINGS: readonly CommandOption[] = [
  { name: 'name', description: 'what it is called here' },
  { name: 'postings', description: 'candidates of open openings alone, or of all', choices: ['open', 'all'] },
  { name: 'candidates', description: 'neither archived nor hired, or all', choices: ['active', 'all'] },
  { name: 'stages', description: 'ids of stages with commas between, or any' },
  { name: 'candidates_since', description: 'only candidates that changed since, such as 2026-01-31T00:00:00Z' },
  { name: 'as_user', description: 'the id of the user of the ATS as whom is written' },
  { name: 'visibility', description: 'who sees notes in the ATS', choices: ['private', 'public'] },
  { name: 'link_target', description: 'where meeting links are put', choices: ['link', 'field', 'note', 'none'] },
  { name: 'scorecard_target', description: 'where scorecards are put', choices: ['note', 'field', 'none'] },
  { name: 'link_field', description: 'the custom field of links' },
  { name: 'scorecard_field', description: 'the custom field of scorecards' },
  { name: 'key', description: `the API key of the ATS${FROM_INPUT}` },
  { name: 'client_id', description: 'of a client that was made in the ATS' },
  { name: 'client_secret', description: `its secret${FROM_INPUT}` },
  { name: 'sub', description: 'the user of the ATS as whom the client acts' },
];

/** Commands about connections to applicant tracking systems. */
export const ATS_COMMANDS: Command[] = [
  {
    noun: 'ats',
    verb: 'providers',
    description: 'Lists the connectors, with what each can and cannot do',
    async run({ client, options }) {
      const { data }: { data: Json[] } = await client.call('GET', '/ats-connections/providers');
      if (options['json'] === true) return data;
      return data.map((one) => [headOf(one), ...limitsOf(one).map((limit) => `  - ${limit}`)].join('\n')).join('\n\n');
    },
  },
  {
    noun: 'ats',
    verb: 'connect',
    description: 'Connects an ATS with a key; the token of its webhook address is shown this once',
    options: [
      { name: 'provider', description: 'such as lever; see ats providers', required: true },
      { name: 'region', description: 'of the vendor' },
      { name: 'base_url', description: 'the address of the API in place of that of the region' },
      { name: 'marker', description: 'stands before ids of the ATS in external_id, such as lv_' },
      { name: 'api_token', description: `a token for the webhook address that is known already${FROM_INPUT}` },
      { name: 'signing_secret', description: `the secret that the ATS signs webhooks with${FROM_INPUT}` },
      ...SETTINGS,
    ],
    begins: ['ats.connect'],
    async run(context) {
      const { api_token: token, signing_secret: secret } = given(context, 'api_token', 'signing_secret');
      const made = await context.client.call('POST', '/ats-connections', {
        ...given(context, 'provider', 'region', 'base_url', 'marker'),
        ...(token === undefined ? {} : { api_token: fromInput(token) }),
        ...(secret === undefined ? {} : { signing_secret: fromInput(secret) }),
        ...settingsOf(context),
      });
      return withNextStep(context, made);
    },
  },
  {
    noun: 'ats',
    verb: 'list',
    description: 'Lists the connections to ATSs',
    async run({ client, options }) {
      const found = await client.list('/ats-connections', 50);
      if (options['json'] === true) return found;
      return columns(found, 'id', 'provider', 'name', 'marker', 'state', 'reason', 'missing', 'paused', 'next_run_at');
    },
  },
  {
    noun: 'ats',
    verb: 'show',
    description: 'Shows a connection: its state, what is wrong, what waits',
    argument: ATS_CONNECTION,
    run: async (context) => withNextStep(context, await context.client.call('GET', ats(context.argument))),
  },
  {
    noun: 'ats',
    verb: 'users',
    description: 'Lists the users of the ATS as whom the connection can write (--as-user)',
    argument: ATS_CONNECTION,
    options: [{ name: 'limit', description: 'how many, 50 unless set' }],
    async run(context) {
      const { limit = 50 } = numbers(context, 'limit');
      return columns(await context.client.list(`${ats(context.argument)}/users`, limit), 'id', 'name', 'email');
    },
  },
  {
    noun: 'ats',
    verb: 'set',
    description: 'Changes a connection; another credential sets it up anew',
    argument: ATS_CONNECTION,
    options: SETTINGS,
    begins: ['ats.connect'],
    async run(context) {
      const change = settingsOf(context);
      if (Object.keys(change).length === 0) throw nothingToChange('ats set', '--name');
      return withNextStep(context, await context.client.call('PATCH', ats(context.argument), change));
    },
  },
  ...['test', 'pause', 'resume', 'disconnect'].map((verb): Command => ({
    noun: 'ats',
    verb,
    description: {
      test: 'Calls the ATS, and says what came of it',
      pause: 'Stops polls, applying and writes; webhooks are still stored',
      resume: 'Resumes a connection that is paused',
      disconnect: 'Removes the webhooks at the ATS, revokes the grant there, and forgets the credential',
    }[verb]!,
    argument: ATS_CONNECTION,
    ...(verb === 'disconnect' ? { begins: ['ats.release'] as const } : {}),
    run: ({ client, argument }) => client.call('POST', `${ats(argument)}/${verb}`, {}),
  })),
  {
    noun: 'ats',
    verb: 'sync',
    description: 'Reads what has changed in the ATS now',
    argument: ATS_CONNECTION,
    options: [{ name: 'full', description: 'reads everything, and notices what the ATS has no more', flag: true }],
    run: ({ client, argument, options }) =>
      client.call('POST', `${ats(argument)}/sync`, { full: options['full'] === true }),
  },
  {
    noun: 'ats',
    verb: 'delete',
    description: 'Removes a connection that is disconnected; its records stay',
    argument: ATS_CONNECTION,
    begins: ['ats.remove'],
    async run({ client, argument }) {
      await client.call('DELETE', ats(argument));
      return { deleted: argument! };
    },
  },
  {
    noun: 'ats',
    verb: 'token',
    description: 'Adds a token of the webhook address, shown this once; or ends one',
    argument: ATS_CONNECTION,
    options: [
      { name: 'api_token', description: `one that is known already${FROM_INPUT}`, conflicts: ['remove'] },
      { name: 'remove', description: 'the id of the token to end (atk_…)' },
    ],
    async run(context) {
      const { api_token: token, remove } = given(context, 'api_token', 'remove');
      const path = `${ats(context.argument)}/tokens`;
      if (remove === undefined) {
        return context.client.call('POST', path, token === undefined ? {} : { api_token: fromInput(token) });
      }
      await context.client.call('DELETE', `${path}/${encode(remove)}`);
      return { removed: remove };
    },
  },
];

function headOf({ provider, title, credentials, marker }: Json): string {
  return `${String(title)} (${String(provider)}): connects by ${(credentials as string[]).join(' or ')}; ids begin with ${String(marker)}`;
}

const NEXT_STEPS: Readonly<Record<string, (id: string) => string>> = {
  credential: (id) => `nothing is read or written without a credential: ats set ${id} --key -`,
  as_user: (id) => `writes wait for a user of the ATS: ats users ${id}, then ats set ${id} --as-user <id>`,
};

/** Adds what to do about a connection that cannot read or write, for people. */
function withNextStep({ options }: Context, connection: Json): Json {
  const [first] = connection['missing'] as string[];
  const step = first === undefined ? undefined : NEXT_STEPS[first]?.(String(connection['id']));
  return options['json'] === true || step === undefined ? connection : { ...connection, next_step: step };
}

/** What a connector cannot do, in sentences. */
function limitsOf({ limits }: Json): string[] {
  return limits as string[];
}

/** Returns the address of a connection in the API. */
export function ats(argument: string | undefined): string {
  return `/ats-connections/${encode(argument!)}`;
}

function settingsOf(context: Context): Json {
  const { stages, candidates_since: since } = given(context, 'stages', 'candidates_since');
  const { link_target: link, scorecard_target: scorecard } = given(context, 'link_target', 'scorecard_target');
  const takes = {
    ...given(context, 'postings', 'candidates'),
    ...(stages === undefined ? {} : { stages: stages === 'any' ? null : stages.split(',').map((one) => one.trim()) }),
    ...(since === undefined ? {} : { since }),
  };
  const writes = {
    ...given(context, 'as_user', 'visibility', 'link_field', 'scorecard_field'),
    ...(link === undefined ? {} : { link_target: link === 'none' ? null : link }),
    ...(scorecard === undefined ? {} : { scorecard_target: scorecard === 'none' ? null : scorecard }),
  };
  const credential = credentialOf(context);
  return {
    ...given(context, 'name'),
    ...(Object.keys(takes).length === 0 ? {} : { takes }),
    ...(Object.keys(writes).length === 0 ? {} : { writes }),
    ...(credential === null ? {} : { credential }),
  };
}

function credentialOf(context: Context): Json | null {
  const { key, client_id: id, client_secret: secret, sub } = given(context, 'key', 'client_id', 'client_secret', 'sub');
  if (key !== undefined) return { kind: 'api_key', key: fromInput(key) };
  if (id === undefined) return null;
  if (secret === undefined) throw new CliError('--client-secret is required with --client-id.', EXIT.usage);
  const more = sub === undefined ? {} : { sub };
  return { kind: 'client_credentials', client_id: id, client_secret: fromInput(secret), ...more };
}

/** Arguments can be read by everybody on the machine; a secret need not be one. */
function fromInput(text: string): string {
  return text === '-' ? readFileSync(0, 'utf8').trim() : text;
}
