import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An answer on its way through the peer; each part can be spoiled. */
export interface PassingAnswer {
  status: number;
  headers: Record<string, string>;
  text: string;
}

/** A request on its way through the peer. */
export interface PassingRequest {
  method: string;
  /** Path and query below the SCIM address, decoded. */
  path: string;
  headers: Record<string, string>;
  body: string;
}

/** A fault: what spoils requests or answers, and the field that a finding names. */
export interface Fault {
  name: string;
  /** The field of one finding at least has it. */
  field: RegExp;
  /** Changes a request before it reaches the service; null: the service never sees it, and the answer is this one. */
  request?: (request: PassingRequest) => PassingAnswer | void;
  /** Changes an answer of the service. */
  answer?: (answer: PassingAnswer, request: PassingRequest) => void;
}

/** A peer in front of a service that passes all on, and spoils what a fault names. */
export class FaultyPeer {
  fault: Fault | null = null;
  private readonly server = createServer((req, res) => void this.pass(req, res));

  constructor(private readonly target: string) {}

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/scim/v2`;
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async pass(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of req) parts.push(part as Buffer);
    const { host: _, connection: __, 'content-length': ___, ...headers } = req.headers as Record<string, string>;
    const path = decodeURIComponent(req.url!.replace(/^\/scim\/v2/, ''));
    const request = { method: req.method!, path, headers, body: Buffer.concat(parts).toString() };
    const answer = this.fault?.request?.(request) ?? (await this.forward(request));
    this.fault?.answer?.(answer, request);
    const {
      'content-length': _length,
      'transfer-encoding': _encoding,
      connection: _connection,
      ...kept
    } = answer.headers;
    res.writeHead(answer.status, kept);
    res.end(answer.status === 204 || answer.status === 304 ? undefined : answer.text);
  }

  private async forward({ method, path, headers, body }: PassingRequest): Promise<PassingAnswer> {
    const answer = await fetch(`${this.target}${encodeURI(path)}`, {
      method,
      headers: { ...headers, 'accept-encoding': 'identity' },
      redirect: 'manual',
      ...(body === '' ? {} : { body }),
    });
    return { status: answer.status, headers: Object.fromEntries(answer.headers), text: await answer.text() };
  }
}
