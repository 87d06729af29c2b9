import { Conflict } from '../../../base/errors/domain-error.js';
import type { BridgeResponse } from '../../../base/http/request.js';
import { newTaskBody, type TaskBody } from '../../../engine/work/tasks.dto.js';
import type { TaskRow } from '../../../engine/work/tasks.repository.js';
import type { Repeatable } from '../../../tenancy/idempotency/idempotency-keys.js';
import { demandAdministrators } from '../../../tenancy/tenants/administrators.js';
import type { HeldCount, HeldSelection } from './held.dto.js';

/**
 * Answers a request about a number of users: a dry run with the number, else with the task that it begins.
 *
 * @param found the number, and that of the administrators among the users where the act can end their right
 * @throws {Conflict} `count_changed` when the request names another number; `administrators_unconfirmed` when it does not name that
 *   of the administrators
 */
export async function countedAnswer(
  { repeat }: Repeatable,
  { dry_run, count: expected, administrators }: Pick<HeldSelection, 'dry_run' | 'count' | 'administrators'>,
  found: HeldCount,
  res: BridgeResponse,
  begin: () => Promise<TaskRow>,
): Promise<TaskBody | HeldCount> {
  const { count, administrators: among = 0 } = found;
  if (expected !== undefined && expected !== count && repeat?.committed === undefined) {
    throw new Conflict('count_changed', `The number is ${count} by now. Nothing was done; look again.`, {
      members: { count },
    });
  }
  if (dry_run !== true) {
    if (repeat?.committed === undefined) {
      demandAdministrators(among, administrators, 'may lose the console by this');
    }
    return newTaskBody(await begin());
  }
  res.status(200);
  return among === 0 ? { count } : { count, administrators: among };
}
