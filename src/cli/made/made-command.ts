import type { ApiOperation } from '../api/operations.js';
import { CliError, EXIT } from '../client/cli.errors.js';
import { encode, type Json } from '../client/client.js';
import { nothingToChange, numbers, optionOf, type Command, type Context, CONFIRM } from '../command/command.js';
import { tenantOf } from '../references/references.js';
import { answerOptions, argumentOf, optionsFor, paramsOf, type MadeOption } from './options.js';
import { type CommandFacts, valueOf } from './values.js';

/** Entries of a list that has no option `--limit`. */
const SHORT_LIST = 1_000;

/** A command, and the operation and facts that it is made from. */
interface Made {
  operation: ApiOperation;
  facts: CommandFacts;
  options: readonly MadeOption[];
  argument: Command['argument'];
  name: string;
  /** How many entries of a list are shown; null: the answer is no list. */
  limit: number | null;
}

/** Makes the command of an operation. */
export function madeCommand(operation: ApiOperation, name: string, facts: CommandFacts): Command {
  const [noun = '', ...verb] = name.split(' ');
  const argument = argumentOf(operation, noun, facts);
  const options = optionsFor(operation, facts);
  const limit = limitOf(operation, facts);
  const begins = facts.begins ?? (operation.task ? 'answer' : undefined);
  const about = facts.about ?? operation.about;
  const shownLimit = facts.limit !== undefined || operation.list === true ? limit : null;
  const made = { operation, facts, options, argument, name, limit };
  return {
    noun,
    verb: verb.join(' '),
    description: operation.operator && !about.includes('operator') ? `${about} (operator token)` : about,
    ...(argument === undefined ? {} : { argument }),
    options: [
      ...options,
      ...(facts.extra ?? []),
      ...(facts.only === undefined ? answerOptions(operation, shownLimit) : []),
      ...(facts.confirm === undefined ? [] : [CONFIRM]),
    ],
    ...(begins === undefined ? {} : { begins }),
    check: (context) => check(made, context),
    run: (context) => run(made, context),
  };
}

function limitOf({ call, list, query }: ApiOperation, { limit, rows, columns }: CommandFacts): number | null {
  if (limit !== undefined) return limit;
  const isList = list === true || (call.startsWith('GET') && columns !== undefined && rows === undefined);
  if (!isList) return null;
  const isLong = query.some(({ name, choices }) => name === 'format' && choices?.includes('ndjson'));
  return list === true ? (isLong ? 200 : 50) : SHORT_LIST;
}

/** Refuses options that do not fit together, and a change without one. */
function check({ operation, facts, options, name }: Made, context: Context): void {
  facts.check?.(context);
  if (facts.fixed !== undefined || !(operation.call.startsWith('PATCH') || facts.example !== undefined)) return;
  const changes = [...options.filter(({ place }) => place === 'body'), ...(facts.extra ?? [])];
  if (changes.some((option) => context.options[option.name] !== undefined)) return;
  throw nothingToChange(name, optionOf(facts.example ?? changes[0]!.name));
}

async function run(made: Made, context: Context): Promise<Awaited<ReturnType<Command['run']>>> {
  const { operation, facts, limit } = made;
  const [method = ''] = operation.call.split(' ');
  const body = bodyOf(made, context);
  const address = (await pathOf(made, context)) + queryOf(made, context);
  const { client } = context;
  const form = formOf(context);
  if (form !== null) return client.text(`${address}${address.includes('?') ? '&' : '?'}${form}`);
  await facts.confirm?.(context, address);
  if (limit !== null) {
    const { limit: count = limit } = numbers(context, 'limit');
    const rows = await client.list(address, count, operation.operator);
    return facts.answer === undefined ? shownRows(rows, facts, context) : facts.answer({ data: rows }, context);
  }
  const sent = method === 'GET' || method === 'DELETE' || operation.body === null ? undefined : body;
  const found = await (operation.operator
    ? client.operate<Json | undefined>(method, address, sent)
    : client.call<Json | undefined>(method, address, sent));
  return shownAnswer(found ?? ended(made, context), facts, context);
}

async function pathOf({ operation, options, argument }: Made, context: Context): Promise<string> {
  const [, path = ''] = operation.call.split(' ');
  const tenant = paramsOf(operation) === operation.params ? [] : [await tenantOf(context)];
  const isInPath = argument !== undefined && paramsOf(operation).length > options.filter(inPath).length;
  const rest = options.filter(inPath).map(({ name }) => String(context.options[name]));
  const values = [...tenant, ...(isInPath ? [context.argument!] : []), ...rest];
  return path.replace(/\{\w+\}/g, () => encode(values.shift()!));
}

function inPath({ place }: MadeOption): boolean {
  return place === 'path';
}

function queryOf(made: Made, context: Context): string {
  const query = new URLSearchParams(
    valuesOf(made, context, 'query').map(([name, value]) => [name, String(value)] as [string, string]),
  ).toString();
  return query === '' ? '' : `?${query}`;
}

function bodyOf(made: Made, context: Context): Json {
  const body: Json = { ...made.facts.fixed };
  for (const [name, value] of valuesOf(made, context, 'body')) {
    const [outer = '', inner] = name.split('.');
    if (inner === undefined) body[outer] = value;
    else body[outer] = { ...(body[outer] as Json | undefined), [inner]: value };
  }
  return made.facts.body?.(body, context) ?? body;
}

/** Returns the fields that were given, with their values. */
function valuesOf({ facts, options, operation }: Made, context: Context, place: 'query' | 'body'): [string, unknown][] {
  const bound = facts.argument?.of;
  const isHere = (place === 'query' ? operation.query : (operation.body ?? [])).some(({ name }) => name === bound);
  const first: [string, unknown][] =
    bound !== undefined && isHere && context.argument !== undefined ? [[bound, context.argument]] : [];
  const others = options
    .filter((option) => option.place === place)
    .flatMap(({ name, field, facts: own }): [string, unknown][] => {
      const given = context.options[name];
      if (given === undefined) return own.unless === undefined ? [] : [[field.name, own.unless]];
      return [
        [field.name, given === true && own.words === undefined ? true : valueOf(String(given), field, name, own)],
      ];
    });
  return [...first, ...others];
}

/** Returns what asks for an export; null: none is wanted. */
function formOf({ options }: Context): string | null {
  const { excel, format } = options;
  if (excel === true && format === 'ndjson') throw new CliError('--excel goes with --format csv.', EXIT.usage);
  if (excel === true) return 'format=csv&bom=true';
  return typeof format === 'string' ? `format=${format}` : null;
}

/** Returns the answer to a call that has none: what has ended, and how. */
function ended({ options, argument, name }: Made, context: Context): Json {
  const last = options.filter(inPath).at(-1);
  const act = name.split(' ').at(-1)!.split('-')[0]!;
  const past = `${act.replace(/e$/, '')}ed`;
  if (last !== undefined) return { [last.field.name]: context.options[last.name], [past]: true };
  return { ...(argument === undefined ? {} : { [argument.name]: context.argument }), [past]: true };
}

function shownAnswer(found: Json, facts: CommandFacts, context: Context) {
  const { rows, answer, fields } = facts;
  if (answer !== undefined) return answer(found, context);
  if (rows !== undefined) {
    const isWhole = context.options['json'] === true && fields === undefined;
    return isWhole ? found : shownRows(found[rows] as Json[], facts, context);
  }
  const [shown] = shownRows([found], facts, context);
  return shown as Json;
}

function shownRows(rows: Json[], { fields, columns, shown }: CommandFacts, context: Context): Json[] {
  const isJson = context.options['json'] === true;
  const kept = fields === undefined ? rows : rows.map((row) => picked(row, fields));
  if (isJson) return kept;
  const seen = shown === undefined ? kept : rows.map((row) => shown(row, context) as Json);
  return columns === undefined ? seen : seen.map((row) => picked(row, columns));
}

/**
 * Returns fields of a record.
 *
 * @param names with blanks between; `tenant_id=id` names the field anew, and `secret?` is left out where the record has none
 */
export function picked(record: Json, names: string): Json {
  const entries = names.split(' ').flatMap((word): [string, unknown][] => {
    const isOptional = word.endsWith('?');
    const [name = '', from = name] = word.replace(/\?$/, '').split('=');
    return isOptional && record[from] === undefined ? [] : [[name, record[from] ?? null]];
  });
  return Object.fromEntries(entries);
}
