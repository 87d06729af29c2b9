import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { lever } from '../../../../src/integrations/ats/connectors/lever/lever.connector.js';
import { plainCalls, type PlainCalls } from '../connectors/support/calls.js';

const call = { method: 'GET', path: '/postings' } as const;

let answer: { status: number; headers: Record<string, string> };
let server: http.Server;
let calls: PlainCalls;
beforeAll(async () => {
  server = http.createServer((_, res) => res.writeHead(answer.status, answer.headers).end('{}'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => new Promise((resolve) => server.close(resolve)));
beforeEach(() => {
  const { port } = server.address() as AddressInfo;
  calls = plainCalls(lever, `http://127.0.0.1:${port}`, { kind: 'api_key', key: 'k' });
});
afterEach(() => calls.close());

it.each([408, 425, 429, 500, 502, 503, 504])(
  'pauses a connection when an ATS answers %i with Retry-After',
  async (status) => {
    answer = { status, headers: { 'retry-after': '7' } };
    await expect(calls.api.call(call)).rejects.toMatchObject({ kind: 'away', retryAfterMs: 7_000 });
    expect(calls.pauses).toEqual([7_000]);
  },
);

it.each([408, 500, 502, 503])('pauses no connection when an ATS answers %i without Retry-After', async (status) => {
  answer = { status, headers: {} };
  await expect(calls.api.call(call)).rejects.toMatchObject({ kind: 'away', retryAfterMs: null });
  expect(calls.pauses).toEqual([]);
});

it('pauses a connection for an hour at most', async () => {
  answer = { status: 503, headers: { 'retry-after': '86400' } };
  await expect(calls.api.call(call)).rejects.toMatchObject({ retryAfterMs: 3_600_000 });
});
