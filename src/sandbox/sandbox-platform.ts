import { createHash } from 'node:crypto';
import http, { type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SandboxEngine } from './sandbox-engine.js';
import {
  MAINTENANCE_PAGE,
  type Faults,
  NO_FAULTS,
  readFaults,
  strikes,
  problem,
  type SandboxAnswer,
  SandboxJournal,
  type SandboxRequest,
} from './sandbox-journal.js';
import { sandboxPage } from './sandbox-page.js';

const MAX_BODY = 256 * 1024;
const LONGEST_HANG_MS = 120_000;

/** Answers by the current fault. */
export async function spoil(res: ServerResponse, faults: Faults): Promise<void> {
  const retryAfter = faults.retry_after === null ? {} : { 'retry-after': String(faults.retry_after) };
  switch (faults.mode) {
    case '429':
      return send(res, problem(429, 'too_many_requests', 'Slower, please.'), retryAfter);
    case '500':
      return send(res, problem(500, 'internal', 'Something broke.'));
    case 'not_found':
      return send(res, problem(404, 'not_found', 'Nothing is here.'));
    case 'maintenance':
      res.writeHead(faults.status, { 'content-type': 'text/html; charset=utf-8', ...retryAfter }).end(MAINTENANCE_PAGE);
      return;
    case 'hang':
      await pause(LONGEST_HANG_MS, res);
      return void res.destroy();
    default:
      return void res.destroy();
  }
}

/** Waits, at most until the caller leaves. */
export function pause(ms: number, res: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    res.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** Sends an answer as JSON, or as a problem. */
export function send(res: ServerResponse, { status, body }: SandboxAnswer, headers: OutgoingHttpHeaders = {}): void {
  const type = status < 400 ? 'application/json' : 'application/problem+json';
  res.writeHead(
    status,
    body === '' ? headers : { 'content-type': type, 'content-length': Buffer.byteLength(body), ...headers },
  );
  res.end(body);
}

/** Sends a value. */
export function json(res: ServerResponse, status: number, value: unknown): void {
  send(res, { status, body: JSON.stringify(value) });
}

/**
 * Returns the body as text.
 *
 * @throws {Error} when it is too large
 */
export async function readAll(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of req as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY) throw new Error('the body is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Options of the sandbox. */
interface SandboxOptions {
  /** The database for its schema (`sandbox_platform`). */
  databaseUrl: string;
  /** 0: any free port. */
  port: number;
  host?: string;
}

/**
 * A stand-in for the hiring platform: its users API with `resolve`, a page of received requests, and faults on request.
 * Each bearer key has users of its own. Answers are stored: the same Idempotency-Key gets the same answer.
 */
export class SandboxPlatform {
  private readonly server: http.Server;
  private readonly engine: SandboxEngine;
  private readonly faultsOf = new Map<string, Faults>();
  /** The number of open requests of the API, and the highest number since it was last set to 0. */
  inFlight = 0;
  peak = 0;

  constructor(private readonly options: SandboxOptions) {
    this.engine = new SandboxEngine(new SandboxJournal(options.databaseUrl));
    this.server = http.createServer((req, res) => {
      this.handle(req, res).catch((error: unknown) => this.fail(res, error));
    });
    this.server.keepAliveTimeout = 30_000;
  }

  /**
   * Creates its schema, loads its data, and listens.
   *
   * @returns its address
   */
  async start(): Promise<string> {
    await this.engine.journal.open();
    await this.engine.load();
    await new Promise<void>((resolve, reject) => {
      // Listening may be repeated: a failed attempt must remove its listeners.
      const failed = (error: Error): void => {
        this.server.off('listening', listening);
        reject(error);
      };
      const listening = (): void => {
        this.server.off('error', failed);
        resolve();
      };
      this.server.once('error', failed).once('listening', listening);
      this.server.listen(this.options.port, this.options.host ?? '127.0.0.1');
    });
    return this.url;
  }

  get url(): string {
    const { port } = this.server.address() as AddressInfo;
    return `http://${this.options.host ?? '127.0.0.1'}:${port}`;
  }

  async stop(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.server.close(() => resolve());
      this.server.closeAllConnections();
    });
    await this.engine.journal.close();
  }

  /** Sets the faults: for all keys, or for one. */
  setFaults(faults: Partial<Faults>, key?: string): void {
    this.faultsOf.set(key === undefined ? '' : spaceOf(key), { ...NO_FAULTS, ...faults });
  }

  private async handle(req: http.IncomingMessage, res: http.ServerResponse): Promise<void> {
    if (!isLoopbackHost(req.headers.host)) {
      return send(res, problem(421, 'misdirected_request', 'The sandbox answers under a loopback name only.'));
    }
    await this.engine.ready();
    const url = new URL(req.url ?? '/', 'http://sandbox');
    const body = await readAll(req);
    const key = /^Bearer (.+)$/i.exec(req.headers.authorization ?? '')?.[1];
    if (url.pathname === '/') return this.page(res);
    if (url.pathname === '/faults') return this.faults(req, res, body, key);
    if (!url.pathname.startsWith('/v1/')) return send(res, problem(404, 'not_found', 'Nothing is here.'));
    if (key === undefined) return send(res, problem(401, 'unauthenticated', 'A bearer key is needed.'));
    const space = spaceOf(key);
    if (url.pathname === '/v1/reset' && req.method === 'POST') return this.reset(res, space);
    if (url.pathname === '/v1/calls' && req.method === 'GET') return this.calls(res, space, url.searchParams);
    const header = req.headers['idempotency-key'];
    this.inFlight++;
    this.peak = Math.max(this.peak, this.inFlight);
    try {
      await this.answer(res, {
        method: req.method ?? 'GET',
        path: url.pathname,
        query: url.searchParams,
        space,
        idempotencyKey: typeof header === 'string' ? header : null,
        body,
      });
    } finally {
      this.inFlight--;
    }
  }

  /** Answers a request of the API, with a fault before or after it if one is set. */
  private async answer(res: http.ServerResponse, request: SandboxRequest): Promise<void> {
    const faults = this.faultsOf.get(request.space) ?? this.faultsOf.get('') ?? NO_FAULTS;
    const strike = strikes(faults, Math.random(), Math.random());
    if (strike !== 'no' && faults.mode === 'slow') await pause(faults.delay_ms, res);
    const struck = strike !== 'no' && faults.mode !== 'slow';
    if (struck && strike === 'before') {
      await this.engine.drop(request, `before:${faults.mode}`);
      return spoil(res, faults);
    }
    const done = await this.engine.serve(request, struck ? `after:${faults.mode}` : null);
    if (struck) return spoil(res, faults);
    send(res, done.effect.answer);
  }

  private async faults(req: http.IncomingMessage, res: http.ServerResponse, body: string, key?: string): Promise<void> {
    const space = key === undefined ? '' : spaceOf(key);
    if (req.method === 'GET') return json(res, 200, this.faultsOf.get(space) ?? NO_FAULTS);
    if (req.headers['sec-fetch-site'] === 'cross-site') return send(res, problem(403, 'forbidden', 'Not from there.'));
    const form = req.headers['content-type']?.startsWith('application/x-www-form-urlencoded') ?? false;
    let input: unknown;
    try {
      input = form ? Object.fromEntries(new URLSearchParams(body)) : JSON.parse(body || '{}');
    } catch {
      return send(res, problem(400, 'malformed_json', 'The body is not valid JSON.'));
    }
    if (input === null || typeof input !== 'object')
      return send(res, problem(400, 'malformed_json', 'An object, please.'));
    const faults = readFaults(input as Record<string, unknown>);
    if (typeof faults === 'string') return send(res, problem(422, 'invalid_fields', faults));
    this.faultsOf.set(space, faults);
    if (!form) return json(res, 200, faults);
    res.writeHead(303, { location: '/' }).end();
  }

  private page(res: http.ServerResponse): void {
    const users = [...this.engine.spaces].flatMap(([space, { byId }]) =>
      [...byId.values()].map((user) => ({ space, user })),
    );
    const html = sandboxPage(users, this.engine.recent, this.faultsOf.get('') ?? NO_FAULTS);
    res
      .writeHead(200, {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy':
          "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'self'; frame-ancestors 'none'",
        'cache-control': 'no-store',
      })
      .end(html);
  }

  private async calls(res: http.ServerResponse, space: string, query: URLSearchParams): Promise<void> {
    const limit = Math.min(1_000, Number(query.get('limit') ?? 200) || 200);
    json(res, 200, { data: await this.engine.journal.calls(space, Number(query.get('after') ?? 0) || 0, limit) });
  }

  private async reset(res: http.ServerResponse, space: string): Promise<void> {
    await this.engine.reset(space);
    res.writeHead(204).end();
  }

  private fail(res: http.ServerResponse, error: unknown): void {
    if (res.headersSent || res.destroyed) return void res.destroy();
    const detail = error instanceof Error ? error.message : 'unknown';
    send(res, problem(503, 'unavailable', `The sandbox cannot store this request: ${detail}`));
  }
}

/** Returns the space of a key; the key itself is not stored. */
function spaceOf(key: string): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 16);
}

/**
 * Returns whether a request names this machine. A page of another site can point a name of its own at 127.0.0.1 (DNS
 * rebinding); the browser then sends that name.
 */
function isLoopbackHost(host: string | undefined): boolean {
  const name = /^(\[[^\]]{1,45}\]|[^:]{1,255})(?::\d{1,5})?$/.exec(host ?? '')?.[1]?.toLowerCase();
  return name !== undefined && (name === 'localhost' || name === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(name));
}
