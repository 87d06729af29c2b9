import { encode } from '../client.js';
import { columns, numbers, type Command } from '../command.js';

const TASK = { name: 'task_id', required: true, description: 'as the list shows it' };
const LIMIT = { name: 'limit', description: 'how many, 50 unless set' };

export const TASK_COMMANDS: Command[] = [
  {
    noun: 'task',
    verb: 'list',
    description: 'Lists background work, newest first, with its progress',
    options: [LIMIT],
    async run(context) {
      const { limit = 50 } = numbers(context, 'limit');
      const tasks = await context.client.list('/tasks', limit);
      return columns(tasks, 'id', 'kind', 'state', 'done', 'total', 'created_at', 'error');
    },
  },
  {
    noun: 'task',
    verb: 'show',
    description: 'Shows one task: what it came to, counted',
    argument: TASK,
    run: ({ client, argument }) => client.call('GET', `/tasks/${encode(argument!)}`),
  },
  {
    noun: 'task',
    verb: 'left-out',
    description: 'Lists what a task has left out, each with its reason',
    argument: TASK,
    options: [LIMIT],
    async run(context) {
      const { limit = 100_000 } = numbers(context, 'limit');
      const left = await context.client.list(`/tasks/${encode(context.argument!)}/left-out`, limit);
      return columns(left, 'id', 'reason', 'detail');
    },
  },
];
