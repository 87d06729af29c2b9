import http from 'node:http';
import net from 'node:net';
import { gzipSync } from 'node:zlib';
import { Body, Controller, Post, Put, Req } from '@nestjs/common';
import { adminApp, type AdminApp } from '../../support/admin-app.js';
import type { Answer } from '../../support/http.js';
import { long } from '../../support/rounds.js';

/** Says what came of a body. */
@Controller()
class EchoController {
  @Post(['echo', 'scim/v2/echo', 'scim/v2/Bulk'])
  echo(@Body() body: unknown): object {
    return { got: body === undefined ? 'nothing' : body };
  }
  @Put('scim/v2/Groups/:id')
  group(@Req() req: { body: { members: unknown[] } }): object {
    return { members: req.body.members.length };
  }
}

let edge: AdminApp;
beforeAll(async () => {
  edge = await adminApp({}, [EchoController]);
});
afterAll(() => edge.close());

const JSON_TYPE = { 'content-type': 'application/json' };
const post = (raw: string | Buffer, headers: Record<string, string> = JSON_TYPE, url = '/echo') =>
  edge.call('POST', url, { raw, headers });

/** Sends bytes as they are and gives back what comes, for what no HTTP client would send. */
function rawRequest(text: string, end = false): Promise<string> {
  const { port } = new URL(edge.baseUrl);
  return new Promise((resolve, reject) => {
    const socket = net.connect(Number(port), '127.0.0.1', () => {
      socket.write(text);
      if (end) socket.end();
    });
    let answer = '';
    socket.setTimeout(3000, () => socket.destroy());
    socket.on('data', (chunk) => {
      answer += chunk.toString();
      if (/\r\n\r\n/.test(answer)) setTimeout(() => socket.destroy(), 50);
    });
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
  });
}

describe('bodies that are read', () => {
  it.each([
    ['application/json'],
    ['application/scim+json'],
    ['Application/SCIM+JSON; charset=UTF-8'],
    ['application/json;charset="utf-8"'],
    ['application/merge-patch+json'],
  ])('%s', async (type) => {
    expect((await post('{"a":"ä"}', { 'content-type': type })).body).toEqual({ got: { a: 'ä' } });
  });

  it('an empty body of any type is no body', async () => {
    expect((await edge.call('POST', '/echo')).body).toEqual({ got: 'nothing' });
    expect((await edge.call('POST', '/echo', { headers: { 'content-type': 'text/plain' } })).body).toEqual({
      got: 'nothing',
    });
    expect((await post('   ')).body).toEqual({ got: 'nothing' });
  });

  it('a byte order mark is passed over', async () => {
    expect((await post('\ufeff{"a":1}')).body).toEqual({ got: { a: 1 } });
  });

  it('nested 32 deep, and any number of brackets inside a text', async () => {
    expect((await post('['.repeat(32) + ']'.repeat(32))).status).toBe(201);
    expect((await post(JSON.stringify({ a: '[{"'.repeat(100), b: '\\"[' }))).status).toBe(201);
  });

  it('in any number of pieces', async () => {
    const text = JSON.stringify({ a: 'ä'.repeat(500) });
    const bytes = Buffer.from(text);
    const answer = await new Promise<string>((resolve, reject) => {
      const { port } = new URL(edge.baseUrl);
      const req = http.request({ port, method: 'POST', path: '/echo', headers: JSON_TYPE }, (res) => {
        let got = '';
        res.on('data', (chunk: Buffer) => (got += chunk.toString()));
        res.on('end', () => resolve(got));
      });
      req.on('error', reject);
      let at = 0;
      const timer = setInterval(() => {
        if (at >= bytes.length) {
          clearInterval(timer);
          req.end();
        } else req.write(bytes.subarray(at, (at += 301)));
      }, 2);
    });
    expect(JSON.parse(answer)).toEqual({ got: JSON.parse(text) });
  });

  long('of 16 MiB for a group, 4 MiB for Bulk, 1 MiB elsewhere', async () => {
    const members = JSON.stringify({
      members: Array.from({ length: 100_000 }, (_, i) => ({
        value: `usr_${String(i).padStart(26, '0')}`,
        display: 'A Name That Is Not Short',
      })),
    });
    expect(members.length).toBeGreaterThan(4 * 1024 * 1024);
    const group = await edge.call('PUT', '/scim/v2/Groups/g', { raw: members, headers: JSON_TYPE });
    expect([group.status, group.body]).toEqual([200, { members: 100_000 }]);
    const text = (mib: number) => JSON.stringify('x'.repeat(mib * 1024 * 1024 - 2));
    expect((await post(text(4), JSON_TYPE, '/scim/v2/Bulk')).status).toBe(201);
    expect((await post(`${text(4)} `, JSON_TYPE, '/scim/v2/Bulk')).status).toBe(413);
    expect((await post(text(1))).status).toBe(201);
    expect((await post(`${text(1)} `)).status).toBe(413);
  });
});

describe('400', () => {
  it.each<[string, string | Buffer]>([
    ['half an object', '{"a":'],
    ['two values', '{} {}'],
    ['single quotes', "{'a':1}"],
    ['a comma too many', '[1,]'],
    ['not a number', 'NaN'],
    ['a raw control character in a text', '"a\u0001b"'],
    ['bytes that are no UTF-8', Buffer.from([0x22, 0xc3, 0x28, 0x22])],
    ['UTF-16', Buffer.from('"a"', 'utf16le')],
    ['33 deep', '['.repeat(33) + ']'.repeat(33)],
    ['a bomb of brackets', '[{"a":'.repeat(100_000)],
  ])('%s', async (_, raw) => {
    const answer = await post(raw);
    expect([answer.status, answer.body.code]).toEqual([400, 'malformed_json']);
    const scim = await post(raw, JSON_TYPE, '/scim/v2/echo');
    expect([scim.status, scim.body.status, scim.body.scimType]).toEqual([400, '400', 'invalidSyntax']);
  });

  it('changes no prototype', async () => {
    expect((await post('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}')).status).toBe(201);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });
});

describe('413', () => {
  it('before a single byte of the body is sent', async () => {
    const head =
      'POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99999999999\r\n\r\n';
    expect(await rawRequest(head)).toMatch(/^HTTP\/1\.1 413 /);
  });

  it('while reading, without a Content-Length', async () => {
    const chunk = 'x'.repeat(0x10000);
    const text = `POST /echo HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${edge.tenant.api_key}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${`10000\r\n${chunk}\r\n`.repeat(20)}`;
    expect(await rawRequest(text)).toMatch(/^HTTP\/1\.1 413 /);
  });
});

describe('a large body of an unknown caller', () => {
  const MIB = 1024 * 1024;
  const head = (more: string): string =>
    `PUT /scim/v2/Groups/g HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${more}\r\n\r\n`;

  long('is refused before it is sent, in the form of the surface', async () => {
    const answer = await rawRequest(head(`Content-Length: ${16 * MIB}`));
    expect(answer).toMatch(/^HTTP\/1\.1 401 /);
    expect(answer).toMatch(/www-authenticate: Bearer/i);
    expect(answer).toContain('urn:ietf:params:scim:api:messages:2.0:Error');
    const wrong = await rawRequest(head(`Authorization: Bearer tbs_wrong\r\nContent-Length: ${16 * MIB}`));
    expect(wrong).toMatch(/^HTTP\/1\.1 401 /);
  });

  it('is refused once it is large, without a Content-Length', async () => {
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    expect(await rawRequest(head('Transfer-Encoding: chunked') + chunk.repeat(2))).toMatch(/^HTTP\/1\.1 401 /);
  });

  it('leaves the connection of a client that sends it all in order', async () => {
    const raw = JSON.stringify('x'.repeat(2 * MIB));
    for (let i = 0; i < 3; i++) {
      const answer = await edge.call('PUT', '/scim/v2/Groups/g', { raw, headers: JSON_TYPE, token: null });
      expect(answer.status).toBe(401);
    }
    const known = JSON.stringify({ members: [], fill: 'x'.repeat(2 * MIB) });
    expect((await edge.call('PUT', '/scim/v2/Groups/g', { raw: known, headers: JSON_TYPE })).status).toBe(200);
  });

  it('is read for a known caller without a Content-Length', async () => {
    const body = JSON.stringify({ members: [1, 2], fill: 'x'.repeat(0xf000) });
    const chunk = `${body.length.toString(16)}\r\n${body}\r\n`;
    const space = `10000\r\n${' '.repeat(0x10000)}\r\n`;
    const answer = await rawRequest(
      `${head(`Authorization: Bearer ${edge.tenant.api_key}\r\nTransfer-Encoding: chunked`)}${chunk}${space.repeat(4)}0\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(answer).toContain('"members":2');
  });
});

long('slow uploads of a tenant block that tenant alone (503), and only while they last', async () => {
  const { port } = new URL(edge.baseUrl);
  const MIB16 = 16 * 1024 * 1024;
  const begin = (token: string, sent: number): net.Socket => {
    const socket = net.connect(Number(port), '127.0.0.1');
    socket.on('error', () => undefined);
    // An answer to an upload that is not over is a refusal: its bytes are no longer counted.
    socket.once('data', () => socket.destroy());
    socket.write(
      `PUT /scim/v2/Groups/g HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${MIB16}\r\n\r\n${' '.repeat(sent)}`,
    );
    return socket;
  };
  const raw = JSON.stringify({ members: [], fill: 'x'.repeat(100_000) });
  const put = (token?: string) => edge.call('PUT', '/scim/v2/Groups/g', { raw, headers: JSON_TYPE, token });
  const becomes = async (status: number, meanwhile = (): void => undefined): Promise<Answer> => {
    for (;;) {
      meanwhile();
      const answer = await put();
      if (answer.status === status) return answer;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const other = (await edge.newTenant()).api_key;
  const announced = Array.from({ length: 8 }, () => begin(edge.tenant.api_key, 1));
  expect((await put()).status).toBe(200);
  const half = (): net.Socket => begin(edge.tenant.api_key, MIB16 - 100);
  const halves = [half(), half()];
  // An upload can be too slow itself on a busy machine, or have its last bytes refused beside one of the other requests.
  const kept = (): void => halves.forEach((socket, i) => socket.closed && (halves[i] = half()));
  expect((await becomes(503, kept)).headers.get('retry-after')).toBe('2');
  expect((await put(other)).status).toBe(200);
  expect((await post('{}')).status).toBe(201);
  for (const socket of [...announced, ...halves]) socket.destroy();
  await becomes(200);
});

it('an endless body of an unknown caller ends the connection', async () => {
  const { port } = new URL(edge.baseUrl);
  const socket = net.connect(Number(port), '127.0.0.1');
  const chunk = `100000\r\n${'x'.repeat(0x100000)}\r\n`;
  let sent = 0;
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.on('error', () => undefined).resume();
  const more = (): void => {
    while (!socket.destroyed && sent < 400 && socket.write(chunk)) sent += 1;
  };
  socket.on('drain', more);
  socket.write(
    'PUT /scim/v2/Groups/g HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n',
  );
  more();
  await closed;
  expect(sent).toBeLessThan(400);
});

describe('415', () => {
  it.each([
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['plain text', { 'content-type': 'text/plain' }],
    ['something like JSON', { 'content-type': 'application/jsonp' }],
    ['another charset', { 'content-type': 'application/json; charset=iso-8859-1' }],
    ['compressed', { 'content-type': 'application/json', 'content-encoding': 'gzip' }],
  ])('%s', async (_, headers) => {
    const raw = headers['content-encoding' as never] ? gzipSync('{"a":1}') : '{"a":1}';
    const answer = await post(raw, headers);
    expect([answer.status, answer.body.code]).toEqual([415, 'unsupported_media_type']);
  });

  it('without a content type', async () => {
    const answer = await rawRequest('POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}');
    expect(answer).toMatch(/^HTTP\/1\.1 415 /);
  });
});

describe('requests that are no HTTP', () => {
  it.each([
    ['two lengths', 'POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}', 400],
    [
      'length and chunks',
      'POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
    ['a broken header', 'GET / HTTP/1.1\r\nHost x\r\n\r\n', 400],
    ['an unknown method', 'BREW /echo HTTP/1.1\r\nHost: x\r\n\r\n', 405],
    ['a head of 20 KiB', `GET / HTTP/1.1\r\nHost: x\r\nX-A: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
  ])('%s', async (_, text, status) => {
    const answer = await rawRequest(text);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(answer).toMatch(/x-request-id: req_/i);
  });
});

it('a caller who goes away in the middle leaves the service unchanged', async () => {
  await rawRequest(
    'POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"a":',
    true,
  );
  expect((await post('{}')).status).toBe(201);
});

it.each([
  ['/echo', 'application/json'],
  ['/scim/v2/echo', 'application/scim+json or application/json'],
])('names the media types that %s takes when the body has another one', async (url, types) => {
  const { status, body, headers } = await post('x', { 'content-type': 'text/plain' }, url);
  expect(status).toBe(415);
  expect((body as { detail: string }).detail).toBe(`Bodies are JSON here: ${types}.`);
  expect(headers.get('accept-post')).toBe(types.replace(' or ', ', '));
});
