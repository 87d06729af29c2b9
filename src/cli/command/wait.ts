import { setTimeout as sleep } from 'node:timers/promises';
import { CliError, EXIT } from '../client/cli.errors.js';
import { encode, type Client } from '../client/client.js';
import type { Command, CommandOption, Context } from './command.js';
import type { Terminal } from '../output/output.js';
import { endLine, isGoingOn, isTask, progressLine, taskRecord, type ShownTask } from '../output/words.js';

/** The option of every command that begins a task. */
const WAIT: CommandOption = {
  name: 'wait',
  description: 'follows the task to its end, with share, rate and estimate; exit code 1 when it fails',
  flag: true,
};

/** The state of a task is asked for this often: short tasks end within the first requests. */
const FIRST_MS = 200;
const MOST_MS = 2_000;
/** Where no line can be rewritten, a line comes this often. */
const LINE_MS = 10_000;
/** A service that restarts is waited for this long. */
const AWAY_MS = 60_000;
/** Tasks that are compared with those before the command. */
const NEWEST = 200;

/** Returns the options of a command; one that begins a task can wait for it. */
export function optionsOf({ options = [], begins }: Command): readonly CommandOption[] {
  return begins === undefined ? options : [...options, WAIT];
}

/**
 * Runs a command, shows its answer, and follows the tasks that it begins to their end.
 *
 * @param show prints an answer
 * @throws {CliError} when a task has failed or was cancelled, and when the user interrupts the waiting: the task continues
 */
export async function runToEnd(
  command: Command,
  context: Context,
  terminal: Terminal,
  show: (answer: unknown) => void,
): Promise<void> {
  const { client, options } = context;
  const kinds = command.begins === 'answer' ? [] : (command.begins ?? []);
  const before = new Set((await tasksOf(client, kinds)).map(({ id }) => id));
  const answer = await command.run(context);
  if (isTask(answer)) {
    const ended = await follow(client, answer.id, terminal);
    show(options['json'] === true ? ended : taskRecord(ended));
    demandDone(ended);
    return;
  }
  show(answer);
  const begun = (await tasksOf(client, kinds)).filter(({ id }) => !before.has(id));
  if (begun.length === 0) terminal.err('The command began no task: there is nothing to wait for.\n');
  const ended: ShownTask[] = [];
  for (const { id } of begun.reverse()) ended.push(await follow(client, id, terminal));
  ended.forEach(demandDone);
}

/** Returns the newest tasks of some kinds, newest first. */
async function tasksOf(client: Client, kinds: readonly string[]): Promise<ShownTask[]> {
  if (kinds.length === 0) return [];
  const tasks = await client.list<ShownTask>('/tasks', NEWEST);
  return tasks.filter(({ kind }) => kinds.includes(kind));
}

/**
 * Follows a task until it is over.
 *
 * @throws {CliError} when the user interrupts the waiting, or the service is away for too long
 */
async function follow(client: Client, id: string, terminal: Terminal): Promise<ShownTask> {
  const stop = new AbortController();
  const forget = terminal.onInterrupt?.(() => stop.abort());
  const line = new LiveLine(terminal);
  const began = Date.now();
  let answered = began;
  let first: { done: number; at: number } | null = null;
  try {
    for (let pause = FIRST_MS; !stop.signal.aborted; pause = Math.min(MOST_MS, pause * 2)) {
      const task = await read(client, id, answered);
      if (task !== null) {
        answered = Date.now();
        first ??= { done: task.done, at: answered };
        const seconds = (answered - first.at) / 1_000;
        if (!isGoingOn(task)) {
          line.last(endLine(task, (answered - began) / 1_000));
          return task;
        }
        line.show(progressLine(task, seconds === 0 ? null : (task.done - first.done) / seconds));
      }
      await sleep(pause, undefined, { signal: stop.signal }).catch(() => undefined);
    }
    line.last('');
    throw new CliError(`The task continues without this command. ${nextCommands(id)}`, EXIT.interrupted);
  } finally {
    forget?.();
  }
}

/** Reads a task; null: the service is away, and not yet for too long. */
async function read(client: Client, id: string, answered: number): Promise<ShownTask | null> {
  try {
    return await client.call<ShownTask>('GET', `/tasks/${encode(id)}`);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    if (error.exitCode === EXIT.unreachable && Date.now() - answered < AWAY_MS) return null;
    throw new CliError(`${error.message}\nThe task was begun and continues. ${nextCommands(id)}`, error.exitCode);
  }
}

function nextCommands(id: string): string {
  return `To watch it: task show ${id} --wait. To stop the task: task cancel ${id}.`;
}

function demandDone({ id, state, error }: ShownTask): void {
  if (state === 'failed') throw new CliError(`The task ${id} has failed: ${error ?? 'without a reason'}`);
  if (state === 'cancelled') throw new CliError(`The task ${id} was cancelled; what it had done stays.`);
}

/** The line about a task: on a terminal it is rewritten in place, else a line comes now and then. */
class LiveLine {
  private shownAt = -Infinity;

  constructor(private readonly terminal: Terminal) {}

  show(text: string): void {
    const { liveWidth, err } = this.terminal;
    if (liveWidth !== undefined) {
      // A line that is longer than the terminal would be rewritten in part.
      err(`\r\u001b[K${text.slice(0, liveWidth - 1)}`);
      return;
    }
    if (Date.now() - this.shownAt < LINE_MS) return;
    this.shownAt = Date.now();
    err(`${text}\n`);
  }

  /** Shows the line that stays. */
  last(text: string): void {
    const { liveWidth, err } = this.terminal;
    if (liveWidth !== undefined) err(text === '' ? '\n' : `\r\u001b[K${text}\n`);
    else if (text !== '') err(`${text}\n`);
  }
}
