import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Config } from '../../base/config/config.js';
import { NotFound } from '../../base/errors/domain-error.js';
import type { BridgeRequest, BridgeResponse } from '../../base/http/request.js';
import { acceptedForm, DOCUMENT, readConsole, type ConsoleFile } from './console-files.js';

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
