import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request to a simulator. */
export interface SimRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: Readonly<Record<string, string>>;
  body: string;
  /** The body, parsed; undefined: it is no JSON. */
  json: unknown;
  form: URLSearchParams;
}

/** An answer of a simulator: JSON, a page, text, or nothing. */
export interface SimAnswer {
  status: number;
  headers?: Readonly<Record<string, string>>;
  json?: unknown;
  html?: string;
  text?: string;
}

/** A refusal, thrown from anywhere below a route. */
export class SimRefusal extends Error {
  constructor(readonly answer: SimAnswer) {
    super(`refused with ${answer.status}`);
  }
}

/** A server that listens. */
export interface Listening {
  url: string;
  close(): Promise<void>;
}

/** Listens on a port (0: a free one) of the loopback interface. */
export async function listen(
  handle: (request: SimRequest, response: ServerResponse) => Promise<void>,
  port: number,
): Promise<Listening> {
  const server = http.createServer((incoming, response) => {
    read(incoming)
      .then((request) => handle(request, response))
      .catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function read(incoming: IncomingMessage): Promise<SimRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks).toString('utf8');
  const url = new URL(incoming.url ?? '/', 'http://sim');
  const headers = Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]));
  return {
    method: incoming.method ?? 'GET',
    path: url.pathname,
    query: url.searchParams,
    headers,
    body,
    json: parsed(body),
    form: new URLSearchParams(headers['content-type']?.includes('form') === true ? body : ''),
  };
}

function parsed(body: string): unknown {
  try {
    return body === '' ? undefined : JSON.parse(body);
  } catch {
    return undefined; // A form.
  }
}

/** Returns the bytes and the content type of an answer. */
export function bytesOf(answer: SimAnswer): { bytes: Buffer; type: string | null } {
  if (answer.html !== undefined) return { bytes: Buffer.from(answer.html), type: 'text/html; charset=utf-8' };
  if (answer.text !== undefined) return { bytes: Buffer.from(answer.text), type: 'text/plain; charset=utf-8' };
  if (answer.json === undefined) return { bytes: Buffer.alloc(0), type: null };
  return { bytes: Buffer.from(JSON.stringify(answer.json)), type: 'application/json; charset=utf-8' };
}

/** Sends an answer at once. */
export function send(response: ServerResponse, answer: SimAnswer): void {
  const { bytes, type } = bytesOf(answer);
  response.writeHead(answer.status, {
    ...(type === null ? {} : { 'content-type': type }),
    ...(answer.status === 204 ? {} : { 'content-length': String(bytes.length) }),
    ...answer.headers,
  });
  response.end(answer.status === 204 ? undefined : bytes);
}
