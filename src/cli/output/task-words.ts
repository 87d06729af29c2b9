import type { Json } from '../client/client.js';

/** A task as the API shows it, as far as its progress is concerned. */
export type ShownTask = Json & {
  id: string;
  kind: string;
  state: string;
  done: number;
  total: number | null;
  error: string | null;
};

/** Characters of a whole bar. */
const BAR = 10;

/** Returns whether an answer of the API is a task. */
export function isTask(answer: unknown): answer is ShownTask {
  const id = (answer as { id?: unknown } | null | undefined)?.id;
  return typeof id === 'string' && id.startsWith('tsk_');
}

/** Returns whether a task is waiting or running. */
export function isGoingOn({ state }: ShownTask): boolean {
  return state === 'waiting' || state === 'running';
}

/** Returns the progress of a task: a bar with its share where the total is known, else the number alone. */
export function barOf(task: ShownTask): string {
  const { done, total, state } = task;
  if (total === null) return isGoingOn(task) ? `${done}, still counting` : String(done);
  const share = state === 'done' || total === 0 ? 1 : Math.min(1, done / total);
  const full = Math.floor(share * BAR);
  return `${'█'.repeat(full)}${'░'.repeat(BAR - full)} ${Math.floor(share * 100)} % ${done}/${total}`;
}

/** Returns a task as a record for people. */
export function taskRecord(task: ShownTask): Json {
  const { result, done: _, total: __, ...record } = task;
  return { ...record, progress: barOf(task), ...(result as Json | null) };
}

/**
 * Returns the line that shows a task while it runs: share, rate, estimate.
 *
 * @param pace items a second; null: not known yet
 */
export function progressLine(task: ShownTask, pace: number | null): string {
  const begun = task.state === 'waiting' && task.done === 0 ? 'waits for its turn' : barOf(task);
  const parts = [`${task.kind} ${task.id}  ${begun}`];
  if (pace !== null && pace > 0) {
    parts.push(`${pace < 10 ? pace.toFixed(1) : Math.round(pace)} a second`);
    if (task.total !== null) parts.push(`about ${duration((task.total - task.done) / pace)} left`);
  }
  return parts.join(', ');
}

/** Returns the line that shows how a task has ended. */
export function endLine(task: ShownTask, seconds: number): string {
  return `${task.kind} ${task.id}  ${task.state}: ${task.done} done in ${duration(seconds)}`;
}

/** Returns a number of seconds in words: `8 s`, `3 min`, `2 h 5 min`. */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.ceil(seconds));
  if (whole < 120) return `${whole} s`;
  const minutes = Math.round(whole / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
