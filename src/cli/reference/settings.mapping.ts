import { PROTECTIONS } from '../../base/config/protections.rules.js';
import { SECRETS } from '../../base/config/secret-files.js';
import { KEY_LIST } from '../../base/config/setting-rules.js';

/** The first lines of a page that is made from the code. */
export function head(title: string, about: string): string {
  return `# ${title}\n\n<!-- Made from the code by \`npm run docs:reference\`. Do not edit. -->\n\n${about}\n`;
}

/** A table; `|` in a cell is escaped. */
export function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return `${[line(columns), line(columns.map(() => '---')), ...rows.map(line)].join('\n')}\n`;
}

/** Text in the font of code. */
export function code(text: string): string {
  return `\`${text}\``;
}

/** A variable of the environment, as the source describes it. */
interface EnvironmentSetting {
  readonly name: string;
  readonly meaning: string;
  /** Markdown. */
  readonly byDefault: string;
  readonly values: string;
}

const PROPERTY = /^ {2}\/\*\*\n((?: {3}\*.*\n)+?) {3}\*\/\n {2}(@[\s\S]*?)\n {2}([A-Z_]+)\?: string;/gm;

/**
 * Reads the settings from the source of the class `Environment`.
 *
 * @param source the text of `environment.ts`
 * @returns the settings in the order of the source
 */
export function settingsIn(source: string): EnvironmentSetting[] {
  return [...source.matchAll(PROPERTY)].map(([, comment, rule, name]) => {
    const lines = comment!.split('\n').map((line) => line.replace(/^ {3}\* ?/, ''));
    const [meaning = '', byDefault = ''] = lines.join(' ').split('@defaultValue');
    return { name: name!, meaning: meaning.trim(), byDefault: byDefault.trim(), values: valuesOf(rule!) };
  });
}

/** The accepted values, from the decorator of the property. */
function valuesOf(decorator: string): string {
  const [, name, args] = /^@(\w+)\(([\s\S]*)\)$/.exec(decorator.trim())!;
  const texts = [...args!.matchAll(/'([^']*)'/g)].map(([, text]) => text!);
  switch (name) {
    case 'OneOf':
      return texts.map(code).join(', ');
    case 'WholeNumber':
      return `a whole number, ${args!.replaceAll('_', '').split(', ').join(' to ')}`;
    case 'HttpAddress':
      return 'an http or https address';
    case 'Duration':
      return `a duration: ${code('90s')}, ${code('60m')}, ${code('12h')}`;
    case 'Size':
      return `a size: ${code('512MiB')}, ${code('20GiB')}, ${code('1TiB')}; or ${code('off')}`;
    case 'KeyList':
      return KEY_LIST;
    default:
      return texts.at(-1)!.replace(/^must be /, '');
  }
}

function lifted(name: string): string {
  const protection = PROTECTIONS[name as keyof typeof PROTECTIONS];
  return protection ? ` Lifts a protection: ${protection.when}.` : '';
}

/** Renders the page of all settings. */
export function settingsPage(settings: readonly EnvironmentSetting[]): string {
  const rows = settings.map(({ name, byDefault, meaning, values }) => [
    code(name),
    byDefault,
    [meaning, lifted(name)].join(''),
    values,
  ]);
  return [
    head(
      'Settings',
      'Settings come from the environment, and are checked once at the start. All problems are reported together, by name and rule; a value is never printed. An empty value counts as absent. A variable that begins as one of these and is none stops the start, and the message names the nearest setting.',
    ),
    `A secret can be in a file: ${SECRETS.map((name) => code(`${name}_FILE`)).join(', ')} name it. A value that *lifts a protection* is refused`,
    `with ${code('NODE_ENV=production')}, unless ${code('ALLOW_UNSAFE')} names its variable. It is then in the log at each start, and in the metric`,
    `${code('bridge_protection_lifted')}.\n`,
    table(['variable', 'default', 'meaning', 'values'], rows),
  ].join('\n');
}

/** Renders a file of all settings without a value, to copy, for `env_file` of `docker-compose.yml`. */
export function settingsFile(settings: readonly EnvironmentSetting[]): string {
  const plain = (text: string): string => text.replaceAll('`', '');
  const lines = settings.flatMap(({ name, meaning, byDefault, values }) => [
    `# ${plain(meaning)} Values: ${plain(values)}. Default: ${plain(byDefault)}.`,
    ...((SECRETS as readonly string[]).includes(name) ? [`#${name}_FILE=`] : []),
    `#${name}=`,
    '',
  ]);
  return ['# All settings. Made from the code by `npm run docs:reference`. Copy what you need.', '', ...lines].join(
    '\n',
  );
}
