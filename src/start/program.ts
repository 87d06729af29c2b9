import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
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
  const { text, digest } = withBytes(file, (bytes) => ({
    text: bytes.toString('latin1'),
    digest: createHash('sha256').update(bytes).digest(),
  }));
  const script = compileFromCache(file, text, digest) ?? new Script(text, { filename: file });
  return { file, script, digest };
}

/** Returns undefined where there is no whole cache of this text. A start without it is slower, and nothing else. */
function compileFromCache(file: string, text: string, digest: Buffer): Script | undefined {
  try {
    return withBytes(cacheFile(file), (cache) => {
      const cachedData = cache.subarray(DIGEST_BYTES);
      if (!cache.subarray(0, DIGEST_BYTES).equals(seal(digest, cachedData))) return undefined;
      return new Script(text, { filename: file, cachedData });
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Returns the digest that begins a cache. The compiler compares no more than the lengths of text and cache: it would run a
 * changed program in its former state, and a cache with one bad byte as other code than the program's.
 */
function seal(digest: Buffer, cachedData: Buffer): Buffer {
  return createHash('sha256').update(digest).update(cachedData).digest();
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
  const cachedData = script.createCachedData();
  return Buffer.concat([seal(digest, cachedData), cachedData]);
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

/**
 * Calls `use` with the bytes of a file, and frees them. Left to the garbage collector, the sixteen megabytes of a start are
 * still there when the process is largest.
 */
function withBytes<T>(file: string, use: (bytes: Buffer) => T): T {
  const memory = readWhole(file);
  try {
    return use(Buffer.from(memory));
  } finally {
    memory.resize(0);
  }
}

function readWhole(file: string): ResizableBuffer {
  const descriptor = openSync(file, 'r');
  try {
    const { size } = fstatSync(descriptor);
    const memory = new Resizable(size, { maxByteLength: size });
    const bytes = Buffer.from(memory);
    let read = 0;
    while (read < size) {
      const more = readSync(descriptor, bytes, read, size - read, null);
      if (more === 0) throw new Error(`${file} became shorter while it was read`);
      read += more;
    }
    return memory;
  } finally {
    closeSync(descriptor);
  }
}

type ResizableBuffer = ArrayBuffer & { resize(size: number): void };

/** An `ArrayBuffer` of ECMAScript 2024, which Node.js 20 has. */
const Resizable = ArrayBuffer as unknown as new (size: number, options: { maxByteLength: number }) => ResizableBuffer;

/** The path of a program's cache. */
export const cacheFile = (file: string): string => `${file}.cache`;
