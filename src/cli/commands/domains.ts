import { encode, type Client, type Json } from '../client/client.js';
import { columns, given, type Command, type CommandOption, type Context } from '../command/command.js';

const DOMAIN = { name: 'domain', required: true, description: 'such as example.com' };
const BOUND: CommandOption = {
  name: 'connection_id',
  description: 'the connection that its users sign in through: its id or slug',
  refers: 'connection',
};

export const DOMAIN_COMMANDS: Command[] = [
  {
    noun: 'domain',
    verb: 'add',
    description: 'Adds a domain, and prints the DNS record that proves it',
    argument: DOMAIN,
    options: [BOUND],
    async run(context) {
      const body = { domain: context.argument, ...given(context, 'connection_id') };
      const { domain, state, dns_record } = await context.client.call('POST', '/domains', body);
      return { domain, state, ...(dns_record as Json) };
    },
  },
  {
    noun: 'domain',
    verb: 'bind',
    description: 'Binds a domain to a connection, or moves it to another one',
    argument: DOMAIN,
    options: [{ ...BOUND, required: true, description: `${BOUND.description}; none: to no connection` }],
    async run(context) {
      const isFreed = context.options['connection_id'] === 'none';
      const { options } = isFreed ? context : context;
      const body = { connection_id: isFreed ? null : options['connection_id'] };
      return told(await context.client.call('PATCH', `/domains/${encode(context.argument!)}`, body));
    },
  },
  {
    noun: 'domain',
    verb: 'verify',
    description: 'Looks the DNS record up now',
    argument: DOMAIN,
    run: async ({ client, argument }) => told(await client.call('POST', `/domains/${encode(argument!)}/verify`, {})),
  },
  {
    noun: 'domain',
    verb: 'list',
    description: 'Lists the domains',
    async run({ client }) {
      const names = ['domain', 'state', 'connection_id', 'verified_by', 'verified_at', 'checked_at', 'problem'];
      return columns(await client.list('/domains'), ...names);
    },
  },
  {
    noun: 'domain',
    verb: 'remove',
    description: 'Removes a domain',
    argument: DOMAIN,
    async run({ client, argument }) {
      await client.call('DELETE', `/domains/${encode(argument!)}`);
      return { domain: argument, removed: true };
    },
  },
  {
    noun: 'domain',
    verb: 'trust',
    description: 'Trusts a domain of a tenant without a DNS record (operator token)',
    argument: DOMAIN,
    options: [BOUND],
    async run(context) {
      const path = `/tenants/${encode(await tenantOf(context))}/domains/${encode(context.argument!)}`;
      const bound = given(context, 'connection_id');
      return told(await context.client.operate('PUT', path, bound));
    },
  },
];

function told(domain: Json): Json {
  return columns([domain], 'domain', 'state', 'connection_id', 'verified_by', 'verified_at')[0]!;
}

/** The tenant of `--tenant`, else of the configured key. */
export async function tenantOf({ client, options }: Context): Promise<string> {
  const { tenant } = options;
  return typeof tenant === 'string' ? tenant : ownTenant(client);
}

async function ownTenant(client: Client): Promise<string> {
  const me = await client.call<{ tenant: { id: string } }>('GET', '/me');
  return me.tenant.id;
}
