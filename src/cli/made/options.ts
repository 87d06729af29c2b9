import type { ApiField, ApiOperation } from '../api/operations.js';
import type { Command, CommandOption, Reference } from '../command/command.js';
import { NAMED_BY, OFTEN_ONE } from '../references/references.js';
import { type CommandFacts, type OptionFacts, comesByInput, meaningsOf } from './values.js';

/** The meaning of fields for which the description has no text, by name. */
const FIELD_TEXTS: Readonly<Record<string, string>> = {
  api_may_write_directory_users: 'whether API keys may change users that a directory manages',
  base_url: 'its address',
  criteria: 'the criteria as JSON',
  default_role: 'the role of users without another one',
  department: 'the department',
  description: 'what it is for',
  email: 'the e-mail address',
  employment_type: 'the kind of employment',
  ends_at: 'at most 24 hours later',
  event_id: 'the id of the event (evt_…)',
  external_id: 'the id in your own system',
  first_name: 'the first name',
  last_name: 'the last name',
  link: 'a link to the whole scorecard',
  location: 'the place of work',
  name: 'what it is called',
  on_match: 'the effect of a POST that matches one existing user',
  overall: 'the overall score',
  profile: 'what the IdP may send',
  reason: 'why',
  recommendation: 'the recommendation',
  resolve: 'the path of resolve, at the destination',
  starts_at: 'such as 2026-01-31T09:00:00Z',
  state: 'the state',
  status: 'the status',
  summary: 'the summary',
  takes_over: 'the directory whose users it takes over',
  takes_seat: 'whether an active user with this role takes a seat',
  title: 'the title',
  url: 'the address',
  users: 'the path of users, at the destination',
};

/** An option with the field of the request that its value goes to. */
export interface MadeOption extends CommandOption {
  field: ApiField;
  place: 'path' | 'query' | 'body';
  facts: OptionFacts;
}

/** Fields that the command line sets without an option of the same name: pages, and the form of an export. */
const OWN = new Set(['cursor', 'limit', 'format', 'bom']);
/** Switches of one call, also where a record is changed. */
const OF_ONE_CALL = /^(?:confirm|dry_run|force)$/;
const REFERS: Readonly<Record<string, Reference>> = {
  candidate_id: 'candidate',
  connection_id: 'connection',
  directory: 'directory',
  directory_id: 'directory',
  job_id: 'job',
  owner_user_id: 'user',
  takes_over: 'directory',
  user: 'user',
  user_id: 'user',
  webhook_id: 'webhook',
};
/** The kinds of records that the first id of an address names, by the collection. */
const RECORDS: Readonly<Record<string, Reference>> = {
  'ats-connections': 'ats_connection',
  candidates: 'candidate',
  connections: 'connection',
  directories: 'directory',
  held: 'user',
  jobs: 'job',
  leavers: 'user',
  users: 'user',
  webhooks: 'webhook',
};

/** Returns the argument of the command of an operation. */
export function argumentOf(operation: ApiOperation, noun: string, facts: CommandFacts): Command['argument'] {
  const { of, ...given } = facts.argument ?? {};
  const field = [...operation.query, ...(operation.body ?? [])].find(({ name }) => name === of);
  if (field !== undefined) {
    return { name: field.name, required: true, description: textOf(field, {}, undefined), ...given };
  }
  const [param] = paramsOf(operation);
  if (param === undefined) return undefined;
  const refers = operation.call.includes('/by-external-id/') ? undefined : RECORDS[collectionOf(operation)];
  const isDelete = operation.call.startsWith('DELETE') && operation.params.length === 1;
  const isOne = refers !== undefined && OFTEN_ONE.has(refers) && !isDelete;
  const only = isOne && given.required !== true ? '; not needed where there is only one' : '';
  return {
    name: param.name === 'id' ? `${noun.replaceAll('-', '_')}_id` : param.name,
    required: !isOne,
    description: refers === undefined ? param.about : `${NAMED_BY[refers]}${only}`,
    ...(refers === undefined ? {} : { refers }),
    ...given,
  };
}

/** Returns the parts of an address that the caller names: the operator names a tenant by `--tenant`. */
export function paramsOf({ call, params }: ApiOperation): ApiOperation['params'] {
  return call.includes(' /tenants/{tenant_id}') ? params.slice(1) : params;
}

/** Returns the options of the command of an operation that are fields of the request. */
export function optionsFor(operation: ApiOperation, facts: CommandFacts): MadeOption[] {
  const { options = {}, argument, fixed = {}, without = [], only, adds = [] } = facts;
  const left = new Set([...without, ...Object.keys(fixed), argument?.of]);
  const texts = (field: { name: string; about: string }): ApiField => ({ ...field, type: 'text', required: true });
  const places = [
    [
      'path',
      paramsOf(operation)
        .slice(argument?.of === undefined ? 1 : 0)
        .map(texts),
    ],
    ['query', operation.query.filter(({ name }) => !OWN.has(name))],
    ['body', [...(operation.body ?? []), ...adds]],
  ] as const;
  return places.flatMap(([place, fields]) =>
    fields
      .filter(({ name }) => !left.has(name) && (only?.includes(name) ?? true))
      .map((field) => optionFor(operation, place, field, facts, options)),
  );
}

function optionFor(
  { call }: ApiOperation,
  place: MadeOption['place'],
  field: ApiField,
  { unchecked = [] }: CommandFacts,
  options: NonNullable<CommandFacts['options']>,
): MadeOption {
  const leaf = field.name.split('.').at(-1)!;
  const [name, given = {}] = Object.entries(options).find(
    ([own, one]) => (typeof one === 'string' ? own : (one.of ?? own)) === field.name,
  ) ??
    Object.entries(options).find(([own, one]) => own === leaf && (typeof one === 'string' || one.of === undefined)) ?? [
      leaf,
      {},
    ];
  const facts: OptionFacts = typeof given === 'string' ? { description: given } : given;
  const isChange = place === 'body' && /^(?:PATCH|PUT) /.test(call) && !OF_ONE_CALL.test(field.name);
  const words = meaningsOf(field, facts, isChange);
  const refers = 'refers' in facts ? facts.refers : REFERS[field.name];
  const isSwitch = field.type === 'boolean';
  const choices = facts.choices ?? choicesOf(field, { ...facts, words }, unchecked);
  const { words: _, read: __, unless: ___, ...rest } = facts;
  return {
    ...rest,
    name,
    ...(field.name === name ? {} : { of: field.name }),
    description: facts.description ?? textOf(field, words ?? {}, refers),
    ...(isSwitch && words === undefined ? { flag: true } : {}),
    ...((facts.required ?? (field.required && facts.unless === undefined)) ? { required: true } : {}),
    ...(refers === undefined ? {} : { refers }),
    ...(choices === undefined ? {} : { choices }),
    field,
    place,
    facts: words === undefined ? facts : { ...facts, words },
  };
}

function choicesOf(
  { name, type, choices }: ApiField,
  { flag, words }: OptionFacts,
  unchecked: readonly string[],
): readonly string[] | undefined {
  if (unchecked.includes(name)) return undefined;
  if (type === 'boolean') return words === undefined || flag ? undefined : Object.keys(words);
  return choices === undefined ? undefined : [...Object.keys(words ?? {}), ...choices];
}

function textOf(field: ApiField, words: NonNullable<OptionFacts['words']>, refers: Reference | undefined): string {
  const text = field.about || FIELD_TEXTS[field.name.split('.').at(-1)!] || '';
  return [
    text,
    ...(refers === undefined ? [] : [NAMED_BY[refers]]),
    ...('none' in words ? ['none: not any more'] : []),
    ...(comesByInput(field) ? ['- reads it from standard input'] : []),
  ].join('; ');
}

function collectionOf({ call }: ApiOperation): string {
  return call.split('/')[1]!;
}

/** Returns the options of an answer: how many entries of a list, and the export. */
export function answerOptions({ query }: ApiOperation, limit: number | null): CommandOption[] {
  const names = new Set(query.map(({ name }) => name));
  const formats = query.find(({ name }) => name === 'format')?.choices?.filter((one) => one !== 'json');
  const conflicts = [...(limit === null ? [] : ['limit']), 'json'];
  return [
    ...(formats === undefined
      ? []
      : [{ name: 'format', description: 'all of them, as the API exports them', choices: formats, conflicts }]),
    ...(names.has('bom')
      ? [
          {
            name: 'excel',
            flag: true,
            description: 'CSV with a byte order mark, as Excel needs it for names',
            conflicts,
          },
        ]
      : []),
    ...(limit === null ? [] : [{ name: 'limit', description: `how many, ${limit} unless set` }]),
  ];
}
