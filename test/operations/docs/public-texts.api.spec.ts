import { gunzipSync } from 'node:zlib';
import http from 'node:http';
import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import { mock } from 'node:test';
import { startApp, type TestApp } from '../../support/app.js';

let service: TestApp;
beforeAll(async () => {
  service = await startApp({ RATE_LIMIT: '100' });
});
afterAll(() => service.close());

/** Sends a request whose answer is shown as it came: `fetch` would decompress it. */
async function get(path: string, headers: http.OutgoingHttpHeaders = {}, method = 'GET') {
  const req = http.request(service.url + path, { headers, method }).end();
  const [answer] = (await once(req, 'response')) as [http.IncomingMessage];
  return { status: answer.statusCode!, headers: answer.headers, body: await buffer(answer) };
}

describe('the description of the API', () => {
  it('is compressed when the client accepts it, can be cached, and is 304 for a client that has it', async () => {
    const plain = await get('/docs/openapi.json');
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(plain.headers['cache-control']).toMatch(/^public, max-age=\d+$/);
    const zipped = await get('/docs/openapi.json', { 'accept-encoding': 'gzip' });
    expect(zipped.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(zipped.body)).toEqual(plain.body);
    expect(zipped.body.length * 4).toBeLessThan(plain.body.length);
    const { etag } = plain.headers;
    const known = await get('/docs/openapi.json', { 'if-none-match': etag });
    expect([known.status, known.body.length, known.headers.etag]).toEqual([304, 0, etag]);
    const head = await get('/docs/openapi.json', {}, 'HEAD');
    expect([head.status, head.body.length, head.headers['content-length']]).toEqual([
      200, 0, String(plain.body.length),
    ]); // prettier-ignore
  });

  it('is not repeated in the page that shows it', async () => {
    const stringify = mock.method(JSON, 'stringify');
    try {
      for (let i = 0; i < 5; i++) expect((await get('/docs/openapi.json')).status).toBe(200);
      const page = await get('/docs/api/swagger-ui-init.js');
      expect(page.body.toString()).toContain('"swaggerUrl": "/docs/openapi.json"');
      expect(page.body.length).toBeLessThan(16 * 1024);
      const written = stringify.mock.calls.filter(({ arguments: [value] }) => (value as { openapi?: unknown } | null)?.openapi !== undefined); // prettier-ignore
      expect(written).toEqual([]);
    } finally {
      stringify.mock.restore();
    }
  });
});

it('gives anonymous callers of an address an allowance of their own, apart from credentials', async () => {
  const statuses = new Map<number, number>();
  let refused: Awaited<ReturnType<typeof get>> | undefined;
  // A burst of 300, refilled with 20 a second: many at once, until one is refused.
  while (refused === undefined) {
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => get('/docs/openapi.json', { 'if-none-match': '*' })),
    );
    for (const { status } of answers) statuses.set(status, (statuses.get(status) ?? 0) + 1);
    refused = answers.find(({ status }) => status === 429);
  }
  expect(statuses.get(304)).toBeGreaterThan(200);
  expect(JSON.parse(refused.body.toString())).toMatchObject({ status: 429, code: 'too_many_requests' });
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  expect((await get('/api/v1/me', { authorization: `Bearer ${service.tenant.apiKey}` })).status).toBe(200);
});
