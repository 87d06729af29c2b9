import { ApiProperty } from '@nestjs/swagger';
import { pageOf, type Page, type PageRequest } from '../../base/http/page.js';
import { TASK_KINDS, TASK_STATES, type TaskKind, type TaskState, estimatedEnd } from './task.js';
import type { TaskRow } from './tasks.repository.js';

/** Background work of a tenant. */
export class TaskBody {
  @ApiProperty({ example: 'tsk_01k0000000abcdefghjkmnpqrs' })
  id!: string;
  @ApiProperty({ enum: TASK_KINDS, example: 'platform.import' })
  kind!: TaskKind;
  @ApiProperty({ enum: TASK_STATES, description: '`cancelled`: an admin has stopped it; what it has done stays.' })
  state!: TaskState;
  @ApiProperty({ description: 'How many items are done.', example: 4200 })
  done!: number;
  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'How many items there are, never fewer than `done`; null: not known yet, they are being counted.',
    example: 20000,
  })
  total!: number | null;
  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'integer' },
    nullable: true,
    description:
      'What it came to, counted. Of an import: `created`, `known` and `left_out`, which add up to `done`; of a drift run: `same`, `different`, `missing` and `extra`; of a plan of rules: `changed`, `take_seat`, `free_seat`, `held_by_guard` and, where seats are limited, `seats_free`. `GET /tasks/{id}/left-out` lists the accounts left out, what differs, or the first 1 000 users who would change.',
    example: { created: 19600, known: 0, left_out: 400 },
  })
  result!: Record<string, number> | null;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The cause of failure, in words; null: it has not failed.',
  })
  error!: string | null;
  @ApiProperty()
  created_at!: Date;
  @ApiProperty({ type: Date, nullable: true, description: 'When the first batch began; null: none has.' })
  started_at!: Date | null;
  @ApiProperty({
    type: Date,
    nullable: true,
    description: 'When the task will be done at its present pace; null: it is over, or too little is known.',
  })
  estimated_end!: Date | null;
  @ApiProperty({ type: Date, nullable: true })
  finished_at!: Date | null;
}

export class LeftOutBody {
  @ApiProperty({ example: 'hp_7f3c' })
  id!: string;
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description:
      'Of an import, the account; of held users, the user; of a plan of rules, the user with roles and seat.',
    example: { id: 'hp_7f3c', email: 'ann@example.com', external_id: null, status: 'inactive' },
  })
  item!: object;
  @ApiProperty({ example: 'email_of_another_user' })
  reason!: string;
  @ApiProperty({ example: 'The user usr_01jd0q4m8k7v2y9wq3x5c6z8ab has this e-mail.' })
  detail!: string;
}

/** Maps a task that was just made to the API. */
export function newTaskBody(row: TaskRow): TaskBody {
  return taskBody(row, row.created_at);
}

/** Maps a task to the API. Its end is estimated from `now`. */
export function taskBody(row: TaskRow, now: Date): TaskBody {
  const startedAt = row.started_at?.getTime() ?? null;
  const end = estimatedEnd({ state: row.state, done: row.done, total: row.total, startedAt, now: now.getTime() });
  return { ...row, estimated_end: end === null ? null : new Date(end) };
}

/** Maps a page of tasks to the API; `rows` has one more than the limit where another page follows. */
export function taskPage(page: PageRequest, rows: TaskRow[], now: Date): Page<TaskBody> {
  return pageOf(
    page,
    rows,
    (row) => row.id,
    (row) => taskBody(row, now),
  );
}
