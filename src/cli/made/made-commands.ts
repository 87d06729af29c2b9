import type { ApiOperation } from '../api/operations.js';
import type { Command } from '../command/command.js';
import { madeCommand } from './made-command.js';
import type { FactsTable } from './values.js';

/** Collections whose noun is not their name without `s`. */
const NOUNS: Readonly<Record<string, string>> = {
  'ats-connect-links': 'ats-link',
  'ats-connections': 'ats',
  changes: 'changes',
  directories: 'directory',
  held: 'held',
  identities: 'identity',
  leavers: 'leavers',
  seats: 'seats',
  status: 'status',
};

/** The verb of a method at the address of a record. */
const VERBS: Readonly<Record<string, string>> = { GET: 'show', PUT: 'set', PATCH: 'set', DELETE: 'delete' };

/**
 * Returns the name of the command of an operation: `GET /roles` is `role list`, `PATCH /roles/{name}` is `role set`,
 * `POST /tasks/{task_id}/cancel` is `task cancel`, `GET /directories/{id}/groups` is `directory groups`.
 *
 * @param call method and address
 * @param isCollection whether an address is that of a collection, in which POST creates
 */
export function nameOf(call: string, isCollection: (path: string) => boolean): string {
  const [method = '', path = ''] = call.split(' ');
  const parts = path.split('/').slice(1);
  const [first = '', ...below] = parts.filter((part) => !part.startsWith('{'));
  const noun = NOUNS[first] ?? first.replace(/s$/, '');
  const isTop = below.length === 0;
  const isRecord = parts.at(-1)!.startsWith('{');
  const act = actOf(method, { isTop, isRecord, isCollection: isCollection(path) });
  return [noun, ...below, act].filter((word) => word !== '').join(' ');
}

function actOf(
  method: string,
  { isTop, isRecord, isCollection }: { isTop: boolean; isRecord: boolean; isCollection: boolean },
): string {
  if (method === 'POST') return isCollection ? 'create' : '';
  if (method !== 'GET' || isRecord) return VERBS[method]!;
  if (!isTop) return '';
  return isCollection ? 'list' : 'show';
}

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
