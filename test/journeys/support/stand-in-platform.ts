import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { SandboxUsers, type Effect } from '../../../src/sandbox/sandbox-users.js';
import { problem, type SandboxUser } from '../../../src/sandbox/sandbox-journal.js';

/** The accounts of one company, and what became of them. `first_name` is the tag of a human and never changes. */
export class Accounts {
  readonly users = new SandboxUsers();
  /** Accounts whose human a write changed, with what the account had before. */
  readonly moved: { id: string; from: string; to: string; key: string | null; wasActive: boolean }[] = [];
  /** Accounts that a write deactivated or deleted, in the order of the writes. */
  readonly left: string[] = [];
  /** Accounts whose role a write changed. */
  readonly otherRole: string[] = [];
  private readonly answers = new Map<string, Effect>();
  private made = 0;

  /** An account that the platform makes itself; it may have the e-mail of another one. */
  load(human: string, email: string, more: Partial<SandboxUser> = {}): SandboxUser {
    const at = new Date().toISOString();
    const user: SandboxUser = {
      id: `own_${++this.made}`, email, first_name: human, last_name: 'P', role: 'User', external_id: null,
      status: 'active', created_at: at, updated_at: at, ...more,
    }; // prettier-ignore
    this.users.load(user);
    return user;
  }

  apply(method: string, url: URL, key: string | undefined, body: string): Effect {
    const known = key === undefined ? undefined : this.answers.get(key);
    if (known !== undefined) return known;
    const effect = this.answer(method, url, body);
    if (key !== undefined) this.answers.set(key, effect);
    return effect;
  }

  private answer(method: string, url: URL, body: string): Effect {
    const read = (status: number, value: unknown): Effect => ({
      answer: { status, body: JSON.stringify(value) }, userId: null, externalId: null, applied: false,
    }); // prettier-ignore
    const [, , resource, id] = url.pathname.split('/');
    if (resource === 'resolve') {
      const found = this.users.resolve(url.searchParams.get('external_id') ?? '');
      return read(200, { found: found !== null, id: found, type: 'user' });
    }
    if (id === undefined) {
      if (method === 'POST') return this.users.create(body);
      return { ...read(200, null), answer: this.users.list(url.searchParams) };
    }
    if (method === 'DELETE') {
      this.left.push(id);
      return this.users.remove(id);
    }
    const before = this.users.byId.get(id);
    if (method === 'GET') {
      return before === undefined
        ? { ...read(404, null), answer: problem(404, 'not_found', 'No such user.') }
        : read(200, before);
    }
    const effect = this.users.update(id, body);
    const after = this.users.byId.get(id);
    if (before?.status === 'active' && after?.status !== 'active') this.left.push(id);
    if (before !== undefined && after?.role !== before.role) this.otherRole.push(id);
    if (before !== undefined && after !== undefined && before.first_name !== after.first_name) {
      const { first_name: from, external_id: key, status } = before;
      this.moved.push({ id, from, to: after.first_name, key, wasActive: status === 'active' });
    }
    return effect;
  }
}

/** A stand-in for the platforms of many companies, told apart by their keys. */
export class StandInPlatform {
  private readonly companies = new Map<string, Accounts>();
  private readonly server = http.createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const accounts = this.of(String(req.headers.authorization).slice('Bearer '.length));
      const key = req.headers['idempotency-key'] as string | undefined;
      const url = new URL(req.url!, 'http://x');
      const { answer } = accounts.apply(req.method!, url, key, Buffer.concat(chunks).toString());
      res.writeHead(answer.status, { 'content-type': 'application/json' });
      res.end(answer.body);
    });
  });

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  of(key: string): Accounts {
    let accounts = this.companies.get(key);
    if (accounts === undefined) this.companies.set(key, (accounts = new Accounts()));
    return accounts;
  }

  forget(key: string): void {
    this.companies.delete(key);
  }

  start(): Promise<void> {
    return new Promise((resolve) => this.server.listen(0, '127.0.0.1', resolve));
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
