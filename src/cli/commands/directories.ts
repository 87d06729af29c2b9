import { CliError, EXIT } from '../cli.errors.js';
import { encode, type Client, type Json } from '../client.js';
import { columns, given, numbers, type Command, type Context } from '../command.js';

const DIRECTORY = { name: 'directory_id', required: false, description: 'not needed where there is only one' };

export const DIRECTORY_COMMANDS: Command[] = [
  {
    noun: 'directory',
    verb: 'create',
    description: 'Makes a directory and its first SCIM token, which is shown this once',
    options: [
      { name: 'name', description: 'what the directory is called', required: true },
      { name: 'profile', description: 'tolerant (unless set), entra, okta, strict or ipsie' },
      { name: 'state', description: 'live (unless set) or preview' },
      { name: 'default_role', description: 'User unless set; none: none yet' },
      { name: 'on_match', description: 'link (unless set) or refuse' },
      { name: 'takes_over', description: 'the directory whose people it takes over' },
      { name: 'replace_creates_missing', description: 'a replace that matches nothing makes the value', flag: true },
      { name: 'guard', description: 'on (unless set) or off' },
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
      const lenient = context.options['replace_creates_missing'] === true ? { replace_creates_missing: true } : {};
      const made = await context.client.call('POST', '/directories', { ...rest, ...role, ...lenient });
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
    verb: 'rotate-token',
    description: 'Makes a new SCIM token in place of the newest one, which holds for a while yet',
    argument: DIRECTORY,
    options: [
      { name: 'overlap_seconds', description: 'how long the old one still holds, a day unless set' },
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
  change('preview', 'Accepts and shows everything, and lets nothing happen', () => ({ state: 'preview' })),
  {
    noun: 'directory',
    verb: 'plan',
    description: 'Counts what a directory in preview would do if it went live now',
    argument: DIRECTORY,
    async run(context) {
      const plan = await context.client.call(
        'GET',
        `/directories/${encode(await directoryId(context))}/preview?limit=1`,
      );
      return { state: plan['state'], ...(plan['counts'] as Json), seats_free: plan['seats_free'] };
    },
  },
  {
    ...change('live', 'Lets happen what was only shown, once', ({ options }) => ({
      state: 'live',
      ...(options['confirm'] === true ? { confirm: true } : {}),
    })),
    options: [{ name: 'confirm', description: 'although users will wait for a seat', flag: true }],
  },
  {
    ...change('guard', 'Sets when mass departures are held', (context) => {
      const { policy } = given(context, 'policy');
      const figures = numbers(context, 'percent', 'people', 'at_least', 'within_minutes', 'day_percent');
      if (policy !== undefined) return { guard: policy };
      if (Object.keys(figures).length > 0) return { guard: figures };
      throw new CliError('Say --policy on, --policy off, or figures.', EXIT.usage);
    }),
    options: [
      { name: 'policy', description: 'on or off' },
      { name: 'percent', description: 'share of the people' },
      { name: 'people', description: 'number of people' },
      { name: 'at_least', description: 'never for fewer' },
      { name: 'within_minutes', description: 'the span that is looked at' },
      { name: 'day_percent', description: 'share of the people within a day' },
    ],
  },
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

async function directoryId({ client, argument }: Context): Promise<string> {
  if (argument !== undefined) return argument;
  const all = await client.list('/directories');
  if (all.length === 1) return all[0]!['id'] as string;
  throw new CliError(
    all.length === 0 ? 'There is no directory yet.' : 'There are several directories: name one by its id.',
    EXIT.usage,
  );
}
