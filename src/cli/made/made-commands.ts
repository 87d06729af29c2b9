import type { ApiOperation } from '../api/operations.js';
import type { Command } from '../command/command.js';
import type { FactsTable } from './facts.js';
import { madeCommand } from './made-command.js';
import { nameOf } from './name.rules.js';

/**
 * Makes the commands of operations: the one that the rule of names gives, or those of which the table says that they are `of`
 * the operation.
 *
 * @param elsewhere operations that have a command written by hand, or none
 */
export function madeCommands(
  operations: readonly ApiOperation[],
  table: FactsTable,
  elsewhere: Readonly<Record<string, string>>,
): Command[] {
  const collections = new Set(
    operations.flatMap(({ call, list }) => {
      const [method, path = ''] = call.split(' ');
      const holder = /^(.+)\/\{\w+\}$/.exec(path)?.[1];
      return [...(list && method === 'GET' ? [path] : []), ...(holder === undefined ? [] : [holder])];
    }),
  );
  return operations
    .filter(({ call }) => !(call in elsewhere))
    .flatMap((operation) => {
      const named = Object.keys(table).filter((name) => table[name]!.of === operation.call);
      const names = named.length > 0 ? named : [nameOf(operation.call, (path) => collections.has(path))];
      return names.map((name) => madeCommand(operation, name, table[name] ?? {}));
    });
}
