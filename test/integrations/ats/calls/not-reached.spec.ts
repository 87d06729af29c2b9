import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { HostBreaker } from '../../../../src/integrations/ats/calls/connection-api.js';
import { lever } from '../../../../src/integrations/ats/connectors/lever/lever.connector.js';
import { plainCalls } from '../connectors/support/calls.js';

const CREDENTIAL = { kind: 'api_key', key: 'k' } as const;
const call = { method: 'GET', path: '/postings' } as const;

let server: http.Server;
beforeAll(async () => {
  server = http.createServer((_, res) => res.end('{}'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

it('keeps a server shut for all when one call is refused by its address, and asks again', async () => {
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const calls = plainCalls(lever, origin, CREDENTIAL);
  let now = 0;
  calls.ground.breaker = new HostBreaker(() => now);
  for (let i = 0; i < 3; i++) calls.ground.breaker.silent(origin);
  now = 1_000;
  calls.ground.anyPrivate = false;
  await expect(calls.api.call(call)).rejects.toMatchObject({ reason: 'blocked' });
  now = 1_001;
  // The one call that asks is free again: it answers, and opens the server.
  calls.ground.anyPrivate = true;
  await expect(calls.api.call(call)).resolves.toMatchObject({ status: 200 });
  await calls.close();
});

it('keeps the failures of a server when a name is not found', async () => {
  const calls = plainCalls(lever, 'http://no-such-name.invalid', CREDENTIAL);
  const { breaker } = calls.ground;
  for (let i = 0; i < 2; i++) breaker.silent('http://no-such-name.invalid');
  await expect(calls.api.call(call)).rejects.toMatchObject({ reason: 'dns' });
  breaker.silent('http://no-such-name.invalid');
  expect(breaker.refusal('http://no-such-name.invalid')).not.toBeNull();
  await calls.close();
});
