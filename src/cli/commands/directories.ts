import { CliError, EXIT } from '../client/cli.errors.js';
import { encode, type Client, type Json } from '../client/client.js';
import { CONFIRM, demandConfirmed } from '../command/confirmation.js';
import { columns, given, nothingToChange, numbers, type Command, type Context } from '../command/command.js';
import { changesOf, MAPPED } from './directory-changes.js';
import { GUARD_COMMANDS } from './guard.js';
import { DIRECTORY, directoryId } from '../references/directory-id.js';

const PROFILES = ['tolerant', 'entra', 'okta', 'strict', 'ipsie'];
const ON_MATCH = ['link', 'refuse'];

export const DIRECTORY_COMMANDS: Command[] = [
  {
    noun: 'directory',
    verb: 'create',
    description: 'Makes a directory and its first SCIM token, which is shown only once',
    options: [
      { name: 'name', description: 'what the directory is called', required: true },
      { name: 'profile', description: 'tolerant unless set', choices: PROFILES },
      { name: 'state', description: 'live unless set', choices: ['live', 'preview'] },
      { name: 'default_role', description: 'User unless set; none: no role until a rule gives one' },
      { name: 'on_match', description: 'link unless set', choices: ON_MATCH },
      {
        name: 'takes_over',
        description: 'the directory whose users it takes over: its id or name',
        refers: 'directory',
      },
      { name: 'replace_creates_missing', description: 'a replace that matches nothing creates the value', flag: true },
      { name: 'may_grant_console', description: 'SCIM roles may give a role that administers', flag: true },
      { name: 'guard', description: 'on unless set', choices: ['on', 'off'] },
    ],
    async run(context) {
      const { default_role, ...rest } = given(
        context,
        'name',
        'profile',
        'state',
        'default_role',
        'on_match',
        'takes_over',
        'guard',
      );
      const role = default_role === undefined ? {} : { default_role: default_role === 'none' ? null : default_role };
      const flags = ['replace_creates_missing', 'may_grant_console'].filter((name) => context.options[name] === true);
      const allowed = Object.fromEntries(flags.map((name) => [name, true]));
      const made = await context.client.call('POST', '/directories', { ...rest, ...role, ...allowed });
      const { id, name, profile, state, scim_base_url, scim_token } = made;
      const me = await context.client.call<{ tenant: { id: string } }>('GET', '/me');
      return { tenant_id: me.tenant.id, directory_id: id, name, profile, state, scim_base_url, scim_token };
    },
  },
  {
    noun: 'directory',
    verb: 'list',
    description: 'Lists the directories',
    async run({ client }) {
      return columns(
        await client.list('/directories'),
        'id',
        'name',
        'profile',
        'state',
        'last_request_at',
        'last_refusal',
        'last_unknown_role',
      );
    },
  },
  {
    noun: 'directory',
    verb: 'show',
    description: 'Shows a directory: settings, counts, last request, last refused credential',
    argument: DIRECTORY,
    run: async (context) => context.client.call('GET', `/directories/${encode(await directoryId(context))}`),
  },
  {
    noun: 'directory',
    verb: 'set',
    description: 'Changes settings; live, preview and guard have verbs of their own',
    argument: DIRECTORY,
    options: [
      { name: 'name', description: 'what the directory is called' },
      { name: 'profile', description: 'what the IdP may send', choices: PROFILES },
      { name: 'default_role', description: 'the role of users without another one; none: no role' },
      { name: 'on_match', description: 'the effect of a POST that matches one existing user', choices: ON_MATCH },
      {
        name: 'takes_over',
        description: 'the directory whose users it takes over: its id or name; or none',
        refers: 'directory',
      },
      {
        name: 'replace_creates_missing',
        description: 'a replace that matches nothing creates the value',
        choices: ['on', 'off'],
      },
      { name: 'may_grant_console', description: 'SCIM roles may give a role that administers', choices: ['on', 'off'] },
      {
        name: 'allow_from',
        description: 'networks from which requests come, with commas between; none: from everywhere',
      },
      {
        name: 'custom_attributes',
        description:
          'all of the customer’s own attributes: `badge:string,levels:integer[]` ([]: several values); none: no one',
      },
      ...MAPPED.map((field) => ({
        name: `map_${field}`,
        description: `the SCIM attribute that feeds ${field}, or none: the usual way`,
      })),
    ],
    begins: ['rules-changed'],
    async run(context) {
      const body = changesOf(context);
      if (Object.keys(body).length === 0) throw nothingToChange('directory set', '--default-role');
      return context.client.call('PATCH', `/directories/${encode(await directoryId(context))}`, body);
    },
  },
  {
    noun: 'directory',
    verb: 'delete',
    description: 'Deletes a directory; its users stay as they are, and no directory manages them',
    argument: { ...DIRECTORY, required: true, description: 'its id or name' },
    options: [CONFIRM],
    async run(context) {
      const id = await directoryId(context);
      const { name, users: held, groups } = await context.client.call('GET', `/directories/${encode(id)}`);
      const users = Number(held);
      demandConfirmed(
        context,
        users,
        `The directory ${String(name)} has ${users} users and ${String(groups)} groups. The users stay as they are, no directory ` +
          'manages them any more, and the tokens of the IdP end.',
      );
      await context.client.call('DELETE', `/directories/${encode(id)}`);
      return { directory_id: id, deleted: true };
    },
  },
  {
    noun: 'directory',
    verb: 'rotate-token',
    description: 'Makes a new SCIM token; the newest one stays valid for an overlap',
    argument: DIRECTORY,
    options: [
      { name: 'overlap_seconds', description: 'how long the old one stays valid, a day unless set' },
      {
        name: 'expires_at',
        description: 'when the new one ends, or `never`; else it lives as long as the old one was made for',
      },
    ],
    async run(context) {
      const { client } = context;
      const id = await directoryId(context);
      const end = given(context, 'expires_at');
      const body = {
        ...(end['expires_at'] === 'never' ? { expires_at: null } : end),
        ...numbers(context, 'overlap_seconds'),
      };
      const now = Date.now();
      const valid = (await client.list(`/directories/${encode(id)}/tokens`)).filter(
        (token) =>
          token['revoked_at'] === null &&
          (token['expires_at'] === null || Date.parse(token['expires_at'] as string) > now),
      );
      const made = await rotate(client, id, valid, body);
      return { directory_id: id, scim_base_url: made['scim_base_url'], scim_token: made['scim_token'] };
    },
  },
  change('preview', 'Accepts and shows everything, without effect', () => ({ state: 'preview' })),
  {
    ...change('live', 'Applies the preview once, and goes live', ({ options }) => ({
      state: 'live',
      ...(options['confirm'] === true ? { confirm: true } : {}),
    })),
    options: [{ name: 'confirm', description: 'although users will wait for a seat', flag: true }],
    begins: ['preview-live', 'rules-changed'],
  },
  {
    ...change('guard', 'Sets the figures of the guard against mass departures', (context) => {
      const { policy } = given(context, 'policy');
      const figures = numbers(context, 'percent', 'people', 'at_least', 'within_minutes', 'day_percent');
      const some = Object.keys(figures).length > 0;
      if (policy === 'off' && some) throw new CliError('--policy off has no figures.', EXIT.usage);
      // Figures switch the guard on; `on` alone would set the usual ones.
      if (some) return { guard: figures };
      if (policy !== undefined) return { guard: policy };
      throw new CliError('Say --policy on, --policy off, or figures.', EXIT.usage);
    }),
    options: [
      { name: 'policy', description: 'on: with the default figures, or those that are given', choices: ['on', 'off'] },
      { name: 'percent', description: 'share of the users, in percent' },
      { name: 'people', description: 'number of users' },
      { name: 'at_least', description: 'the smallest number of users that counts' },
      { name: 'within_minutes', description: 'the span that is looked at' },
      { name: 'day_percent', description: 'share of the users within a day' },
    ],
  },
  ...GUARD_COMMANDS,
];

function change(verb: string, description: string, body: (context: Context) => Json): Command {
  return {
    noun: 'directory',
    verb,
    description,
    argument: DIRECTORY,
    async run(context) {
      const id = await directoryId(context);
      const changed = await context.client.call('PATCH', `/directories/${encode(id)}`, body(context));
      return { directory_id: id, name: changed['name'], state: changed['state'], guard: changed['guard'] };
    },
  };
}

async function rotate(client: Client, id: string, valid: Json[], body: Json): Promise<Json> {
  const path = `/directories/${encode(id)}/tokens`;
  const [newest] = valid;
  if (newest === undefined) return client.call('POST', path, { name: 'token', ...omit(body, 'overlap_seconds') });
  return client.call('POST', `${path}/${encode(newest['id'] as string)}/rotate`, body);
}

function omit(record: Json, name: string): Json {
  const { [name]: _, ...rest } = record;
  return rest;
}
