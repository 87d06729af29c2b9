import { CliError, EXIT } from '../client/cli.errors.js';
import type { Json } from '../client/client.js';
import { numbers, type CommandOption, type Context, demandConfirmed } from '../command/command.js';
import { picked } from '../made/made-command.js';
import { type CommandFacts, type FactsTable, type OptionFacts, withoutCommas } from '../made/values.js';
import { recordText, withoutControls } from '../output/output.js';
import { stepped } from '../output/words.js';

const SETTINGS: Readonly<Record<string, OptionFacts | string>> = {
  guard: { choices: ['on', 'off'], description: 'on unless set', read: (text) => text },
  custom_attributes: {
    description:
      'all of the customer’s own attributes: `badge:string,levels:integer[]` ([]: several values); none: no one',
    words: { none: [] },
    read: attributesIn,
  },
  ...Object.fromEntries(
    ['external_id', 'email', 'first_name', 'last_name'].map((field) => [
      `map_${field}`,
      { of: `attribute_map.${field}`, description: `the SCIM attribute that feeds ${field}, or none: the usual way` },
    ]),
  ),
};
const MAPPED = ['external_id', 'email', 'first_name', 'last_name'].map((field) => `attribute_map.${field}`);

/** A task about the users of a directory: one user or all, and the number that its caller expects. */
const COUNTED: CommandFacts = {
  options: {
    user: {
      of: 'user_ids',
      description: 'one user: id, e-mail, external_id or userName',
      refers: 'user',
      read: (id) => [id],
    },
    count: 'the number of the dry run: where it is another one by now, nothing is done',
    administrators: 'how many of them administer the tenant, as the dry run says',
    dry_run: 'counts, and changes nothing',
  },
  extra: [{ name: 'all', description: 'all of them', flag: true }],
  check({ options }) {
    const isDry = options['dry_run'] === true;
    if (isDry || (options['user'] === undefined) === (options['all'] === true)) return;
    throw new CliError('Say either --user or --all.', EXIT.usage);
  },
};

const STATE = { of: 'PATCH /directories/{directory_id}', fields: 'directory_id=id name state guard' };
const FIGURES: readonly CommandOption[] = [
  { name: 'policy', description: 'on: with the default figures, or those that are given', choices: ['on', 'off'] },
  { name: 'percent', description: 'share of the users, in percent' },
  { name: 'people', description: 'number of users' },
  { name: 'at_least', description: 'the smallest number of users that counts' },
  { name: 'within_minutes', description: 'the span that is looked at' },
  { name: 'day_percent', description: 'share of the users within a day' },
];

const CLIENT = { client: { of: 'client_id', description: 'the id of the client' } };
const REQUESTS: CommandFacts = {
  limit: 200,
  columns: 'at method path status outcome held code user_id user_name? detail id',
  options: {
    user: {
      description: 'a user: id, e-mail, userName or the beginning of a name; refused requests with this userName too',
      refers: undefined,
    },
  },
};

/** Directories with their guard, plan, groups, tokens, clients and requests. */
export const DIRECTORY_FACTS: FactsTable = {
  'directory create': {
    options: { ...SETTINGS, default_role: { description: 'User unless set; none: no role', words: { none: null } } },
    unchecked: MAPPED,
    async answer(made, { client }) {
      const { tenant } = await client.call<{ tenant: { id: string } }>('GET', '/me');
      return { tenant_id: tenant.id, ...picked(made, 'directory_id=id name profile state scim_base_url scim_token') };
    },
  },
  'directory list': { limit: 1_000, fields: 'id name profile state last_request_at last_refusal last_unknown_role' },
  'directory set': {
    of: 'PATCH /directories/{directory_id}',
    about: 'Changes settings; live, preview and guard have verbs of their own',
    options: SETTINGS,
    without: ['state', 'confirm', 'guard'],
    unchecked: MAPPED,
    example: 'default_role',
    begins: ['rules-changed'],
  },
  'directory delete': {
    async confirm(context, path) {
      const { name, users, groups } = await context.client.call('GET', path);
      demandConfirmed(
        context,
        Number(users),
        `The directory ${String(name)} has ${Number(users)} users and ${String(groups)} groups. The users stay as they are, no directory ` +
          'manages them any more, and the tokens of the IdP end.',
      );
    },
  },
  'directory preview': {
    ...STATE,
    about: 'Accepts and shows everything, without effect',
    fixed: { state: 'preview' },
    only: [],
  },
  'directory live': {
    ...STATE,
    about: 'Applies the preview once, and goes live',
    fixed: { state: 'live' },
    only: ['confirm', 'administrators'],
    options: {
      confirm: 'although users will wait for a seat',
      administrators: 'how many administrators lose the console by it, as the plan says',
    },
    begins: ['preview-live', 'rules-changed'],
  },
  'directory guard': {
    ...STATE,
    about: 'Sets the figures of the guard against mass departures',
    only: [],
    extra: FIGURES,
    check({ options }) {
      if (FIGURES.some(({ name }) => options[name] !== undefined)) return;
      throw new CliError('Say --policy on, --policy off, or figures.', EXIT.usage);
    },
    body: guardOf,
  },
  'directory guard show': {
    of: 'GET /directories/{directory_id}/guard',
    limit: null,
    shown: ({ departures, ...figures }) => ({
      ...figures,
      left: ((departures as Json)['data'] as Json[]).map((one) => picked(one, 'user_id email how at')),
    }),
  },
  'directory guard release': COUNTED,
  'directory guard discard': { ...COUNTED, without: ['administrators'] },
  'directory guard undo': { ...COUNTED, without: ['administrators'] },
  'directory plan': {
    of: 'GET /directories/{directory_id}/preview',
    about: 'Counts the users that a directory in preview would change if it went live now',
    limit: null,
    only: [],
    answer: ({ counts, seats_free, ...plan }) => ({
      ...picked(plan, 'state made_at stale task_id'),
      ...(counts as Json | null),
      seats_free,
    }),
  },
  'directory plan users': {
    of: 'GET /directories/{directory_id}/preview',
    about: 'Lists the users that a directory in preview would change if it went live now',
    fields: 'user_id user_name would fields take_seat held steps',
    columns: 'user_name would role status seat console fields held user_id',
    shown: stepped,
  },
  'directory plan make': { of: 'POST /directories/{directory_id}/preview/plan' },
  'directory unlinked': { fields: 'user_id user_name email role seat held updated_at' },
  'directory unlinked deactivate': COUNTED,
  'directory groups': { limit: 200, fields: 'id display_name external_id members pending_members updated_at' },
  'directory pending': {
    of: 'GET /directories/{directory_id}/pending-members',
    limit: 200,
    fields: 'group_id group member_id display since',
  },
  'directory requests': REQUESTS,
  'request list': REQUESTS,
  'request show': {
    answer({ body, ...fields }, { options }) {
      if (options['json'] === true || body === null) return { ...fields, body };
      return `${recordText(fields)}body\n${withoutControls(JSON.stringify(body, null, 2))}\n`;
    },
  },
  'directory tokens': {
    limit: 1_000,
    fields: 'id name prefix last_used_at requests_last_day dialect expires_at revoked_at',
  },
  'directory revoke-token': {
    of: 'DELETE /directories/{directory_id}/tokens/{token_id}',
    options: { token: { of: 'token_id' } },
  },
  'directory clients': { limit: 1_000, columns: 'id name kind last_used_at requests_last_day dialect revoked_at' },
  'directory clients create': { fields: 'client_id=id kind token_url scim_base_url client_secret?' },
  'directory clients show': { options: CLIENT },
  'directory clients delete': { options: CLIENT },
  'directory clients delete-secret': {
    of: 'DELETE /directories/{directory_id}/clients/{client_id}/secrets/{secret_id}',
    options: { ...CLIENT, secret: { of: 'secret_id' } },
  },
  'directory rotate-client-secret': {
    of: 'POST /directories/{directory_id}/clients/{client_id}/secrets',
    about: 'Makes a new secret of a client; the present one stays valid for an overlap',
    options: {
      ...CLIENT,
      overlap_seconds: { description: 'how long the present one stays valid, a day unless set', unless: 86_400 },
    },
    fields: 'client_id client_secret expires_at',
  },
};

/** Returns the guard that the options say: figures switch it on; `on` alone sets the usual ones. */
function guardOf(_: Json, context: Context): Json {
  const { policy } = context.options;
  const figures = numbers(context, 'percent', 'people', 'at_least', 'within_minutes', 'day_percent');
  const some = Object.keys(figures).length > 0;
  if (policy === 'off' && some) throw new CliError('--policy off has no figures.', EXIT.usage);
  return { guard: some ? figures : policy };
}

/** Reads attributes as `name:type`, or `name:type[]` for several values. */
function attributesIn(text: string, option: string): Json[] {
  return withoutCommas(text).map((one) => {
    const [name = '', kind = ''] = one.split(':').map((part) => part.trim());
    if (kind === '') throw new CliError(`${option}: "${one}" needs a type, such as ${name}:string.`, EXIT.usage);
    return { name, type: kind.replace(/\[\]$/, ''), multi_valued: kind.endsWith('[]') };
  });
}
