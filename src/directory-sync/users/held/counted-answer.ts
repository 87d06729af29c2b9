import { Conflict } from '../../../base/errors/domain-error.js';
import type { BridgeResponse } from '../../../base/http/request.js';
import { newTaskBody } from '../../../engine/work/task.mapping.js';
import type { TaskBody } from '../../../engine/work/tasks.dto.js';
import type { TaskRow } from '../../../engine/work/tasks.repository.js';
import type { Repeatable } from '../../../tenancy/idempotency/idempotency-keys.js';
import type { HeldCount, HeldSelection } from './held.dto.js';

/**
 * Answers a request about a number of users: a dry run with the number, else with the task that it begins.
 *
 * @throws {Conflict} `count_changed` when the request names another number
 */
export async function countedAnswer(
  { repeat }: Repeatable,
  { dry_run, count: expected }: Pick<HeldSelection, 'dry_run' | 'count'>,
  count: number,
  res: BridgeResponse,
  begin: () => Promise<TaskRow>,
): Promise<TaskBody | HeldCount> {
  if (expected !== undefined && expected !== count && repeat?.committed === undefined) {
    throw new Conflict('count_changed', `The number is ${count} by now. Nothing was done; look again.`, {
      members: { count },
    });
  }
  if (dry_run !== true) return newTaskBody(await begin());
  res.status(200);
  return { count };
}
