import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** A file of the console with its compressed forms. */
export interface ConsoleFile {
  readonly type: string;
  readonly plain: Buffer;
  readonly br: Buffer;
  readonly gzip: Buffer;
}

/** The folder that the build of the console makes, beside `dist` or `src`. */
const BUILT = path.resolve(import.meta.dirname, '../../../web/dist/console');

/** The document of all pages. */
export const DOCUMENT = 'index.html';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

/**
 * Reads the files of the console into memory.
 *
 * @param folder where the build has put them
 * @returns the files by name; without the document where the console is not built
 */
export function readConsole(folder: string = BUILT): ReadonlyMap<string, ConsoleFile> {
  if (!existsSync(path.join(folder, DOCUMENT))) return new Map();
  const files = readdirSync(folder).flatMap((name): [string, ConsoleFile][] => {
    const type = TYPES[path.extname(name)];
    if (type === undefined) return [];
    const read = (suffix: string): Buffer => readFileSync(path.join(folder, `${name}${suffix}`));
    return [[name, { type, plain: read(''), br: read('.br'), gzip: read('.gz') }]];
  });
  return new Map(files);
}

/** Returns the form of a file that a client accepts, and its name in `Content-Encoding`; null: as it is. */
export function acceptedForm(
  file: ConsoleFile,
  acceptEncoding: string | undefined,
): { encoding: 'br' | 'gzip' | null; bytes: Buffer } {
  const accepted = (acceptEncoding ?? '').split(',').map((part) => part.trim().toLowerCase());
  const takes = (name: string): boolean => accepted.some((part) => part === name || part.startsWith(`${name};`));
  if (takes('br')) return { encoding: 'br', bytes: file.br };
  if (takes('gzip')) return { encoding: 'gzip', bytes: file.gzip };
  return { encoding: null, bytes: file.plain };
}
