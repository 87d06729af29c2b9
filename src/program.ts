import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { Script } from 'node:vm';

/** The bytes of a SHA-256 digest. */
const DIGEST_BYTES = 32;

/** A program that is one file, compiled. The file is one expression: a function with the parameters of {@link Wrapper}. */
export interface Program {
  readonly file: string;
  readonly script: Script;
  /** The digest of the program's text. */
  readonly digest: Buffer;
}

/**
 * Compiles a program. The file `.cache` beside it has what an earlier process compiled: with it the compiler does not read
 * ten megabytes of text, which takes a quarter of a start. The compiler refuses a cache of another version of Node.js or
 * of other flags, and compiles the text.
 *
 * @param file the path of the program, which is in ASCII
 */
export function compile(file: string): Program {
  const bytes = readFileSync(file);
  const digest = createHash('sha256').update(bytes).digest();
  const cache = readCache(file);
  // The compiler compares no more than the length of the text: a changed program would run as it was before.
  const fits = cache?.subarray(0, DIGEST_BYTES).equals(digest) === true;
  const script = new Script(bytes.toString('latin1'), {
    filename: file,
    ...(fits && { cachedData: cache.subarray(DIGEST_BYTES) }),
  });
  return { file, script, digest };
}

/** Runs a program and returns what it exports. */
export function evaluate({ file, script }: Program): unknown {
  const module = { exports: {} };
  const wrapper = script.runInThisContext() as Wrapper;
  wrapper(module.exports, createRequire(file), module, file, path.dirname(file), (name) => import(name));
  return module.exports;
}

/** Returns the bytes of a program's cache. They contain each function that has run so far. */
export function cacheOf({ script, digest }: Program): Buffer {
  return Buffer.concat([digest, script.createCachedData()]);
}

/** What a module in CommonJS finds, and the way to packages that are modules of the other kind. */
type Wrapper = (
  exports: object,
  require: NodeJS.Require,
  module: { exports: object },
  file: string,
  folder: string,
  importModule: (name: string) => Promise<unknown>,
) => void;

function readCache(file: string): Buffer | undefined {
  try {
    return readFileSync(cacheFile(file));
  } catch (error) {
    // A start without it is slower, and nothing else.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** The path of a program's cache. */
export const cacheFile = (file: string): string => `${file}.cache`;
