import { encode, type Json } from '../client/client.js';
import { CONFIRM, demandConfirmed } from '../command/confirmation.js';
import { columns, type Command } from '../command/command.js';
import { CONNECTION, connectionId } from '../references/connection-id.js';
import { changedFields, changeOptions, createOptions, newFields } from './connection-options.js';

export const CONNECTION_COMMANDS: Command[] = [
  create('oidc', 'Makes a connection to an IdP by OpenID Connect'),
  create('saml', 'Makes a connection to an IdP by SAML, from its metadata or from its fields'),
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
    description: 'Shows a connection, with the addresses for the admin of the IdP',
    argument: CONNECTION,
    async run(context) {
      const found = await context.client.call('GET', `/connections/${encode(await connectionId(context))}`);
      return context.options['json'] === true ? found : readable(found);
    },
  },
  {
    noun: 'connection',
    verb: 'set',
    description: 'Changes settings; another IdP or directory ends all its bindings and sessions',
    argument: CONNECTION,
    options: changeOptions(),
    async run(context) {
      // Options are checked before the first request.
      const fields = changedFields(context);
      return context.client.call('PATCH', `/connections/${encode(await connectionId(context))}`, fields);
    },
  },
  turn('enable', 'Lets users sign in through a connection', true),
  turn('disable', 'Disables a connection, and ends its sessions', false),
  {
    noun: 'connection',
    verb: 'delete',
    description: 'Deletes a connection, and ends its sessions',
    argument: { ...CONNECTION, required: true, description: 'its id or slug' },
    options: [CONFIRM],
    async run(context) {
      const id = await connectionId(context);
      const path = `/connections/${encode(id)}`;
      const { forgotten, kept } = await context.client.call('POST', `${path}/forget-subjects`, { dry_run: true });
      const { name } = await context.client.call('GET', path);
      const bound = Number(forgotten) + Number(kept);
      demandConfirmed(
        context,
        bound,
        `${bound} users sign in through ${String(name)}: their bindings and sessions end.`,
      );
      await context.client.call('DELETE', `/connections/${encode(id)}`);
      return { connection_id: id, deleted: true };
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
      const body = context.options['confirm'] === true ? { confirm: true } : {};
      const after = await context.client.call('POST', `/connections/${encode(id)}/refresh-metadata`, body);
      const { idp_entity_id, sso_url, certificates, metadata_checked_at } = after;
      const known = certificates as Json[];
      return { connection_id: id, idp_entity_id, sso_url, certificates: known.length, metadata_checked_at };
    },
  },
  {
    noun: 'connection',
    verb: 'check',
    description: 'Checks the IdP of an OIDC connection, without a sign-in',
    argument: CONNECTION,
    async run(context) {
      const id = await connectionId(context);
      return context.client.call('POST', `/connections/${encode(id)}/check`);
    },
  },
  {
    noun: 'connection',
    verb: 'forget-subjects',
    description: 'Releases the bindings of all users of a connection whose IdP sends other subjects now',
    argument: { ...CONNECTION, required: true, description: 'its id or slug' },
    options: [{ name: 'dry_run', description: 'counts, and changes nothing', flag: true }],
    async run(context) {
      const id = await connectionId(context);
      const body = { dry_run: context.options['dry_run'] === true };
      return context.client.call('POST', `/connections/${encode(id)}/forget-subjects`, body);
    },
  },
  {
    noun: 'connection',
    verb: 'test',
    description: 'Makes the address of a test sign-in, which shows the claims and changes nothing',
    argument: CONNECTION,
    async run(context) {
      const id = await connectionId(context);
      const link = await context.client.call('POST', `/connections/${encode(id)}/test-sign-in`);
      context.client.leaveKey();
      return link;
    },
  },
];

function create(type: 'oidc' | 'saml', description: string): Command {
  return {
    noun: 'connection',
    verb: `create-${type}`,
    description,
    options: createOptions(type),
    run: async (context) =>
      tell(await context.client.call('POST', '/connections', { type, ...newFields(context, type) })),
  };
}

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

/** Certificates by what people tell them apart by: until when they are, and the beginning of their fingerprint. */
function readable(connection: Json): Json {
  const lists = ['certificates', 'metadata_certificates'].filter((name) => Array.isArray(connection[name]));
  const words = (name: string): string[] =>
    (connection[name] as Json[]).map(
      ({ fingerprint, not_after }) => `until ${String(not_after).slice(0, 10)} (${String(fingerprint).slice(0, 16)}…)`,
    );
  return { ...connection, ...Object.fromEntries(lists.map((name) => [name, words(name)])) };
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
    'sp_slo_url',
    'signed_out_url',
    'backchannel_logout_url',
    'frontchannel_logout_url',
    'client_keys_url',
    'login_url',
  ];
  const told = names.filter((name) => made[name] != null).map((name) => [name, made[name]] as const);
  return { connection_id: made['id'], ...Object.fromEntries(told) };
}
