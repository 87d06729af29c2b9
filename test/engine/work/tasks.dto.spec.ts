import { newTaskBody, taskBody } from '../../../src/engine/work/tasks.dto.js';
import type { TaskRow } from '../../../src/engine/work/tasks.repository.js';

const row: TaskRow = {
  id: 'tsk_1',
  kind: 'platform.import',
  state: 'running',
  done: 100,
  total: 200,
  result: { created: 100 },
  error: null,
  created_at: new Date('2026-01-01T00:00:00.000Z'),
  started_at: new Date('2026-01-01T00:00:10.000Z'),
  finished_at: null,
};

it('shows the row and the estimated end', () => {
  const body = taskBody(row, new Date('2026-01-01T00:01:10.000Z'));
  expect(body).toEqual({ ...row, estimated_end: new Date('2026-01-01T00:02:10.000Z') });
});

it('shows no estimated end for a task that was just made', () => {
  expect(newTaskBody({ ...row, done: 0, started_at: null }).estimated_end).toBeNull();
});
