import { columns, given, type Command } from '../command/command.js';
import { tenantOf } from './domains.js';

/** Commands about the console: the links that open it, and who administers. */
export const CONSOLE_COMMANDS: Command[] = [
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
      const link = await context.client.operate('POST', '/installation/console-links', { role, reason, ...tenant });
      return { url: link['url'], role: link['role'], tenant_id: link['tenant_id'], expires_at: link['expires_at'] };
    },
  },
  {
    noun: 'member',
    verb: 'list',
    description: 'Lists who administers the tenant, and where the role comes from',
    run: async ({ client }) =>
      columns(await client.list('/members'), 'user_id', 'email', 'role', 'console', 'owner', 'role_from'),
  },
];
