import { type PlainRefusal, plainRefusal } from '../../auth/sign-in/refusal-pages/refusal-texts.rules.js';
import { REFUSAL_REASONS, type SignInRefusalReason } from '../../auth/sign-in/sign-in.errors.js';
import { EVENTS } from '../../engine/events/catalogue.js';
import { PROBLEM_CODES } from '../../operations/docs/problem-codes.js';
import { SCOPE_TEXTS } from '../../tenancy/tenants/scopes.js';
import { type Command, type CommandOption, optionOf } from '../command/command.js';
import { optionsOf } from '../command/wait.js';
import { NOUNS, AFTER, COMMANDS } from '../program.js';
import { code, head, table, settingsFile, settingsIn, settingsPage } from './settings.mapping.js';

interface CliFacts {
  readonly commands: readonly Command[];
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

/** Renders the page of all codes of problems. */
export function errorsPage(codes: Readonly<Record<string, string>>): string {
  const sections = Object.entries(codes).map(([name, meaning]) => `## ${name}\n\n${meaning}\n`);
  return [
    head(
      'Error codes',
      'The `code` of a refusal (RFC 9457, `application/problem+json`) is stable. SCIM answers SCIM errors: see [SCIM](../directory/scim.md#errors).',
    ),
    ...sections,
  ].join('\n');
}

/** What the catalogue of events says of one, as far as the page shows it. */
interface ShownEvent {
  readonly severity: string;
  readonly runbook: string;
  readonly example: object;
}

/** Renders the page of all events. */
export function eventsPage(events: Readonly<Record<string, ShownEvent>>): string {
  const sections = Object.entries(events).map(
    ([name, { severity, runbook, example }]) =>
      `## ${name}\n\nSeverity: ${code(severity)}. ${runbook}\n\n\`\`\`json\n${JSON.stringify(example, null, 2)}\n\`\`\`\n`,
  );
  return [
    head(
      'Events',
      'The events of a tenant, by webhooks, in a list and in a feed: [Events](../integrate/events.md). The example is the `data` of the event; its JSON Schema is in the section `webhooks` of `/docs/openapi.json`. Pages for each alarm: [Runbook](../runbook/README.md).',
    ),
    ...sections,
  ].join('\n');
}

/** Renders the page of all scopes. */
export function scopesPage(scopes: Readonly<Record<string, string>>): string {
  const rows = Object.entries(scopes).map(([name, meaning]) => [code(name), meaning]);
  return [
    head(
      'Scopes',
      'An API key has scopes. Each operation of the [API reference](/docs/api) names the scope that it needs. A missing scope is 403 `missing_scope`.',
    ),
    table(['scope', 'opens'], rows),
  ].join('\n');
}

/**
 * Renders the page of all reasons for which a sign-in is refused.
 *
 * @param reasons the words in the log, in the order of the checks
 * @param shown what the user sees for a reason
 */
export function reasonsPage(reasons: readonly string[], shown: (reason: string) => PlainRefusal): string {
  const rows = reasons.map((reason) => {
    const { status, title, said } = shown(reason);
    return [code(reason), String(status), `**${title}.** ${said}`];
  });
  return [
    head(
      'Reasons of refused sign-ins',
      'The sign-in log (`sign-in list`, `GET /api/v1/sign-ins`) has the reason. The user sees plain words. Causes and remedies: [Refused sign-ins](../sign-in/refused.md).',
    ),
    table(['reason', 'status', 'the user sees'], rows),
  ].join('\n');
}

/**
 * Makes all pages of `docs/reference`.
 *
 * @param environment the text of `environment.ts`
 * @returns the pages by file name
 */
export function referencePages(environment: string): Record<string, string> {
  return {
    'settings.md': settingsPage(settingsIn(environment)),
    'settings.env': settingsFile(settingsIn(environment)),
    'cli.md': cliPage({ commands: COMMANDS, nouns: NOUNS, after: AFTER }),
    'errors.md': errorsPage(PROBLEM_CODES),
    'events.md': eventsPage(EVENTS),
    'scopes.md': scopesPage(SCOPE_TEXTS),
    'sign-in-reasons.md': reasonsPage(REFUSAL_REASONS, (reason) => plainRefusal(reason as SignInRefusalReason)),
  };
}
