import type { TaskKind } from '../../engine/work/task.js';
import { CliError, EXIT, type RefusedField } from '../client/cli.errors.js';
import type { Client, Json } from '../client/client.js';
import type { Env } from '../client/connection.js';
import type { Terminal } from '../output/output.js';

/** The kinds of records that an option or argument can name in another way than by id. */
export type Reference = 'ats_connection' | 'candidate' | 'connection' | 'directory' | 'job' | 'user' | 'webhook';

/** One option of a command, called after the API's field. */
export interface CommandOption {
  name: string;
  description: string;
  /** Without a value: on or off. */
  flag?: boolean;
  required?: boolean;
  /** The option names a record of this kind: by its id, or as `NAMED_BY` says. */
  refers?: Reference;
  of?: string;
  /** The values that it can have; another one is refused before the service is asked. */
  choices?: readonly string[];
  /** Options that say something else about the same: together they are refused. */
  conflicts?: readonly string[];
}

export interface Context {
  client: Client;
  env: Env;
  terminal: Terminal;
  options: Record<string, string | boolean | undefined>;
  argument: string | undefined;
}

/** `<noun> <verb>`: what it is called with, and which calls of the API it is. */
export interface Command {
  noun: string;
  verb: string;
  description: string;
  argument?: { name: string; required: boolean; description: string; refers?: Reference };
  options?: readonly CommandOption[];
  /** The tasks that the command begins: its answer is the task, or has begun tasks of these kinds. It then has `--wait`. */
  begins?: 'answer' | readonly TaskKind[];
  /** Refuses options before the first request. */
  check?: (context: Context) => void;
  /** Answers what is printed; a list is a table, a text is printed as it is, and null is the JSON null. */
  run(context: Context): Promise<Json | Json[] | string | null | undefined>;
}

/** The options that were given, under their own names; what was not given is left out. */
export function given(context: Context, ...names: string[]): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of names) {
    const value = context.options[name];
    if (typeof value === 'string') found[name] = value;
  }
  return found;
}

/** The options that were given as the query of an address, with its question mark; nothing if none was. */
export function queryOf(context: Context, ...names: string[]): string {
  const query = new URLSearchParams(given(context, ...names)).toString();
  return query === '' ? '' : `?${query}`;
}

/** The options that are numbers, as numbers. What is none is refused here: as JSON it would become null, which means "no limit". */
export function numbers(context: Context, ...names: string[]): Record<string, number> {
  return Object.fromEntries(
    Object.entries(given(context, ...names)).map(([name, text]) => {
      if (!/^\d{1,9}$/.test(text)) throw new CliError(`${optionOf(name)} must be a whole number.`, EXIT.usage);
      return [name, Number(text)];
    }),
  );
}

/** Returns the refusal of a command that was given nothing to do: it names an option, and where all of them are. */
export function nothingToChange(command: string, example: string): CliError {
  return new CliError(`Say what to change, such as ${example}; "${command} --help" names all there is.`, EXIT.usage);
}

/** Some columns of each record. */
export function columns(rows: Json[], ...names: string[]): Json[] {
  return rows.map((row) => Object.fromEntries(names.map((name) => [name, row[name] ?? null])));
}

/** An option as it is typed: `--clock-skew-seconds`. */
export function optionOf(name: string): string {
  return `--${name.replaceAll('_', '-')}`;
}

/** Returns the rest of a path such as `.0.group_id` in words: ` (entry 1, group_id)`. The name of a field stays as it is. */
function placeOf(rest: string): string {
  const [, entry, field] = /^\.(\d+)(?:\.(.+))?$/.exec(rest) ?? [];
  if (entry === undefined) return rest;
  return ` (entry ${Number(entry) + 1}${field === undefined ? '' : `, ${field}`})`;
}

/** A field that the service refused, by the option that it was given with; a message can name other fields, too. */
export function byOptions({ field, message }: RefusedField, options: readonly CommandOption[]): RefusedField {
  const named = (name: string): string => {
    const option = options.find(({ name: own, of = own }) => of === name);
    return option === undefined ? name : optionOf(option.name);
  };
  const top = /^\w+/.exec(field)?.[0] ?? field;
  const others = options
    .map(({ name, of = name }) => of)
    .filter((name) => name.includes('_') || name === 'certificates');
  // A message marks other fields by backticks; older ones name them bare.
  const marked = message.replace(/`(\w+)`/g, (text, name: string) => (named(name) === name ? text : named(name)));
  const words = others.length === 0 ? marked : marked.replace(new RegExp(`\\b(?:${others.join('|')})\\b`, 'g'), named);
  return { field: named(top) + placeOf(field.slice(top.length)), message: words };
}

/** The option by which the caller of a dangerous command shows that its effect is known. */
export const CONFIRM: CommandOption = {
  name: 'confirm',
  description: 'the number that the command asks for; not needed where it is 0',
};

/**
 * Demands the number of what a command hits.
 *
 * @param effect what the command does, as a sentence with the number
 * @throws {CliError} with the effect and the option to repeat the command with, unless `--confirm` has the number
 */
export function demandConfirmed({ options }: Context, count: number, effect: string): void {
  const given = options['confirm'];
  if (count === 0 || given === String(count)) return;
  const words =
    given === undefined
      ? 'Nothing was changed.'
      : `--confirm ${String(given)} is not that number, and nothing was changed.`;
  throw new CliError(`${effect} ${words} Repeat the command with --confirm ${count}.`, EXIT.usage);
}
