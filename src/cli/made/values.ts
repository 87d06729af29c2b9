import { readFileSync } from 'node:fs';
import type { ApiField } from '../api/operations.js';
import { CliError, EXIT } from '../client/cli.errors.js';
import type { Json } from '../client/client.js';
import { type Command, type CommandOption, type Context, optionOf } from '../command/command.js';

/** What the description does not know of an option. */
export interface OptionFacts extends Partial<Omit<CommandOption, 'name'>> {
  /** Words that mean another value in the API: `{ none: null }`. */
  words?: Readonly<Record<string, unknown>>;
  /** How a text is read that is not the value itself. */
  read?: (text: string, option: string) => unknown;
  unless?: unknown;
}

/** What the description does not know of a command. All of it has a rule, so most commands need a line or none. */
export interface CommandFacts {
  /** The operation, where its own name is another one (`made-commands.ts`). */
  of?: string;
  /** What the command does, where the words of the description are for programs. */
  about?: string;
  /** The argument: the first id of the address, unless it is a field `of` query or body. */
  argument?: Partial<NonNullable<Command['argument']>> & { of?: string };
  /** Options by name; a text is the description. `of` names the field, where the option has another name. */
  options?: Readonly<Record<string, OptionFacts | string>>;
  /** Fields with the same value at each call. */
  fixed?: Json;
  /** Fields without an option. */
  without?: readonly string[];
  /** The only fields with an option. */
  only?: readonly string[];
  /** Fields of the body that the description has in another form. */
  adds?: readonly ApiField[];
  /** Options that are no field. */
  extra?: readonly CommandOption[];
  /** Fields whose choices the service alone checks. */
  unchecked?: readonly string[];
  /** An option as an example, where nothing was given to change. */
  example?: string;
  /** The answer is a list, and has this many entries unless `--limit` is given; null when the answer is not a list. */
  limit?: number | null;
  rows?: string;
  /** Fields of the answer, with `--json` too: `tenant_id=id name secret?`. */
  fields?: string;
  /** Fields of the answer for people. */
  columns?: string;
  begins?: Command['begins'];
  body?: (body: Json, context: Context) => Json;
  /** Refuses options that do not fit together. */
  check?: (context: Context) => void;
  /** Refuses a dangerous call that was not confirmed. */
  confirm?: (context: Context, path: string) => Promise<void>;
  /** The answer of the command, from that of the service. */
  answer?: (found: Json, context: Context) => Answer | Promise<Answer>;
  shown?: (found: Json, context: Context) => Answer;
}

type Answer = Awaited<ReturnType<Command['run']>>;

/** Commands by name: `role list`. */
export type FactsTable = Readonly<Record<string, CommandFacts>>;

/** Fields that are secret: arguments can be read by all users of the machine, standard input cannot. */
const SECRET = /(?:^|[._])(?:key|secret|token)$/;

/** Returns whether `-` reads the value of a field from standard input. */
export function comesByInput({ name, type }: ApiField): boolean {
  return type === 'json' || (type === 'text' && SECRET.test(name));
}

/** Returns the words of a field that have a meaning of their own: `none` takes a value away, `on` and `off` switch. */
export function meaningsOf(
  { type, nullable }: ApiField,
  { words }: OptionFacts,
  isChange: boolean,
): OptionFacts['words'] {
  if (words !== undefined || !isChange) return words;
  if (type === 'boolean') return { on: true, off: false };
  if (nullable) return { none: null };
  return type === 'list' ? { none: [] } : undefined;
}

/**
 * Returns the value of an option as the API takes it.
 *
 * @throws {CliError} when the text cannot be read as that
 */
export function valueOf(text: string, field: ApiField, option: string, facts: OptionFacts): unknown {
  const { words = {}, read } = facts;
  if (Object.hasOwn(words, text)) return words[text];
  const given = comesByInput(field) ? fromInput(text) : text;
  if (read !== undefined) return read(given, optionOf(option));
  switch (field.type) {
    case 'number':
      return wholeNumber(given, option);
    case 'list':
      return withoutCommas(given);
    case 'json':
      return parsedJson(given, optionOf(option));
    case 'boolean':
      throw new CliError(`${optionOf(option)} is ${Object.keys(words).join(' or ')}.`, EXIT.usage);
    default:
      return given;
  }
}

/** Returns a text as a whole number. Another text is refused here: as JSON it would become null, which means "no limit". */
function wholeNumber(text: string, option: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new CliError(`${optionOf(option)} must be a whole number.`, EXIT.usage);
  return Number(text);
}

export function withoutCommas(text: string): string[] {
  return text.split(',').map((part) => part.trim());
}

export function parsedJson(text: string, option: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new CliError(`${option} must be JSON.`, EXIT.usage);
  }
}

/** Returns a text, or where it is `-` standard input: arguments can be read by all users of the machine. */
export function fromInput(text: string): string {
  return text === '-' ? readFileSync(0, 'utf8').trim() : text;
}
