import { CliError, EXIT, ServiceRefusal } from './cli.errors.js';
import type { ServiceConnection } from './connection.js';

export type Json = Record<string, unknown>;

interface ProblemLike {
  detail?: string;
  code?: string;
  request_id?: string;
  errors?: { field: string; message: string }[];
}

const PATIENCE = 30_000;
const TEMPORARY_MINUTES = 15;
const RENEWED_MS = 10 * 60_000;
const PROBE_MS = 1_000;

/**
 * The service's own API, as the CLI uses it. For another tenant than the one of the configured key it asks the
 * operator's API for a key of that tenant: a short-lived one, named in that tenant's audit log, ended when we are done.
 */
export class Client {
  private temporary: { tenantId: string; id: string; key: string; madeAt: number } | null = null;

  constructor(
    private readonly connection: ServiceConnection,
    private readonly tenant: string | undefined,
  ) {}

  get url(): string {
    return this.connection.url;
  }

  /** A call with a key of the chosen tenant. */
  async call<T = Json>(method: string, path: string, body?: unknown): Promise<T> {
    return this.send<T>(await this.apiKey(), method, `/api/v1${path}`, body);
  }

  /** An export, as it comes: a byte order mark stays. */
  async text(path: string): Promise<string> {
    return this.sent(await this.apiKey(), 'GET', `/api/v1${path}`);
  }

  /** A call with the operator's token. */
  async operate<T = Json>(method: string, path: string, body?: unknown): Promise<T> {
    return this.send<T>(this.operatorToken(), method, `/api/v1${path}`, body);
  }

  /** A call without any credential. */
  async open<T = Json>(path: string): Promise<{ status: number; body: T }> {
    const answer = await this.fetch(null, 'GET', path);
    return { status: answer.status, body: parse(await answer.text()) as T };
  }

  /** Returns the entries of a list, over all its pages, up to `limit`; `T` is the shape of an entry. */
  async list<T = Json>(path: string, limit = 1_000, operator = false): Promise<T[]> {
    const all: T[] = [];
    let cursor: string | null = null;
    do {
      const joint = path.includes('?') ? '&' : '?';
      const page: string = `${path}${joint}limit=200${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`;
      const answer: { data: T[]; next_cursor: string | null } = operator
        ? await this.operate('GET', page)
        : await this.call('GET', page);
      all.push(...answer.data);
      cursor = answer.next_cursor;
    } while (cursor !== null && all.length < limit);
    return all.slice(0, limit);
  }

  /** Lets a temporary key live out its quarter of an hour: what was made with it ends with it. */
  leaveKey(): void {
    this.temporary = null;
  }

  /** Whether calls are made with a key of the operator's that ends with the command. */
  get hasTemporaryKey(): boolean {
    return this.tenant !== undefined && this.tenant !== this.connection.tenantId;
  }

  /** Ends the temporary key, if one was made. */
  async close(): Promise<void> {
    if (this.temporary === null) return;
    const { tenantId, id } = this.temporary;
    this.temporary = null;
    await this.operate('DELETE', `/tenants/${tenantId}/api-keys/${id}`).catch(() => undefined);
  }

  /** Whether calls for a tenant are possible at all. */
  get hasKey(): boolean {
    const { apiKey, operatorToken } = this.connection;
    return apiKey !== null || (this.tenant !== undefined && operatorToken !== null);
  }

  private async apiKey(): Promise<string> {
    const { apiKey, tenantId } = this.connection;
    if (this.tenant === undefined || this.tenant === tenantId) {
      if (apiKey !== null) return apiKey;
      throw new CliError(
        'There is no API key: set TALENT_BRIDGE_API_KEY, or name a tenant with --tenant.',
        EXIT.credential,
      );
    }
    // A task can be waited for longer than the key lives.
    if (this.temporary !== null && Date.now() - this.temporary.madeAt > RENEWED_MS) await this.close();
    if (this.temporary === null) {
      const made = await this.operate<{ id: string; api_key: string }>(
        'POST',
        `/tenants/${encode(this.tenant)}/api-keys`,
        {
          name: 'cli',
          scopes: ['admin'],
          expires_at: new Date(Date.now() + TEMPORARY_MINUTES * 60_000).toISOString(),
        },
      );
      this.temporary = { tenantId: this.tenant, id: made.id, key: made.api_key, madeAt: Date.now() };
    }
    return this.temporary.key;
  }

  private operatorToken(): string {
    if (this.connection.operatorToken !== null) return this.connection.operatorToken;
    throw new CliError(
      'There is no operator token: set OPERATOR_TOKEN, or DATA_DIR to where it is kept.',
      EXIT.credential,
    );
  }

  private async send<T>(token: string, method: string, path: string, body?: unknown): Promise<T> {
    return parse(await this.sent(token, method, path, body)) as T;
  }

  private async sent(token: string, method: string, path: string, body?: unknown): Promise<string> {
    const answer = await this.fetch(token, method, path, body);
    const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(await answer.arrayBuffer());
    if (answer.ok) return text;
    const problem = (parse(text) ?? {}) as ProblemLike;
    throw new ServiceRefusal(
      problem.detail ?? `The service answered ${answer.status}.`,
      problem.errors ?? [],
      problem.request_id ?? null,
      answer.status === 401 || answer.status === 403 ? EXIT.credential : EXIT.failed,
    );
  }

  private async fetch(token: string | null, method: string, path: string, body?: unknown): Promise<Response> {
    try {
      return await fetch(this.connection.url + path, {
        method,
        headers: {
          Accept: 'application/json',
          ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        redirect: 'error',
        signal: AbortSignal.timeout(PATIENCE),
      });
    } catch (error) {
      const cause = (error as { cause?: { code?: string } }).cause?.code ?? (error as Error).name;
      throw new CliError(await this.noAnswer(cause), EXIT.unreachable);
    }
  }

  /** Says where the address comes from, and where a service of this machine answers in its place. No credential is sent there. */
  private async noAnswer(cause: string): Promise<string> {
    const { url, foundIn, besides } = this.connection;
    const lines = [`No answer from ${url} (${cause}). The address is from ${foundIn}.`];
    for (const other of besides) {
      const answers = await fetch(`${other}/healthz`, { signal: AbortSignal.timeout(PROBE_MS) }).then(
        ({ ok }) => ok,
        () => false,
      );
      if (answers)
        lines.push(`A service answers at ${other}: set TALENT_BRIDGE_URL=${other}, or DATA_DIR to its data folder.`);
    }
    if (lines.length === 1) lines.push('Start the service with npm start, or set TALENT_BRIDGE_URL to its address.');
    return lines.join(' ');
  }
}

export function encode(segment: string): string {
  return encodeURIComponent(segment);
}

function parse(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
