import type { Context } from '../command/command.js';

/** Returns the tenant of `--tenant`, else of the configured key. */
export async function tenantOf({ client, options }: Context): Promise<string> {
  const { tenant } = options;
  if (typeof tenant === 'string') return tenant;
  const me = await client.call<{ tenant: { id: string } }>('GET', '/me');
  return me.tenant.id;
}
