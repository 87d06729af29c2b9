import { readFileSync } from 'node:fs';
import type { ApiField } from '../api/operations.js';
import { CliError, EXIT } from '../client/cli.errors.js';
import { optionOf } from '../command/command.js';
import type { OptionFacts } from './facts.js';

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

/** Returns the parts of a text with commas between. */
export function withoutCommas(text: string): string[] {
  return text.split(',').map((part) => part.trim());
}

/** Returns a text that is JSON as its value. */
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
