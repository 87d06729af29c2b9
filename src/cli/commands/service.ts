import { userInfo } from 'node:os';
import { CliError, EXIT } from '../client/cli.errors.js';
import type { Json } from '../client/client.js';
import { given, type Command } from '../command/command.js';
import { statusWords, type TenantStatus, storageWords } from '../output/words.js';
import { tenantOf } from '../references/references.js';

/** Commands about the service and its installation. */
export const SERVICE_COMMANDS: Command[] = [
  {
    noun: 'status',
    verb: '',
    description: 'Shows whether the service is up and ready, and how a tenant is doing',
    async run({ client, options }) {
      const up = await client.open('/healthz');
      const ready = await client.open<{ status?: string; reason?: string }>('/readyz');
      const status: Json = {
        url: client.url,
        up: up.status === 200,
        ready: ready.status === 200 ? true : (ready.body?.reason ?? false),
      };
      if (ready.status !== 200 || !client.hasKey) return status;
      const me = await client.call<{ tenant: { id: string; name: string } }>('GET', '/me');
      const seats = await client.call('GET', '/seats');
      const storage = await client.call('GET', '/storage').catch(() => null);
      const state = await client.call<TenantStatus>('GET', '/status').catch(() => null);
      return {
        ...status,
        tenant_id: me.tenant.id,
        tenant: me.tenant.name,
        directories: (await client.list('/directories')).length,
        seats_used: seats['used'],
        seats_limit: seats['limit'],
        seats_waiting: seats['waiting'],
        storage: storage === null ? null : options['json'] === true ? storage['state'] : storageWords(storage),
        ...(state === null ? {} : statusWords(state, options['json'] === true)),
      };
    },
  },
  {
    noun: 'console',
    verb: 'link',
    description: 'Makes a link that opens the console; it works once, for ten minutes (operator token)',
    options: [
      {
        name: 'role',
        description: 'what it opens: admin or auditor of one tenant, or operator; admin unless set',
        choices: ['admin', 'auditor', 'operator'],
      },
      { name: 'reason', description: 'why; the audit log has it', required: true },
    ],
    async run(context) {
      const { role = 'admin', reason } = given(context, 'role', 'reason');
      const tenant = role === 'operator' ? {} : { tenant_id: await tenantOf(context) };
      const link = await context.client.operate('POST', '/installation/console-links', {
        role,
        reason,
        made_by: userInfo().username,
        ...tenant,
      });
      return { url: link['url'], role: link['role'], tenant_id: link['tenant_id'], expires_at: link['expires_at'] };
    },
  },
  {
    noun: 'migrate',
    verb: '',
    description: 'Brings the schema up to date and grants the role of DATABASE_URL what the service needs',
    async run({ env, terminal }) {
      const databaseUrl = env['DATABASE_URL'];
      if (!databaseUrl) {
        throw new CliError('DATABASE_URL is not set; the embedded database is migrated with every start.', EXIT.usage);
      }
      // Loaded here alone: the drivers of the database are most of the code that a start would read.
      const { prepareDatabase } = await import('../../start/database-access.js');
      const { databaseTrouble, failureReason } = await import('../../start/service.js');
      const access = await prepareDatabase(databaseUrl, env['MIGRATION_DATABASE_URL'] || null, {
        waiting: (error) => terminal.err(`${databaseTrouble(error)} Trying again …\n`),
      }).catch((error: unknown) => {
        throw new CliError(`The database was not migrated: ${failureReason(error)}`);
      });
      return { migrated: [...access.migrated], role: access.role, as_owner: access.asOwner };
    },
  },
];
