import { readFileSync } from 'node:fs';
import { OPERATIONS, type ApiField } from '../api/operations.js';
import type { Json } from '../client/client.js';
import { CliError, EXIT } from '../client/cli.errors.js';
import { demandConfirmed } from '../command/command.js';
import type { CommandFacts, FactsTable, OptionFacts } from '../made/values.js';
import { picked } from '../made/made-command.js';

const FIELDS = OPERATIONS.find(({ call }) => call === 'POST /connections')?.body ?? [];
const CLAIM_MAP: ApiField = {
  name: 'claim_map',
  type: 'json',
  about: 'which claim feeds which field, such as email=mail,role=groups',
};

const SETTINGS: Readonly<Record<string, OptionFacts | string>> = {
  claim_map: { read: (text, option) => pairsIn(text, option, 'first') },
  role_map: {
    description: 'which value of the role claim gives which role, as value=role,…',
    read: (text, option) => pairsIn(text, option, 'last'),
  },
  certificate_file: {
    of: 'certificates',
    description: 'a PEM file with its certificates, all of them',
    read: certificatesIn,
  },
  metadata_certificate_file: {
    of: 'metadata_certificates',
    description: 'a PEM file; one of its certificates has to have signed the metadata',
    read: certificatesIn,
  },
  metadata_file: { of: 'metadata_xml', description: 'a file with the IdP’s metadata', read: contentOf },
  client_id: 'the client id at the IdP',
  sso_url: 'where it signs users in',
  slo_url: 'where it signs users out',
};
const LEAVES = ['enabled', 'type', ...FIELDS.map(({ name }) => name).filter((name) => name.startsWith('claim_map.'))];

/** Connections to IdPs, and e-mail domains. */
export const CONNECTION_FACTS: FactsTable = {
  'connection create-oidc': creating('oidc', 'Makes a connection to an IdP by OpenID Connect'),
  'connection create-saml': creating(
    'saml',
    'Makes a connection to an IdP by SAML, from its metadata or from its fields',
  ),
  'connection list': { limit: 1_000, fields: 'id slug type name enabled metadata_problem' },
  'connection show': { shown: readable },
  'connection set': {
    of: 'PATCH /connections/{connection_id}',
    options: {
      ...SETTINGS,
      role_map: { ...(SETTINGS['role_map'] as OptionFacts), words: { none: {} } },
      metadata_certificate_file: { ...(SETTINGS['metadata_certificate_file'] as OptionFacts), words: { none: [] } },
    },
    adds: [CLAIM_MAP],
    without: [...LEAVES, 'slug'],
    unchecked: FIELDS.map(({ name }) => name),
    example: 'name',
  },
  'connection enable': turning(true, 'Lets users sign in through a connection'),
  'connection disable': turning(false, 'Disables a connection, and ends its sessions'),
  'connection delete': {
    async confirm(context, path) {
      const { forgotten, kept } = await context.client.call('POST', `${path}/forget-subjects`, { dry_run: true });
      const { name } = await context.client.call('GET', path);
      const bound = Number(forgotten) + Number(kept);
      demandConfirmed(
        context,
        bound,
        `${bound} users sign in through ${String(name)}: their bindings and sessions end.`,
      );
    },
  },
  'connection refresh-metadata': {
    answer: ({ certificates, ...after }, { argument }) => ({
      connection_id: argument,
      ...picked(after, 'idp_entity_id sso_url'),
      certificates: (certificates as Json[]).length,
      metadata_checked_at: after['metadata_checked_at'],
    }),
  },
  'connection forget-subjects': { argument: { required: true } },
  'connection test': {
    of: 'POST /connections/{connection_id}/test-sign-in',
    about: 'Makes the address of a test sign-in, which shows the claims and changes nothing',
    answer(link, { client }) {
      client.leaveKey();
      return link;
    },
  },
  'domain add': {
    of: 'POST /domains',
    argument: { of: 'domain', description: 'such as example.com' },
    answer: ({ domain, state, dns_record }) => ({ domain, state, ...(dns_record as Json) }),
  },
  'domain bind': {
    of: 'PATCH /domains/{domain}',
    options: { connection_id: { required: true } },
    fields: 'domain state connection_id verified_by verified_at',
  },
  'domain verify': { fields: 'domain state connection_id verified_by verified_at' },
  'domain list': { limit: 1_000, fields: 'domain state connection_id verified_by verified_at checked_at problem' },
  'domain remove': { of: 'DELETE /domains/{domain}' },
  'domain trust': {
    of: 'PUT /tenants/{tenant_id}/domains/{domain}',
    options: { connection_id: { words: {} } },
    fields: 'domain state connection_id verified_by verified_at',
  },
};

function creating(type: 'oidc' | 'saml', about: string): CommandFacts {
  const other = type === 'oidc' ? /^SAML\b/ : /^OIDC\b/;
  return {
    of: 'POST /connections',
    about,
    fixed: { type },
    options: {
      ...SETTINGS,
      ...(type === 'oidc' ? { issuer: { required: true }, client_id: { required: true } } : {}),
      sign_requests: { words: { on: true, off: false } },
      disabled: {
        of: 'enabled',
        description: 'no user signs in through it until it is enabled',
        flag: true,
        words: { true: false },
      },
    },
    adds: [CLAIM_MAP],
    without: [
      ...LEAVES.filter((name) => name !== 'enabled'),
      ...FIELDS.filter((field) => other.test(field.about)).map(({ name }) => name),
    ],
    unchecked: FIELDS.map(({ name }) => name),
    answer: (made) => ({
      connection_id: made['id'],
      ...Object.fromEntries(TOLD.filter((name) => made[name] != null).map((name) => [name, made[name]])),
    }),
  };
}

/** Of a new connection, what goes into the IdP. */
const TOLD = [
  ...['slug', 'type', 'name', 'callback_url', 'entity_id', 'sp_metadata_url', 'sp_slo_url', 'signed_out_url'],
  ...['backchannel_logout_url', 'frontchannel_logout_url', 'client_keys_url', 'login_url'],
];

function turning(enabled: boolean, about: string): CommandFacts {
  const of = 'PATCH /connections/{connection_id}';
  return { of, about, fixed: { enabled }, only: [], fields: 'connection_id=id name enabled' };
}

/** Certificates by what people tell them apart by: until when they are, and the beginning of their fingerprint. */
function readable(connection: Json): Json {
  const lists = ['certificates', 'metadata_certificates'].filter((name) => Array.isArray(connection[name]));
  const words = (name: string): string[] =>
    (connection[name] as Json[]).map(
      ({ fingerprint, not_after }) => `until ${String(not_after).slice(0, 10)} (${String(fingerprint).slice(0, 16)}…)`,
    );
  return { ...connection, ...Object.fromEntries(lists.map((name) => [name, words(name)])) };
}

/**
 * `a=b,c=d` as an object, or the object itself as JSON where names have commas. A claim's field is before the first `=`, and
 * nothing after it takes it away; a role is after the last one, since values can be such as CN=Admins.
 */
function pairsIn(text: string, option: string, at: 'first' | 'last'): Json {
  if (text.trimStart().startsWith('{')) {
    try {
      return JSON.parse(text) as Json;
    } catch {
      return usage(`${option} is no JSON.`);
    }
  }
  return Object.fromEntries(
    text.split(',').map((pair) => {
      const place = at === 'first' ? pair.indexOf('=') : pair.lastIndexOf('=');
      if (place <= 0) return usage(`${option} is written as a=b,c=d, or as JSON.`);
      const value = pair.slice(place + 1).trim();
      return [pair.slice(0, place).trim(), at === 'first' && value === '' ? null : value];
    }),
  );
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    return usage(`${file} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'}).`);
  }
}

function certificatesIn(file: string): string[] {
  const found = contentOf(file).match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g);
  return found ?? usage(`${file} holds no certificate in PEM form.`);
}

function usage(message: string): never {
  throw new CliError(message, EXIT.usage);
}
