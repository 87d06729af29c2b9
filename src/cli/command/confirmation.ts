import { CliError, EXIT } from '../client/cli.errors.js';
import type { CommandOption, Context } from './command.js';

/** The option by which the caller of a dangerous command shows that its effect is known. */
export const CONFIRM: CommandOption = {
  name: 'confirm',
  description: 'the number that the command asks for; not needed where it is 0',
};

/**
 * Demands the number of what a command hits.
 *
 * @param effect what the command does, as a sentence with the number
 * @throws {CliError} with the effect and the option to repeat the command with, unless `--confirm` has the number
 */
export function demandConfirmed({ options }: Context, count: number, effect: string): void {
  const given = options['confirm'];
  if (count === 0 || given === String(count)) return;
  const words =
    given === undefined
      ? 'Nothing was changed.'
      : `--confirm ${String(given)} is not that number, and nothing was changed.`;
  throw new CliError(`${effect} ${words} Repeat the command with --confirm ${count}.`, EXIT.usage);
}
