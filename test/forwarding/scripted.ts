import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A platform of which each test says how it behaves; what it does not say goes to the sandbox's own answer. */
export class Scripted {
  readonly seen: { method: string; url: string; key: string | undefined; auth: string | undefined; body: string }[] =
    [];
  answer: (request: Scripted['seen'][number], res: ServerResponse) => boolean = () => false;
  private readonly server: Server;

  constructor(private readonly behind: string) {
    this.server = createServer((req, res) => void this.handle(req, res));
  }
  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }
  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
  /** The sandbox's own answer to a request. */
  ask({ method, url, key, auth, body }: Scripted['seen'][number]): Promise<Response> {
    return fetch(this.behind + url, {
      method,
      headers: {
        ...(auth ? { authorization: auth } : {}),
        ...(key ? { 'idempotency-key': key } : {}),
        'content-type': 'application/json',
      },
      ...(body === '' ? {} : { body }),
    });
  }
  /** Lets a request take effect. Out: the status, and what sends the answer on its way. */
  async pass(request: Scripted['seen'][number], res: ServerResponse): Promise<{ status: number; send: () => void }> {
    const answer = await this.ask(request);
    const [{ status }, text] = [answer, await answer.text()];
    const type = answer.headers.get('content-type') ?? 'application/json';
    return { status, send: () => void res.writeHead(status, { 'content-type': type }).end(text) };
  }
  private async handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of req) body += String(chunk);
    const key = req.headers['idempotency-key'];
    const request = {
      method: req.method!,
      url: req.url!,
      key: typeof key === 'string' ? key : undefined,
      auth: req.headers.authorization,
      body,
    };
    this.seen.push(request);
    if (this.answer(request, res)) return;
    (await this.pass(request, res)).send();
  }
}
