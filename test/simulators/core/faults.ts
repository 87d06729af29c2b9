import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { bytesOf, send, type SimAnswer, type SimRequest } from './http.js';

/** What goes wrong with an answer. */
export type FaultKind =
  /** A status with the vendor's error body; with `retryAfter` the header. */
  | { kind: 'status'; status: number; retryAfter?: string | number }
  /** Milliseconds by which the answer begins late. */
  | { kind: 'slow'; ms: number }
  /** Headers at once, then the body in pieces over this number of milliseconds. */
  | { kind: 'slow_body'; ms: number }
  /** The connection ends without an answer. `after`: the request takes effect before. */
  | { kind: 'reset'; after?: boolean }
  /** The next page is the page that was asked for. */
  | { kind: 'repeat_cursor' }
  | { kind: 'no_content' }
  /** A page of a proxy, with status 200. */
  | { kind: 'html' }
  /** A 2xx whose row failed, where the vendor has such. */
  | { kind: 'failed_row' }
  /** A body of this number of bytes, 5 MiB unless set. */
  | { kind: 'huge'; bytes?: number }
  /** Any other body, with status 200; a function makes one for each request. */
  | { kind: 'body'; body: string | (() => string) };

/** A fault, and the requests that it strikes. */
export type Fault = FaultKind & {
  /** Part of the path, with the query; any unless set. */
  path?: string;
  method?: string;
  /** The number of requests, one unless set; null: all. */
  times?: number | null;
  /** It strikes so much of these requests, from 0 to 1; each unless set. */
  rate?: number;
};

/** How a vendor words failures. */
export interface FaultWords {
  error(status: number): SimAnswer;
  failedRow(): SimAnswer;
  /** Returns a page whose next page is itself. */
  repeated(answer: SimAnswer, request: SimRequest): SimAnswer;
}

interface Waiting {
  fault: Fault;
  left: number;
}

/** The faults that wait for a request. */
export class Faults {
  private waiting: Waiting[] = [];
  private actions: { method: string; path: string; act: () => unknown }[] = [];

  constructor(private readonly words: FaultWords) {}

  add(fault: Fault): void {
    this.waiting.push({ fault, left: fault.times === null ? Infinity : (fault.times ?? 1) });
  }

  clear(): void {
    this.waiting = [];
    this.actions = [];
  }

  /** Does something before the next request that fits is handled: a merge between a read and a write. */
  before(method: string, path: string, act: () => unknown): void {
    this.actions.push({ method, path, act });
  }

  /** Handles a request, with the fault that strikes it. */
  async handle(request: SimRequest, response: ServerResponse, answer: () => Promise<SimAnswer>): Promise<void> {
    await this.actBefore(request);
    const fault = this.take(request);
    if (fault === null) return send(response, await answer());
    switch (fault.kind) {
      case 'status':
        return send(response, this.status(fault));
      case 'slow':
        await sleep(fault.ms);
        return send(response, await answer());
      case 'slow_body':
        return trickle(response, await answer(), fault.ms);
      case 'reset':
        if (fault.after === true) await answer();
        response.destroy();
        return;
      case 'repeat_cursor':
        return send(response, this.words.repeated(await answer(), request));
      case 'no_content':
        return send(response, { status: 204 });
      case 'html':
        return send(response, { status: 200, html: '<html><title>Maintenance</title></html>' });
      case 'failed_row':
        return send(response, this.words.failedRow());
      case 'huge':
        return send(response, { status: 200, json: { data: 'x'.repeat(fault.bytes ?? 5 * 1024 * 1024) } });
      case 'body':
        return send(response, { status: 200, headers: { 'content-type': 'application/json' }, text: bodyOf(fault) });
    }
  }

  private status({ status, retryAfter }: Extract<Fault, { kind: 'status' }>): SimAnswer {
    const answer = this.words.error(status);
    const headers: Record<string, string> = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
    return { ...answer, headers: { ...answer.headers, ...headers } };
  }

  private async actBefore(request: SimRequest): Promise<void> {
    const index = this.actions.findIndex(({ method, path }) => fits(request, method, path));
    if (index >= 0) await this.actions.splice(index, 1)[0]!.act();
  }

  private take(request: SimRequest): Fault | null {
    const found = this.waiting.find(
      ({ fault, left }) => left > 0 && Math.random() < (fault.rate ?? 1) && fits(request, fault.method, fault.path),
    );
    if (found === undefined) return null;
    found.left--;
    return found.fault;
  }
}

function bodyOf({ body }: Extract<Fault, { kind: 'body' }>): string {
  return typeof body === 'string' ? body : body();
}

function fits(request: SimRequest, method: string | undefined, path: string | undefined): boolean {
  if (method !== undefined && method !== request.method) return false;
  return path === undefined || `${request.path}?${request.query.toString()}`.includes(path);
}

async function trickle(response: ServerResponse, answer: SimAnswer, ms: number): Promise<void> {
  const { bytes, type } = bytesOf(answer);
  response.writeHead(answer.status, { 'content-type': type ?? 'application/json', 'content-length': bytes.length });
  const pieces = Math.max(1, Math.min(20, bytes.length));
  const size = Math.ceil(bytes.length / pieces);
  for (let i = 0; i < pieces && !response.destroyed; i++) {
    await sleep(ms / pieces);
    response.write(bytes.subarray(i * size, (i + 1) * size));
  }
  response.end();
}
