import type { ApiField } from '../api/operations.js';
import type { Command, CommandOption, Context } from '../command/command.js';
import type { Json } from '../client/client.js';

/** What the description does not know of an option. */
export interface OptionFacts extends Partial<Omit<CommandOption, 'name'>> {
  /** Words that mean another value in the API: `{ none: null }`. */
  words?: Readonly<Record<string, unknown>>;
  /** How a text is read that is not the value itself. */
  read?: (text: string, option: string) => unknown;
  /** The value without the option. */
  unless?: unknown;
}

/** What the description does not know of a command. All of it has a rule, so most commands need a line or none. */
export interface CommandFacts {
  /** The operation, where its own name is another one (`name.rules.ts`). */
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
  /** The answer is a list, and has this many entries unless `--limit` is given; null: it is no list. */
  limit?: number | null;
  /** The list inside the answer. */
  rows?: string;
  /** Fields of the answer, with `--json` too: `tenant_id=id name secret?`. */
  fields?: string;
  /** Fields of the answer for people. */
  columns?: string;
  begins?: Command['begins'];
  /** The body, from that of the options. */
  body?: (body: Json, context: Context) => Json;
  /** Refuses options that do not fit together. */
  check?: (context: Context) => void;
  /** Refuses a dangerous call that was not confirmed. */
  confirm?: (context: Context, path: string) => Promise<void>;
  /** The answer of the command, from that of the service. */
  answer?: (found: Json, context: Context) => Answer | Promise<Answer>;
  /** The answer, or each row of a list, for people. */
  shown?: (found: Json, context: Context) => Answer;
}

/** What a command prints. */
type Answer = Awaited<ReturnType<Command['run']>>;

/** Commands by name: `role list`. */
export type FactsTable = Readonly<Record<string, CommandFacts>>;
