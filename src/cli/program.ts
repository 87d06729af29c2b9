import { Command as Commander, CommanderError, InvalidArgumentError, Option } from 'commander';
import { VERSION } from '../base/log/logger.js';
import { OPERATIONS } from './api/operations.js';
import { CliError, EXIT, ServiceRefusal } from './client/cli.errors.js';
import { Client } from './client/client.js';
import { findConnection, type Env } from './client/connection.js';
import { byOptions, optionOf, type Command, type CommandOption } from './command/command.js';
import { optionsOf, runToEnd } from './command/wait.js';
import { CHAIN_COMMANDS } from './commands/chains.js';
import { CHANGE_COMMANDS } from './commands/changes.js';
import { DIRECTORY_COMMANDS } from './commands/directories.js';
import { DOCTOR_COMMANDS } from './commands/doctor.js';
import { ONE_OF_TWO_COMMANDS } from './commands/one-of-two.js';
import { SERVICE_COMMANDS } from './commands/service.js';
import { HELD_COMMANDS, USER_COMMANDS } from './commands/users.js';
import { madeCommands } from './made/made-commands.js';
import { print, type Terminal } from './output/output.js';
import { withIds } from './references/references.js';
import { FACTS } from './table/facts.js';

/** Operations whose command has another name, or that have none: the command, or the reason. */
export const ELSEWHERE: Readonly<Record<string, string>> = {
  // one command of several operations
  'GET /ats-connections/{connection_id}/events': 'ats events',
  'GET /ats-connections/{connection_id}/events/{event_id}': 'ats events --event-id',
  'POST /ats-connections/{connection_id}/events/retry': 'ats retry --failed',
  'POST /ats-connections/{connection_id}/events/{event_id}/retry': 'ats retry --event-id',
  'POST /ats-connections/{connection_id}/tokens': 'ats token',
  'DELETE /ats-connections/{connection_id}/tokens/{token_id}': 'ats token --remove',
  'POST /ats-connect-links': 'ats link',
  'DELETE /ats-connect-links/{link_id}': 'ats link --revoke',
  'POST /changes/retry': 'changes retry --error',
  'POST /changes/{id}/retry': 'changes retry',
  'POST /changes/dismiss': 'changes dismiss --error',
  'POST /changes/{id}/dismiss': 'changes dismiss',
  'GET /directories/{directory_id}/groups/{group_id}/members': 'directory group-members',
  'GET /directories/{directory_id}/rules': 'directory rules',
  'PUT /directories/{directory_id}/rules': 'directory rules --set',
  'POST /directories/{directory_id}/rules/plan': 'directory rules plan',
  'POST /directories/{directory_id}/tokens': 'directory rotate-token, for a directory without a valid token',
  'POST /directories/{directory_id}/tokens/{token_id}/rotate': 'directory rotate-token',
  'GET /events': 'event list',
  'POST /held/release': 'held release --reason',
  'POST /held/{user_id}/release': 'held release',
  'POST /held/discard': 'held discard --reason',
  'POST /held/{user_id}/discard': 'held discard',
  'GET /interviews/{id}/scorecard': 'interview scorecard',
  'PUT /interviews/{id}/scorecard': 'interview scorecard --put',
  'PUT /platform': 'platform set',
  'GET /status': 'status',
  'GET /users/{id}': 'user show',
  'GET /users/{user_id}/explain': 'user show, explain',
  'DELETE /users/{user_id}/sessions': 'session end',
  'DELETE /users/{user_id}/sessions/{session_id}': 'session end --session-id',
  'POST /webhooks/{webhook_id}/rotate-secret': 'webhook rotate',
  'POST /webhooks/{webhook_id}/revoke-secrets': 'webhook rotate --revoke',
  'GET /audit/heads': 'audit heads',
  'GET /seats/heads': 'seats heads',
  'POST /seats/verify': 'seats verify',
  'POST /installation/console-links': 'console link',

  // the same for a tenant that the operator names
  'GET /tenants/{tenant_id}': 'tenant show --tenant',
  'GET /tenants/{tenant_id}/api-keys': 'api-key list --tenant',
  'POST /tenants/{tenant_id}/api-keys': 'api-key create --tenant',
  'DELETE /tenants/{tenant_id}/api-keys/{key_id}': 'api-key revoke --tenant',
  'GET /tenants/{tenant_id}/storage': 'storage show --tenant',
  'DELETE /tenants/{tenant_id}/domains/{domain}': 'domain remove --tenant',

  'GET /candidates/by-external-id/{external_id}': 'candidate show takes an external_id',
  'GET /directories/{directory_id}/tasks': 'task list has the tasks of all directories',

  // sessions of a browser
  'POST /console/session': 'a browser begins the session of the console',
  'DELETE /console/session': 'a browser ends it',
  'POST /tenants/{tenant_id}/enter': 'the session of the operator enters a tenant; a command has --tenant',
  'POST /tenants/{tenant_id}/leave': 'and leaves it',
};

/** Each noun in a few words. The help adds its verbs. */
export const NOUNS: Record<string, string> = {
  status: 'the service, and how a tenant is doing',
  overview: 'what needs attention, and the first steps of a tenant',
  me: 'the tenant and the rights of the key',
  explain: 'why a user has access or not',
  search: 'users, directories, groups and other records by name or id',
  resolve: 'the id of a record by its external_id',
  migrate: 'brings the schema of the database up to date',
  tenant: 'customers (operator token)',
  gate: 'the tests that Entra ID and Okta demand of an application',
  owner: 'sign-in without an IdP (operator token)',
  'api-key': 'credentials of the API',
  user: 'users, why one is held, and which user has the name',
  candidate: 'candidates',
  job: 'job openings',
  interview: 'interviews of candidates, their scorecards and their engine',
  event: 'the events of the tenant, and the feed after a position',
  directory: 'SCIM sources',
  request: 'SCIM requests and what each did',
  role: 'the catalogue of roles',
  connection: 'sign-in through IdPs',
  domain: 'e-mail domains of a tenant',
  platform: 'the destination of changes',
  drift: 'compares the platform with the expected state',
  changes: 'changes that were or will be forwarded',
  webhook: 'addresses that events are sent to',
  ats: 'connections to applicant tracking systems',
  held: 'users whose requested state has no effect',
  storage: 'bytes that a tenant stores',
  seats: 'use, limit and ledger of seats',
  console: 'the way into the console (operator token)',
  member: 'users who administer the tenant',
  audit: 'the log of administrative changes',
  installation: 'processes, background work and the log of the operator (operator token)',
  'sign-in': 'the sign-in log, with the reasons of refusals',
  session: 'live sessions',
  identity: 'bindings of users to subjects at IdPs',
  leavers: 'users who left, and the time of each step',
  history: 'all that happened to a user',
  task: 'background work of a tenant',
  doctor: 'checks from outside: a SCIM service, a deployment, and the gates of Entra ID and Okta',
  keys: 'encryption and signing keys of the installation (operator token)',
};

/** Every command there is, in the order of the nouns. */
export const COMMANDS: readonly Command[] = [
  ...SERVICE_COMMANDS,
  ...USER_COMMANDS,
  ...HELD_COMMANDS,
  ...DIRECTORY_COMMANDS,
  ...CHANGE_COMMANDS,
  ...CHAIN_COMMANDS,
  ...ONE_OF_TWO_COMMANDS,
  ...DOCTOR_COMMANDS,
  ...madeCommands(OPERATIONS, FACTS, ELSEWHERE),
].sort((a, b) => placeOf(a) - placeOf(b) || (a.verb < b.verb ? -1 : 1));

function placeOf({ noun }: Command): number {
  return Object.keys(NOUNS).indexOf(noun);
}

/** The text below the help: where the service and the credentials are found, and the exit codes. */
export const AFTER = `
The address of the service and the credentials come from the environment, or else from the files that the first start
has written to DATA_DIR (unless set: the nearest .data of this folder and those above it, else of the installation):
  TALENT_BRIDGE_URL       the address             (else credentials.json, BASE_URL, http://localhost:3000)
  TALENT_BRIDGE_API_KEY   a key of your tenant    (else credentials.json)
  OPERATOR_TOKEN          of the installation     (else credentials.json, else operator-token)

Every command has --json, and --tenant <id> for another tenant than that of the key (with the operator token).
"talent-bridge <noun> <verb> --help" lists the options.

A command that begins a task has --wait: it follows the task to its end. Ctrl-C ends the waiting, and the task continues.

Exit codes: 0 done, 1 refused by the service, not ok, or a task that failed, 2 wrong usage, 3 service not reachable,
4 no or a wrong credential, 130 the waiting was interrupted.
`;

/** Runs one command line (without `node` and the script) and answers the exit code. */
export async function runCli(args: readonly string[], env: Env, terminal: Terminal): Promise<number> {
  try {
    await program(env, terminal).parseAsync(args.map(hyphened), { from: 'user' });
    return EXIT.done;
  } catch (error) {
    // Commander has said already what was wrong with the words; asking for help is no mistake.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    if (!(error instanceof CliError)) throw error;
    terminal.err(`${error.message}\n`);
    return error.exitCode;
  }
}

function program(env: Env, terminal: Terminal): Commander {
  const root = new Commander('talent-bridge')
    .description('Administration of a running talent-bridge, through its own API.')
    .version(VERSION, '--version', 'print the version of this command line')
    .addHelpText('after', AFTER)
    .helpCommand(false)
    .enablePositionalOptions() // `--set` after `rules plan` belongs to `plan`, not to `rules`.
    .exitOverride()
    .configureOutput({ writeOut: (text) => terminal.out(text), writeErr: (text) => terminal.err(text) });
  for (const command of COMMANDS) {
    // `guard show` is below the verb `guard`, which comes before it in the list.
    const words = [command.noun, ...command.verb.split(' ')].filter((word) => word !== '');
    let parent = root;
    for (const word of words.slice(0, -1)) {
      parent =
        parent.commands.find((one) => one.name() === word) ??
        parent
          .command(word)
          .description(parent === root ? aboutNoun(word) : word)
          .helpCommand(false);
    }
    add(parent, words.at(-1)!, command, env, terminal);
  }
  return root;
}

function aboutNoun(noun: string): string {
  const verbs = COMMANDS.filter((command) => command.noun === noun).map(({ verb }) => verb.split(' ')[0]!);
  return `${NOUNS[noun] ?? noun}: ${[...new Set(verbs)].join(', ')}`;
}

function add(parent: Commander, name: string, command: Command, env: Env, terminal: Terminal): void {
  const sub = parent
    .command(name)
    .description(command.description)
    .option('--tenant <id>', 'another tenant than the one of the configured key; needs the operator token')
    .option('--json', 'print JSON');
  sub.exitOverride((error) => {
    const hint = error.code === 'commander.unknownOption' ? optionWithChoice(command, error.message) : null;
    if (hint !== null) terminal.err(`(Did you mean ${hint}?)\n`);
    throw error;
  });
  const { argument } = command;
  if (argument) sub.argument(argument.required ? `<${argument.name}>` : `[${argument.name}]`, argument.description);
  for (const option of optionsOf(command)) sub.addOption(asTyped(option));
  sub.action(async (...received: unknown[]) => {
    const typed = sub.opts<Record<string, string | boolean | undefined>>();
    const options: Record<string, string | boolean | undefined> = {};
    for (const [name, value] of Object.entries(typed)) options[snake(name)] = value;
    demandOptions(command, options);
    const client = new Client(findConnection(env), typed['tenant'] as string | undefined);
    try {
      const first = argument ? (received[0] as string | undefined) : undefined;
      const typedContext = { client, env, terminal, options, argument: first };
      command.check?.(typedContext);
      const context = await withIds(typedContext, command);
      const show = (result: unknown) => {
        print(terminal, result, typed['json'] === true);
        demandOk(result);
      };
      if (options['wait'] === true) await runToEnd(command, context, terminal, show);
      else show(await command.run(context));
    } catch (error) {
      if (!(error instanceof ServiceRefusal)) throw error;
      throw error.named((field) => byOptions(field, command.options ?? []));
    } finally {
      await client.close();
    }
  });
}

/** Returns the option that has the name of an unknown option as a value: `--preview` is `--state preview`. */
function optionWithChoice({ options = [] }: Command, message: string): string | null {
  const unknown = /'--([\w-]+)/.exec(message)?.[1]?.replaceAll('-', '_');
  const option = options.find(({ choices }) => unknown !== undefined && choices?.includes(unknown));
  return option === undefined ? null : `${optionOf(option.name)} ${unknown}`;
}

/** Demands the options that a command needs, once the parser has found no unknown one: a misspelt option is named as that. */
function demandOptions({ options = [] }: Command, given: Readonly<Record<string, unknown>>): void {
  const missing = options.filter(({ name, required }) => required === true && given[name] === undefined);
  if (missing.length === 0) return;
  const names = missing.map(({ name }) => optionOf(name)).join(' and ');
  throw new CliError(`${names} ${missing.length === 1 ? 'is' : 'are'} required.`, EXIT.usage);
}

/** An option as the parser knows it. Given twice it is refused: only one of the two could count. */
function asTyped({ name, description, flag, choices, conflicts }: CommandOption): Option {
  const typed = new Option(`${optionOf(name)}${flag ? '' : ` <${name}>`}`, description);
  if (!flag) {
    typed.argParser((value: string, before: string | undefined) => {
      if (before !== undefined) throw new InvalidArgumentError('It is given twice.');
      if (choices !== undefined && !choices.includes(value)) {
        throw new InvalidArgumentError(`Allowed choices are ${choices.join(', ')}.`);
      }
      return value;
    });
  }
  if (choices !== undefined) typed.argChoices = [...choices];
  if (conflicts !== undefined) typed.conflicts(conflicts.map(camel));
  return typed;
}

/** A script sees by the exit code that what was looked at is not well; what is wrong has been printed. */
function demandOk(result: unknown): void {
  if (result === null || typeof result !== 'object' || !('ok' in result) || result.ok !== false) return;
  const { sequence, code, problem, message } = result as Record<string, unknown>;
  // A chain names its first line that does not fit.
  const words = typeof sequence === 'number' ? [chainWords(sequence, code, problem)] : [problem, message];
  throw new CliError(['Not ok.', ...words.filter((text) => typeof text === 'string')].join(' '));
}

function chainWords(sequence: number, code: unknown, problem: unknown): string {
  if (code === 'holders differ') {
    return `The chain is whole, but ${String(problem)}. "seats reconcile" names the users; --repair corrects by further lines.`;
  }
  const next = 'Before anything else keep a copy of what was checked: docs/runbook/chain-broken.md.';
  return `Line ${sequence} of the chain does not fit: ${String(problem)}. ${next}`;
}

// The API's own spelling (--time_zone) is as good as the usual one of a terminal (--time-zone).
function hyphened(arg: string): string {
  const match = /^--[a-z_]+(?==|$)/.exec(arg);
  return match === null ? arg : match[0].replaceAll('_', '-') + arg.slice(match[0].length);
}

// The parser knows options by the names that they have as properties.
function camel(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
