import { readFileSync } from 'node:fs';
import { CliError, EXIT } from '../cli.errors.js';
import { encode, type Json } from '../client.js';
import { columns, given, numbers, type Command, type CommandOption, type Context } from '../command.js';

const CONNECTION = { name: 'connection_id', required: false, description: 'not needed where there is only one' };

const COMMON: CommandOption[] = [
  { name: 'name', description: 'what the connection is called', required: true },
  { name: 'slug', description: 'names it in addresses; made from the name unless set' },
  { name: 'directory_id', description: 'the directory whose people sign in here' },
  { name: 'link_claim', description: 'the claim that equals SCIM externalId' },
  { name: 'jit', description: 'makes people who are not there yet', flag: true },
  { name: 'default_role', description: 'the role of whom it makes, User unless set' },
  { name: 'return_origins', description: 'other applications, with commas between' },
];
const COMMON_TEXTS = ['name', 'slug', 'directory_id', 'link_claim', 'default_role'];

export const CONNECTION_COMMANDS: Command[] = [
  {
    noun: 'connection',
    verb: 'create-oidc',
    description: 'Makes a connection to an IdP by OpenID Connect',
    options: [
      ...COMMON,
      { name: 'issuer', description: 'exactly as the IdP writes it', required: true },
      { name: 'client_id', description: 'how the IdP knows us', required: true },
      { name: 'client_secret', description: 'the IdP’s secret for us; - reads it from standard input' },
      { name: 'token_auth', description: 'client_secret_basic (unless set), client_secret_post or private_key_jwt' },
      { name: 'scopes', description: 'with commas between; openid,profile,email unless set' },
      { name: 'id_token_alg', description: 'RS256, PS256, ES256 or EdDSA, if only that' },
      { name: 'user_info', description: 'optional (unless set), required or never' },
      { name: 'max_age_seconds', description: 'how old a sign-in at the IdP may be' },
      { name: 'acr_values', description: 'with commas between; one of them has to be the acr' },
    ],
    async run(context) {
      const names = ['issuer', 'client_id', 'client_secret', 'token_auth', 'id_token_alg', 'user_info'];
      const body = given(context, ...COMMON_TEXTS, ...names);
      // Arguments can be read by everybody on the machine; a secret need not be one.
      if (body['client_secret'] === '-') body['client_secret'] = readFileSync(0, 'utf8').trim();
      return tell(
        await context.client.call('POST', '/connections', {
          type: 'oidc',
          ...body,
          ...flags(context, 'jit'),
          ...lists(context, 'return_origins', 'scopes', 'acr_values'),
          ...numbers(context, 'max_age_seconds'),
        }),
      );
    },
  },
  {
    noun: 'connection',
    verb: 'create-saml',
    description: 'Makes a connection to an IdP by SAML, from its metadata or from its fields',
    options: [
      ...COMMON,
      { name: 'metadata_url', description: 'the IdP’s metadata, read again every day' },
      { name: 'metadata_file', description: 'a file with the IdP’s metadata' },
      { name: 'idp_entity_id', description: 'who the IdP is' },
      { name: 'sso_url', description: 'where it signs people in' },
      { name: 'sso_binding', description: 'redirect (unless set) or post' },
      { name: 'slo_url', description: 'where it signs people out' },
      { name: 'slo_binding', description: 'redirect (unless set) or post' },
      { name: 'certificate_file', description: 'a PEM file with its certificates' },
      { name: 'signed', description: 'assertion (unless set), response or both' },
      { name: 'allow_idp_initiated', description: 'takes what nobody asked for', flag: true },
      { name: 'name_id_format', description: 'the format that is asked for' },
      { name: 'sp_entity_id', description: 'who we are to it; the address of our metadata unless set' },
      { name: 'clock_skew_seconds', description: '60 unless set' },
    ],
    async run(context) {
      const names = ['metadata_url', 'idp_entity_id', 'sso_url', 'sso_binding', 'slo_url', 'slo_binding', 'signed'];
      const files = given(context, 'metadata_file', 'certificate_file');
      const { metadata_file: metadata, certificate_file: certificates } = files;
      return tell(
        await context.client.call('POST', '/connections', {
          type: 'saml',
          ...given(context, ...COMMON_TEXTS, ...names, 'name_id_format', 'sp_entity_id'),
          ...(metadata === undefined ? {} : { metadata_xml: contentOf(metadata) }),
          ...(certificates === undefined ? {} : { certificates: certificatesIn(certificates) }),
          ...flags(context, 'jit', 'allow_idp_initiated'),
          ...lists(context, 'return_origins'),
          ...numbers(context, 'clock_skew_seconds'),
        }),
      );
    },
  },
  {
    noun: 'connection',
    verb: 'list',
    description: 'Lists the connections',
    async run({ client }) {
      return columns(await client.list('/connections'), 'id', 'slug', 'type', 'name', 'enabled', 'metadata_problem');
    },
  },
  {
    noun: 'connection',
    verb: 'show',
    description: 'Shows a connection, with what the admin of the IdP has to be told',
    argument: CONNECTION,
    run: async (context) => context.client.call('GET', `/connections/${encode(await connectionId(context))}`),
  },
  turn('enable', 'Lets people sign in through a connection', true),
  turn('disable', 'Lets nobody sign in through a connection, and signs out who has', false),
  {
    noun: 'connection',
    verb: 'delete',
    description: 'Deletes a connection, and signs out who is signed in through it',
    argument: { ...CONNECTION, required: true, description: 'its id' },
    async run({ client, argument }) {
      await client.call('DELETE', `/connections/${encode(argument!)}`);
      return { connection_id: argument, deleted: true };
    },
  },
  {
    noun: 'connection',
    verb: 'refresh-metadata',
    description: 'Reads the metadata of a SAML IdP again',
    argument: CONNECTION,
    options: [{ name: 'confirm', description: 'also another entity id, or none of the known keys', flag: true }],
    async run(context) {
      const id = await connectionId(context);
      const body = flags(context, 'confirm');
      const after = await context.client.call('POST', `/connections/${encode(id)}/refresh-metadata`, body);
      const { idp_entity_id, sso_url, certificates, metadata_checked_at } = after;
      const known = certificates as Json[];
      return { connection_id: id, idp_entity_id, sso_url, certificates: known.length, metadata_checked_at };
    },
  },
  {
    noun: 'connection',
    verb: 'check',
    description: 'Looks at the IdP of an OIDC connection without signing anybody in',
    argument: CONNECTION,
    async run(context) {
      const id = await connectionId(context);
      return context.client.call('POST', `/connections/${encode(id)}/check`);
    },
  },
  {
    noun: 'connection',
    verb: 'test',
    description: 'An address for a test sign-in, to be opened once: shows the claims and changes nothing',
    argument: CONNECTION,
    async run(context) {
      const id = await connectionId(context);
      return context.client.call('POST', `/connections/${encode(id)}/test-sign-in`);
    },
  },
];

function turn(verb: string, description: string, enabled: boolean): Command {
  return {
    noun: 'connection',
    verb,
    description,
    argument: CONNECTION,
    async run(context) {
      const id = await connectionId(context);
      const changed = await context.client.call('PATCH', `/connections/${encode(id)}`, { enabled });
      return { connection_id: id, name: changed['name'], enabled: changed['enabled'] };
    },
  };
}

/** Of a new connection, what goes into the IdP. */
function tell(made: Json): Json {
  const names = [
    'slug',
    'type',
    'name',
    'callback_url',
    'entity_id',
    'sp_metadata_url',
    'client_keys_url',
    'login_url',
  ];
  const told = names.filter((name) => made[name] != null).map((name) => [name, made[name]] as const);
  return { connection_id: made['id'], ...Object.fromEntries(told) };
}

function flags(context: Context, ...names: string[]): Json {
  return Object.fromEntries(names.filter((name) => context.options[name] === true).map((name) => [name, true]));
}

function lists(context: Context, ...names: string[]): Json {
  const texts = Object.entries(given(context, ...names));
  return Object.fromEntries(texts.map(([name, text]) => [name, text.split(',').map((part) => part.trim())]));
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new CliError(`${file} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'}).`, EXIT.usage);
  }
}

function certificatesIn(file: string): string[] {
  const found = contentOf(file).match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g);
  if (found === null) throw new CliError(`${file} holds no certificate in PEM form.`, EXIT.usage);
  return found;
}

async function connectionId({ client, argument }: Context): Promise<string> {
  if (argument !== undefined) return argument;
  const all = await client.list('/connections');
  if (all.length === 1) return all[0]!['id'] as string;
  throw new CliError(
    all.length === 0 ? 'There is no connection yet.' : 'There are several connections: name one by its id.',
    EXIT.usage,
  );
}
