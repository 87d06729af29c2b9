import { estimatedEnd } from './task-pace.rules.js';
import type { TaskBody } from './tasks.dto.js';
import { pageOf, type Page, type PageRequest } from '../../base/http/page.js';
import type { TaskRow } from './tasks.repository.js';

/** Returns a task that was just made, as the API shows it. */
export function newTaskBody(row: TaskRow): TaskBody {
  return taskBody(row, row.created_at);
}

/**
 * Returns a task as the API shows it.
 *
 * @param now the time from which the end is estimated
 */
export function taskBody(row: TaskRow, now: Date): TaskBody {
  const startedAt = row.started_at?.getTime() ?? null;
  const end = estimatedEnd({ state: row.state, done: row.done, total: row.total, startedAt, now: now.getTime() });
  return { ...row, estimated_end: end === null ? null : new Date(end) };
}

/** Returns a page of tasks as the API shows it; `rows` has one too many where there is another page. */
export function taskPage(page: PageRequest, rows: TaskRow[], now: Date): Page<TaskBody> {
  return pageOf(
    page,
    rows,
    (row) => row.id,
    (row) => taskBody(row, now),
  );
}
