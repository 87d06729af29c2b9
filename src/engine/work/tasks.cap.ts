import { TENANT_ROW, type Cap } from '../../tenancy/tenants/caps.js';

/** How many tasks that an admin begins can wait or run for a tenant. */
export const TASKS_CAP: Cap = {
  most: 20,
  code: 'too_many_tasks',
  whose: 'A tenant',
  what: 'imports, comparisons, resends, replays of webhooks, plans of rules and tasks of held users, of a guard or of unlinked users that wait or run',
  remedy: 'wait until one has finished',
  count: `select count(*)::int as n from tasks
    where tenant_id = $1 and state in ('waiting', 'running') and kind in ('platform.import', 'platform.drift', 'changes.resend', 'changes.retry', 'changes.dismiss', 'held.release', 'held.discard', 'guard.undo', 'unlinked.deactivate', 'webhooks.replay', 'rules.plan')`,
  lock: TENANT_ROW,
};
