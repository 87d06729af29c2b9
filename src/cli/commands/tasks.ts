import { encode } from '../client/client.js';
import { columns, numbers, type Command } from '../command/command.js';
import { barOf, taskRecord, type ShownTask } from '../output/task-words.js';

const TASK = { name: 'task_id', required: true, description: 'as the list shows it' };
const LIMIT = { name: 'limit', description: 'how many, 50 unless set' };

/** Commands about background work. */
export const TASK_COMMANDS: Command[] = [
  {
    noun: 'task',
    verb: 'list',
    description: 'Lists background work, newest first, with its progress',
    options: [LIMIT],
    async run(context) {
      const { limit = 50 } = numbers(context, 'limit');
      const tasks = await context.client.list<ShownTask>('/tasks', limit);
      if (context.options['json'] === true) {
        return columns(tasks, 'id', 'kind', 'state', 'done', 'total', 'created_at', 'estimated_end', 'error');
      }
      return tasks.map((task) => ({
        ...columns([task], 'id', 'kind', 'state')[0],
        progress: barOf(task),
        ...columns([task], 'estimated_end', 'error')[0],
      }));
    },
  },
  {
    noun: 'task',
    verb: 'show',
    description: 'Shows one task: progress and result',
    argument: TASK,
    begins: 'answer',
    async run({ client, argument, options }) {
      const task = await client.call<ShownTask>('GET', `/tasks/${encode(argument!)}`);
      return options['json'] === true || options['wait'] === true ? task : taskRecord(task);
    },
  },
  {
    noun: 'task',
    verb: 'cancel',
    description: 'Cancels a task; its finished part stays',
    argument: TASK,
    async run({ client, argument }) {
      const task = await client.call<ShownTask>('POST', `/tasks/${encode(argument!)}/cancel`, {});
      return { ...columns([task], 'id', 'kind', 'state')[0], progress: barOf(task) };
    },
  },
  {
    noun: 'task',
    verb: 'left-out',
    description: 'Lists the records that a task has left out, each with its reason',
    argument: TASK,
    options: [LIMIT],
    async run(context) {
      const { limit = 100_000 } = numbers(context, 'limit');
      const left = await context.client.list(`/tasks/${encode(context.argument!)}/left-out`, limit);
      return columns(left, 'id', 'reason', 'detail');
    },
  },
];
