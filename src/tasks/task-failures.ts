import type { SqlRunner } from '../base/database/database.js';

/** A task is given up after so many failures in a row. With pauses of up to ten minutes that is about three hours. */
export const MOST_FAILURES = 24;
/** How long a task rests after a failure, and at the most after many in a row. */
const FIRST_PAUSE_SECONDS = 10;
const LONGEST_PAUSE_SECONDS = 600;

/** A batch that could not be done now. The message is safe to show: it becomes the error of a task that is given up. */
export class TaskInterrupted extends Error {}

/** A task as its runner has claimed it. */
export interface ClaimedTask {
  readonly tenantId: string;
  readonly id: string;
  readonly done: number;
  readonly payload: object;
}

/**
 * Lets a task rest after a failure, longer after each one in a row; after `MOST_FAILURES` in a row it has failed, with
 * the last reason. Nothing is noted for a task that another process has gone on with. A batch that succeeds has to take
 * `failures` out of the payload.
 *
 * @returns false when the task is given up
 */
export async function postponeTask(db: SqlRunner, task: ClaimedTask, error: unknown): Promise<boolean> {
  const failures = failuresOf(task) + 1;
  const over = failures >= MOST_FAILURES;
  const seconds = Math.min(LONGEST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2 ** Math.min(failures - 1, 10));
  await db.query(
    `update jobs set state = case when $6 then 'failed' else 'waiting' end,
       lease_until = case when $6 then null else now() + $3 * interval '1 second' end,
       finished_at = case when $6 then now() end, error = case when $6 then $7 end,
       payload = payload || jsonb_build_object('failures', $4::int)
     where tenant_id = $1 and id = $2 and state = 'running' and done = $5`,
    [
      task.tenantId,
      task.id,
      seconds,
      failures,
      task.done,
      over,
      `Given up after ${failures} failures in a row. The last one: ${reasonOf(error)}`,
    ],
  );
  return !over;
}

/** A failure in words that a tenant may read; what the database says stays in the log. */
function reasonOf(error: unknown): string {
  return error instanceof TaskInterrupted
    ? error.message
    : 'an error inside the service, which its log describes under job.interrupted';
}

function failuresOf({ payload }: ClaimedTask): number {
  const failures = (payload as { failures?: unknown }).failures;
  return typeof failures === 'number' ? failures : 0;
}
