import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readForm } from '../../../src/base/http/form.js';

let server: Server;
let url: string;
beforeAll(async () => {
  server = createServer((req, res) => {
    readForm(req, 1_024, ['a', 'b']).then(
      (form) => res.end(JSON.stringify(Object.fromEntries(form))),
      (error: { code: string }) => res.end(error.code),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

it.each([
  ['the named fields', 'a=1&b=2', '{"a":"1","b":"2"}'],
  ['no field without a value', 'a=&b=2', '{"b":"2"}'],
  ['a field once beside itself without a value', 'a=&a=1&a=', '{"a":"1"}'],
  ['no unknown field, however often it comes', 'x=1&a=1&x=2&__proto__=1&__proto__=2', '{"a":"1"}'],
  ['nothing of a field that comes twice', 'a=1&b=2&a=1', 'repeated_parameter'],
  ['nothing of 65 fields', 'x=1&'.repeat(64) + 'a=1', 'malformed_request'],
])('reads %s', async (_what, body, expected) => {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const answer = await fetch(url, { method: 'POST', headers, body });
  expect(await answer.text()).toBe(expected);
});
