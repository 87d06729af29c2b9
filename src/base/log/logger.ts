import { readFileSync } from 'node:fs';
import os from 'node:os';
import type { LoggerService } from '@nestjs/common';
import { pino, type DestinationStream, type Logger as Pino } from 'pino';
import type { Config } from '../config/config.js';
import { isReported } from '../database/database-health.js';

const BLOCK_CHARACTERS = 16_000;
const LONGEST_WAIT_MS = 500;

type FlushedStream = DestinationStream & { flushSync?: () => void };

/**
 * Gathers lines into blocks, off the path of the request. A block is written when it is full, after half a second, by
 * `flushSync`, and at the end of the process. The destination of pino gathers too, but measures all waiting lines with each
 * line: for lines of 400 bytes that costs five times the rest of a line.
 */
export class Blocks implements FlushedStream {
  private waiting = '';

  constructor(private readonly destination: FlushedStream) {}

  write(line: string): void {
    this.waiting += line;
    if (this.waiting.length >= BLOCK_CHARACTERS) this.pass();
  }

  pass(): void {
    if (this.waiting === '') return;
    const block = this.waiting;
    this.waiting = '';
    this.destination.write(block);
  }

  flushSync(): void {
    this.pass();
    this.destination.flushSync?.();
  }
}

let shared: Blocks | undefined;

/** A process has one standard output. */
function stdoutBlocks(): Blocks {
  if (shared === undefined) {
    const blocks = new Blocks(pino.destination({ dest: 1, sync: false }));
    shared = blocks;
    setInterval(() => blocks.pass(), LONGEST_WAIT_MS).unref();
    // Before pino's own listeners, which write what they have been handed.
    process.prependListener('beforeExit', () => blocks.pass());
    process.prependListener('exit', () => blocks.pass());
  }
  return shared;
}

type LogFields = Record<string, unknown>;

// Fields with these names are removed from the log, at the top of a line and one level below.
const SECRET_FIELDS = [
  'authorization',
  'cookie',
  'password',
  'secret',
  'token',
  'api_token',
  'api_key',
  'apiKey',
  'scim_token',
  'operator_token',
  'access_token',
  'client_secret',
  'client_assertion',
];

/** Writes the log: one JSON object a line, to stdout. Lines contain ids, not names and e-mails. */
export class Logger {
  private readonly pino: Pino;
  private readonly destination: FlushedStream;
  /** The fields of every line that `line` writes, as JSON. */
  private readonly base: string;
  /** The present millisecond as text: many lines share it. */
  private time = { at: NaN, text: '' };
  /** Callers can skip building lines of level info where they are not written. */
  readonly infoEnabled: boolean;

  constructor(level = 'info', destination?: DestinationStream, base: LogFields = {}) {
    this.destination = destination ?? stdoutBlocks();
    this.pino = pino(
      {
        level,
        base,
        timestamp: pino.stdTimeFunctions.isoTime,
        formatters: { level: (label) => ({ level: label }) },
        messageKey: 'message',
        redact: { paths: SECRET_FIELDS.flatMap((name) => [name, `*.${name}`]), censor: '[redacted]' },
        serializers: { error: describeError },
      },
      this.destination,
    );
    this.base = Object.keys(base).length === 0 ? '' : `,${JSON.stringify(base).slice(1, -1)}`;
    this.infoEnabled = this.pino.isLevelEnabled('info');
  }

  debug(message: string, fields?: LogFields): void {
    this.pino.debug(fields, message);
  }
  info(message: string, fields?: LogFields): void {
    this.pino.info(fields, message);
  }
  warn(message: string, fields?: LogFields): void {
    this.pino.warn(fields, message);
  }
  /**
   * Writes `fields.error` with its stack and all its causes. An error that only shows that the database is away or full is
   * written without them, as `debug`: the outage has a line of its own.
   */
  error(message: string, fields?: LogFields): void {
    if (fields !== undefined && isReported(fields['error'])) {
      this.pino.debug({ ...fields, error: String(fields['error']) }, message);
      return;
    }
    this.pino.error(fields, message);
    this.flush();
  }

  /**
   * Writes a line of level info, of at least one field, that is known to contain no secrets and no errors, for thousands of
   * lines a second: the search for secrets costs more than the line.
   */
  line(fields: LogFields): void {
    if (!this.infoEnabled) return;
    this.destination.write(`{"level":"info","time":"${this.now()}"${this.base},${JSON.stringify(fields).slice(1)}\n`);
  }

  private now(): string {
    const at = Date.now();
    if (at !== this.time.at) this.time = { at, text: new Date(at).toISOString() };
    return this.time.text;
  }

  /** Writes waiting lines; to be called before the process ends. */
  flush(): void {
    try {
      this.destination.flushSync?.();
    } catch {
      // The destination is not open yet, or stdout is closed.
    }
  }
}

function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { code, constraint, table } = error as { code?: unknown; constraint?: unknown; table?: unknown };
  return {
    name: error.name,
    message: error.message,
    stack: error.stack,
    code,
    constraint,
    table,
    cause: error.cause === undefined ? undefined : describeError(error.cause),
  };
}

/** Writes Nest's lines into this log. */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}
  log(message: unknown, context?: string): void {
    this.logger.debug(String(message), { context });
  }
  warn(message: unknown, context?: string): void {
    this.logger.warn(String(message), { context });
  }
  error(message: unknown, stack?: string, context?: string): void {
    this.logger.error(message instanceof Error ? message.message : String(message), {
      context,
      error: message instanceof Error ? message : undefined,
      stack,
    });
  }
  debug(message: unknown, context?: string): void {
    this.logger.debug(String(message), { context });
  }
}

export const VERSION = (
  JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as { version: string }
).version;

/** Returns the fields of every line that identify the process. */
export function processFields({ role }: Pick<Config, 'role'>): { role: string; version: string; process: string } {
  return { role, version: VERSION, process: `${os.hostname()}:${process.pid}` };
}
