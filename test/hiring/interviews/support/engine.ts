import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request that reached the engine. */
export interface EngineRequest {
  method: string;
  path: string;
  key: string | undefined;
  auth: string | undefined;
  body: Record<string, unknown>;
}

/** An interview engine that runs: it makes one meeting for each id, and answers as a test asks it to. */
export class Engine {
  readonly requests: EngineRequest[] = [];
  /** The meetings that are there, by the id of the interview. */
  readonly meetings = new Map<string, string>();
  /** Answers the next requests with these, instead of doing what they ask for. */
  readonly faults: { status: number; body?: unknown; headers?: Record<string, string>; applied?: boolean }[] = [];
  private readonly server = http.createServer((req, res) => void this.answer(req, res));

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  stop(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }

  private async answer(req: http.IncomingMessage, res: http.ServerResponse): Promise<void> {
    let text = '';
    for await (const chunk of req) text += String(chunk);
    const body = text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
    const { method = '', url: path = '' } = req;
    const key = req.headers['idempotency-key'] as string | undefined;
    this.requests.push({ method, path, key, auth: req.headers.authorization, body });
    const fault = this.faults.shift();
    const done = fault === undefined || fault.applied === true ? this.apply(method, path, body) : null;
    const { status, body: said, headers = {} } = fault ?? { status: done!.status, body: done!.body };
    res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(said ?? {}));
  }

  private apply(method: string, path: string, body: Record<string, unknown>): { status: number; body: unknown } {
    const [, , , id = '', verb] = path.split('/');
    if (method === 'POST' && id === '') {
      const own = String(body['id']);
      const url = this.meetings.get(own) ?? `https://meet.example.com/${this.meetings.size}/${own}`;
      this.meetings.set(own, url);
      return { status: 201, body: { meeting_url: url } };
    }
    if (!this.meetings.has(id)) return { status: 404, body: { code: 'not_found' } };
    if (verb === 'cancel') this.meetings.delete(id);
    return { status: 200, body: {} };
  }
}
