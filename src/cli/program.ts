import { Command as Commander, CommanderError, InvalidArgumentError, Option } from 'commander';
import { CliError, EXIT, ServiceRefusal } from './client/cli.errors.js';
import { Client } from './client/client.js';
import { byOptions, optionOf, type Command, type CommandOption } from './command/command.js';
import { CHAIN_COMMANDS } from './commands/chains.js';
import { CHANGE_COMMANDS } from './commands/changes.js';
import { DIRECTORY_COMMANDS } from './commands/directories.js';
import { DOCTOR_COMMANDS } from './commands/doctor.js';
import { HELD_COMMANDS } from './commands/held.js';
import { ONE_OF_TWO_COMMANDS } from './commands/one-of-two.js';
import { SERVICE_COMMANDS } from './commands/service.js';
import { USER_COMMANDS } from './commands/users.js';
import { findConnection, type Env } from './client/connection.js';
import { ELSEWHERE } from './elsewhere.js';
import { OPERATIONS } from './api/operations.js';
import { madeCommands } from './made/made-commands.js';
import { FACTS } from './table/facts.js';
import { NOUNS } from './nouns.js';
import { VERSION } from '../base/log/logger.js';
import { print, type Terminal } from './output/output.js';
import { withIds } from './references/references.js';
import { optionsOf, runToEnd } from './command/wait.js';

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

/** What a noun is, with its verbs. */
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
