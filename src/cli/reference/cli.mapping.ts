import type { Command, CommandOption } from '../command/command.js';
import { optionOf } from '../command/command.js';
import { optionsOf } from '../command/wait.js';
import { code, head, table } from './markdown.js';

/** What the page of the command line is made from. */
export interface CliFacts {
  readonly commands: readonly Command[];
  /** What each noun is. */
  readonly nouns: Readonly<Record<string, string>>;
  /** The text below the help: settings and exit codes. */
  readonly after: string;
}

/** Renders the page of the command line: a section for each noun, a heading for each command. */
export function cliPage({ commands, nouns, after }: CliFacts): string {
  const sections = [...new Set(commands.map(({ noun }) => noun))].map((noun) => {
    const own = commands.filter((command) => command.noun === noun);
    const about = nouns[noun];
    return [`## ${noun}\n`, ...(about === undefined ? [] : [`${sentence(about)}\n`]), ...own.map(section)].join('\n');
  });
  return [
    head(
      'Command line',
      '`npx talent-bridge <noun> <verb>` prints a table that fits the terminal, or with `--json` JSON and nothing else. In a clone `npm run -s cli -- …` is the same; without `-s` npm prints two lines of its own first. Each command is a call of the API. A user is named by id, e-mail, `external_id` or `userName`; a directory by id or name; a connection by id or slug.',
    ),
    `\`\`\`text\n${after.trim()}\n\`\`\`\n`,
    ...sections,
  ].join('\n');
}

function section(command: Command): string {
  const { noun, verb, description, argument } = command;
  const name = verb === '' ? noun : `${noun} ${verb}`;
  const shown = argument === undefined ? '' : argument.required ? ` <${argument.name}>` : ` [${argument.name}]`;
  const rows = [
    ...(argument === undefined ? [] : [[code(shown.trim()), argument.description]]),
    ...optionsOf(command).map((option) => [code(usage(option)), describe(option)]),
  ];
  return [
    ...(verb === '' ? [] : [`### ${name}\n`]),
    `${code(`npx talent-bridge ${name}${shown}`)}: ${sentence(description)}\n`,
    ...(rows.length === 0 ? [] : [table(['argument or option', 'meaning'], rows)]),
  ].join('\n');
}

function usage({ name, flag }: CommandOption): string {
  return `${optionOf(name)}${flag ? '' : ` <${name}>`}`;
}

function describe({ description, choices, required, conflicts = [] }: CommandOption): string {
  return [
    description,
    ...(choices === undefined ? [] : [`one of ${choices.map(code).join(', ')}`]),
    ...(required ? ['required'] : []),
    ...(conflicts.length === 0 ? [] : [`not with ${conflicts.map((name) => code(optionOf(name))).join(', ')}`]),
  ].join('; ');
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
