import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Config } from '../../base/config/config.js';
import { NotFound } from '../../base/errors/domain-error.js';
import type { BridgeRequest, BridgeResponse } from '../../base/http/request.js';

/** A file of the console with its compressed forms. */
interface ConsoleFile {
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
function readConsole(folder: string = BUILT): ReadonlyMap<string, ConsoleFile> {
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
function acceptedForm(
  file: ConsoleFile,
  acceptEncoding: string | undefined,
): { encoding: 'br' | 'gzip' | null; bytes: Buffer } {
  const accepted = (acceptEncoding ?? '').split(',').map((part) => part.trim().toLowerCase());
  const takes = (name: string): boolean => accepted.some((part) => part === name || part.startsWith(`${name};`));
  if (takes('br')) return { encoding: 'br', bytes: file.br };
  if (takes('gzip')) return { encoding: 'gzip', bytes: file.gzip };
  return { encoding: null, bytes: file.plain };
}

/** Scripts, styles and calls of the own origin alone; a value that would be read as markup is refused by the browser. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const NOT_BUILT = 'The console is not built. Run `npm run build:web`, and start again.\n';

/** Serves the console: one document for all of its pages, and files whose names change with their content. */
@Controller('console')
@ApiExcludeController()
export class ConsoleFilesController {
  private readonly files: ReadonlyMap<string, ConsoleFile>;

  constructor(config: Config) {
    this.files = config.role === 'worker' ? new Map() : readConsole();
  }

  @Get('assets/:name')
  asset(@Param('name') name: string, @Req() req: BridgeRequest, @Res() res: BridgeResponse): void {
    const file = name === DOCUMENT ? undefined : this.files.get(name);
    if (file === undefined) throw new NotFound('file');
    res.setHeader('Cache-Control', 'public, max-age=31536000, immutable');
    send(req, res, file);
  }

  @Get(['', '*page'])
  document(@Req() req: BridgeRequest, @Res() res: BridgeResponse): void {
    const file = this.files.get(DOCUMENT);
    if (file === undefined) {
      res.status(503).type('text/plain').send(NOT_BUILT);
      return;
    }
    res.setHeader('Content-Security-Policy', POLICY);
    res.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
    send(req, res, file);
  }
}

function send(req: BridgeRequest, res: BridgeResponse, file: ConsoleFile): void {
  const { encoding, bytes } = acceptedForm(file, req.headers['accept-encoding']);
  res.setHeader('Content-Type', file.type);
  res.setHeader('Vary', 'Accept-Encoding');
  if (encoding !== null) res.setHeader('Content-Encoding', encoding);
  res.setHeader('Content-Length', bytes.length);
  res.end(bytes);
}
