import { createHash } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { MAINTENANCE_PAGE, NO_FAULTS, readFaults, strikes, type Faults } from './sandbox-faults.js';
import { SandboxJournal } from './sandbox-journal.js';
import { sandboxPage } from './sandbox-page.js';
import { SandboxUsers, type Effect } from './sandbox-users.js';
import { problem, type JournalEntry, type SandboxAnswer, type SandboxRequest } from './sandbox.types.js';

export interface SandboxOptions {
  /** The database in which it keeps a schema of its own (`sandbox_platform`). */
  databaseUrl: string;
  /** 0: any free port. */
  port: number;
  host?: string;
}

const MAX_BODY = 256 * 1024;
const RECENT = 100;
const LONGEST_HANG_MS = 120_000;

/**
 * A stand-in for the hiring platform: its users API with `resolve`, a page that shows what arrived, and faults on
 * request. Each bearer key has users of its own. What it answered is kept: the same Idempotency-Key gets it again.
 */
export class SandboxPlatform {
  private readonly server: http.Server;
  private readonly journal: SandboxJournal;
  private spaces = new Map<string, SandboxUsers>();
  private answers = new Map<string, { hash: string; answer: SandboxAnswer }>();
  private readonly faultsOf = new Map<string, Faults>();
  private recent: JournalEntry[] = [];
  private seq = 0;
  private loading: Promise<void> | null = null;
  /** How many requests of the API are open, and the most at one time since it was last set to 0. */
  inFlight = 0;
  peak = 0;

  constructor(private readonly options: SandboxOptions) {
    this.journal = new SandboxJournal(options.databaseUrl);
    this.server = http.createServer((req, res) => {
      this.handle(req, res).catch((error: unknown) => this.fail(res, error));
    });
    this.server.keepAliveTimeout = 30_000;
  }

  /** Makes its schema, loads what it knew, and listens. Out: its address. */
  async start(): Promise<string> {
    await this.journal.open();
    await this.load();
    await new Promise<void>((resolve, reject) => {
      // Listening may be tried again: a failed try must leave no listeners behind.
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
    await this.journal.close();
  }

  /** Sets what goes wrong: for all, or for the users of one key. */
  setFaults(faults: Partial<Faults>, key?: string): void {
    this.faultsOf.set(key === undefined ? '' : spaceOf(key), { ...NO_FAULTS, ...faults });
  }

  private async load(): Promise<void> {
    this.spaces = new Map();
    this.answers = new Map();
    for (const { space, doc } of await this.journal.users()) this.space(space).load(doc);
    for (const { space, idempotency_key, body_hash, status, answer } of await this.journal.answers()) {
      this.answers.set(`${space} ${idempotency_key}`, { hash: body_hash, answer: { status: status!, body: answer! } });
    }
    this.seq = await this.journal.lastSeq();
  }

  private async handle(req: http.IncomingMessage, res: http.ServerResponse): Promise<void> {
    if (this.loading) await this.loading;
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

  /** A request of the API: perhaps something goes wrong before it, perhaps after it. */
  private async answer(res: http.ServerResponse, request: SandboxRequest): Promise<void> {
    const faults = this.faultsOf.get(request.space) ?? this.faultsOf.get('') ?? NO_FAULTS;
    const strike = strikes(faults, Math.random(), Math.random());
    if (strike !== 'no' && faults.mode === 'slow') await pause(faults.delay_ms, res);
    const struck = strike !== 'no' && faults.mode !== 'slow';
    if (struck && strike === 'before') {
      await this.note(request, null, `before:${faults.mode}`);
      return spoil(res, faults);
    }
    const { effect, replayed } = this.apply(request);
    await this.note(request, { effect, replayed }, struck ? `after:${faults.mode}` : null);
    if (struck) return spoil(res, faults);
    send(res, effect.answer);
  }

  /** Decides and applies in one turn of the loop: two requests never interleave. */
  private apply(request: SandboxRequest): { effect: Effect; replayed: boolean } {
    const { method, path, space, idempotencyKey } = request;
    const users = this.space(space);
    const reads = method === 'GET';
    const memory = idempotencyKey === null || reads ? null : `${space} ${idempotencyKey}`;
    const before = memory === null ? undefined : this.answers.get(memory);
    if (before !== undefined) {
      const answer =
        before.hash === hashOf(request)
          ? before.answer
          : problem(422, 'idempotency_key_reused', 'This Idempotency-Key came with another request before.');
      return { effect: { answer, userId: null, externalId: null, applied: false }, replayed: true };
    }
    const [, , resource, id] = path.split('/');
    const effect = route(users, method, resource ?? '', id === undefined ? undefined : decodeURIComponent(id), request);
    if (memory !== null) this.answers.set(memory, { hash: hashOf(request), answer: effect.answer });
    return { effect, replayed: false };
  }

  private async note(
    request: SandboxRequest,
    done: { effect: Effect; replayed: boolean } | null,
    fault: string | null,
  ): Promise<void> {
    const reads = request.method === 'GET';
    const entry: JournalEntry = {
      seq: ++this.seq,
      at: new Date(),
      space: request.space,
      method: request.method,
      path: request.path,
      idempotency_key: request.idempotencyKey,
      user_id: done?.effect.userId ?? null,
      external_id: done?.effect.externalId ?? null,
      body: request.body,
      body_hash: hashOf(request),
      status: done?.effect.answer.status ?? null,
      applied: (done?.effect.applied ?? false) && !done?.replayed,
      replayed: done?.replayed ?? false,
      fault,
      answer: reads || done === null || done.replayed ? null : done.effect.answer.body,
    };
    this.recent = [entry, ...this.recent.slice(0, RECENT - 1)];
    const { user_id: userId, space } = entry;
    const user = entry.applied && userId !== null ? (this.space(space).byId.get(userId) ?? null) : undefined;
    const written = this.journal.write(entry, user);
    // Whether a mere question is remembered is not worth waiting for.
    if (reads) return void written.catch(() => undefined);
    try {
      await written;
    } catch (error) {
      // Memory says more than the database: believe the database.
      this.loading ??= this.load().finally(() => (this.loading = null));
      throw error;
    }
  }

  private async faults(req: http.IncomingMessage, res: http.ServerResponse, body: string, key?: string): Promise<void> {
    const space = key === undefined ? '' : spaceOf(key);
    if (req.method === 'GET') return json(res, 200, this.faultsOf.get(space) ?? NO_FAULTS);
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
    const users = [...this.spaces].flatMap(([space, { byId }]) => [...byId.values()].map((user) => ({ space, user })));
    const html = sandboxPage(users, this.recent, this.faultsOf.get('') ?? NO_FAULTS);
    res
      .writeHead(200, {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy':
          "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'",
        'cache-control': 'no-store',
      })
      .end(html);
  }

  private async calls(res: http.ServerResponse, space: string, query: URLSearchParams): Promise<void> {
    const limit = Math.min(1_000, Number(query.get('limit') ?? 200) || 200);
    json(res, 200, { data: await this.journal.calls(space, Number(query.get('after') ?? 0) || 0, limit) });
  }

  private async reset(res: http.ServerResponse, space: string): Promise<void> {
    await this.journal.reset(space);
    this.spaces.delete(space);
    for (const key of this.answers.keys()) if (key.startsWith(`${space} `)) this.answers.delete(key);
    this.recent = this.recent.filter((entry) => entry.space !== space);
    res.writeHead(204).end();
  }

  private space(space: string): SandboxUsers {
    let users = this.spaces.get(space);
    if (users === undefined) this.spaces.set(space, (users = new SandboxUsers()));
    return users;
  }

  private fail(res: http.ServerResponse, error: unknown): void {
    if (res.headersSent || res.destroyed) return void res.destroy();
    const detail = error instanceof Error ? error.message : 'unknown';
    send(res, problem(503, 'unavailable', `The sandbox cannot keep this: ${detail}`));
  }
}

function route(
  users: SandboxUsers,
  method: string,
  resource: string,
  id: string | undefined,
  request: SandboxRequest,
): Effect {
  const read = (answer: SandboxAnswer): Effect => ({ answer, userId: null, externalId: null, applied: false });
  const { query } = request;
  if (resource === 'resolve' && method === 'GET' && id === undefined) {
    const type = query.get('type');
    const found = type === 'user' ? users.resolve(query.get('external_id') ?? '') : null;
    return read({ status: 200, body: JSON.stringify({ found: found !== null, id: found, type }) });
  }
  if (resource !== 'users') return read(problem(404, 'not_found', 'Nothing is here.'));
  if (id === undefined) {
    if (method === 'POST') return users.create(request.body);
    if (method === 'GET') return read(users.list(query));
  } else {
    if (method === 'PATCH') return users.update(id, request.body);
    if (method === 'DELETE') return users.remove(id);
    const user = users.byId.get(id);
    if (method === 'GET') {
      return read(user ? { status: 200, body: JSON.stringify(user) } : problem(404, 'not_found', 'No such user.'));
    }
  }
  return read(problem(405, 'method_not_allowed', `${method} is not possible here.`));
}

/** Answers as the fault wants it. */
async function spoil(res: http.ServerResponse, faults: Faults): Promise<void> {
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

/** Waits, but not longer than the caller does. */
function pause(ms: number, res: http.ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    res.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

function send(res: http.ServerResponse, { status, body }: SandboxAnswer, headers: http.OutgoingHttpHeaders = {}): void {
  const type = status < 400 ? 'application/json' : 'application/problem+json';
  res.writeHead(
    status,
    body === '' ? headers : { 'content-type': type, 'content-length': Buffer.byteLength(body), ...headers },
  );
  res.end(body);
}

function json(res: http.ServerResponse, status: number, value: unknown): void {
  send(res, { status, body: JSON.stringify(value) });
}

async function readAll(req: http.IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of req as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY) throw new Error('the body is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** The space of a key; the key itself is kept nowhere. */
function spaceOf(key: string): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 16);
}

function hashOf(request: SandboxRequest): string {
  return createHash('sha256').update(`${request.method} ${request.path}\n${request.body}`).digest('base64url');
}
