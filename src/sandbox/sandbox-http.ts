import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { MAINTENANCE_PAGE, type Faults } from './sandbox-faults.js';
import { problem, type SandboxAnswer } from './sandbox.types.js';

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
