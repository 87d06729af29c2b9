import http from 'node:http';
import { gunzipSync } from 'node:zlib';
import { sharedApp, type TestApp } from '../../support/app.js';
import { newHouse, type House } from '../../support/house.js';
import { fresh, madeUser, user } from '../../support/scim.js';

let service: TestApp;
let at: House;
beforeAll(async () => {
  service = await sharedApp();
  at = await newHouse(service);
  for (let i = 0; i < 6; i++) await madeUser(at.scim, user(fresh(), { title: 'Title '.repeat(30) }));
  for (let i = 0; i < 12; i++) await at.api.post('/roles', { name: `Role ${i} ${'x'.repeat(60)}`, takes_seat: true });
});
afterAll(() => service.close());

interface Raw {
  status: number;
  headers: http.IncomingHttpHeaders;
  bytes: Buffer;
}

/** A request whose answer is read as it came: `fetch` would unpack it. */
function raw(method: string, path: string, headers: Record<string, string>, body?: string): Promise<Raw> {
  return new Promise((resolve, reject) => {
    const request = http.request(`${service.url}${path}`, { method, headers }, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.on('end', () =>
        resolve({ status: answer.statusCode!, headers: answer.headers, bytes: Buffer.concat(parts) }),
      );
    });
    request.on('error', reject);
    request.end(body);
  });
}
const bearer = () => ({ authorization: `Bearer ${at.scimToken}` });

describe('media types', () => {
  it.each([
    [undefined, 'application/scim+json'],
    ['*/*', 'application/scim+json'],
    ['application/scim+json', 'application/scim+json'],
    ['application/scim+json, application/json', 'application/scim+json'],
    ['application/json', 'application/json'],
    ['application/json;q=0.9, application/scim+json;q=0.5', 'application/json'],
    ['application/*', 'application/scim+json'],
    ['application/json, text/plain, */*', 'application/scim+json'],
  ])('Accept: %s is answered with %s, errors too, and without a charset', async (accept, expected) => {
    const headers = { ...bearer(), ...(accept === undefined ? {} : { accept }) };
    const list = await raw('GET', '/scim/v2/Users?count=1', headers);
    const missing = await raw('GET', '/scim/v2/Users/none', headers);
    expect([list.status, list.headers['content-type']]).toEqual([200, expected]);
    expect([missing.status, missing.headers['content-type']]).toEqual([404, expected]);
  });

  it('JSON of the API has no charset', async () => {
    const headers = { authorization: `Bearer ${at.apiKey}` };
    expect((await raw('GET', '/api/v1/users', headers)).headers['content-type']).toBe('application/json');
    expect((await raw('GET', '/api/v1/users/none', headers)).headers['content-type']).toBe('application/problem+json');
  });
});

describe('gzip', () => {
  it.each([
    ['/scim/v2/Users', () => at.scimToken],
    ['/api/v1/roles', () => at.apiKey],
  ])('compresses an answer over 1 KiB: %s', async (path, token) => {
    const authorization = `Bearer ${token()}`;
    const plain = await raw('GET', path, { authorization });
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(plain.headers['vary']).toBe('Accept-Encoding');
    const packed = await raw('GET', path, { authorization, 'accept-encoding': 'deflate, gzip;q=0.8' });
    expect(packed.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
    expect(packed.headers['content-length']).toBe(String(packed.bytes.length));
    expect(packed.bytes.length).toBeLessThan(plain.bytes.length);
    expect(gunzipSync(packed.bytes)).toEqual(plain.bytes);
  });

  it('does not compress small answers, nor answers to clients that refuse it', async () => {
    const small = await raw('GET', '/scim/v2/Users?count=0', { ...bearer(), 'accept-encoding': 'gzip' });
    const refused = await raw('GET', '/scim/v2/Users', { ...bearer(), 'accept-encoding': 'gzip;q=0, identity' });
    for (const { headers } of [small, refused]) expect(headers['content-encoding']).toBeUndefined();
  });
});

describe('.search', () => {
  it.each(['GET', 'PUT', 'PATCH', 'DELETE'])('takes no %s: 405 with Allow', async (method) => {
    for (const path of ['/scim/v2/Users/.search', '/scim/v2/Groups/.search', '/scim/v2/.search']) {
      const answer = await raw(method, path, { ...bearer(), 'content-type': 'application/json' });
      expect([path, answer.status, answer.headers['allow']]).toEqual([path, 405, 'POST']);
    }
  });

  it('answers without Location', async () => {
    const body = JSON.stringify({ schemas: ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'], count: 1 });
    for (const path of ['/scim/v2/Users/.search', '/scim/v2/Groups/.search', '/scim/v2/.search']) {
      const answer = await raw('POST', path, { ...bearer(), 'content-type': 'application/scim+json' }, body);
      expect([answer.status, answer.headers['location']]).toEqual([200, undefined]);
    }
  });
});

describe('a body', () => {
  const wrong = { authorization: `Bearer tbs_${'x'.repeat(40)}` };

  it.each([
    ['no JSON', { 'content-type': 'application/json' }, '{'],
    ['no media type that is read', { 'content-type': 'text/plain' }, 'x'],
    ['too large', { 'content-type': 'application/json' }, `"${'x'.repeat(1_100_000)}"`],
    ['compressed', { 'content-type': 'application/json', 'content-encoding': 'gzip' }, 'x'],
  ])('is not read before the credential: %s', async (_, headers, body) => {
    for (const path of ['/scim/v2/Users', '/api/v1/users', '/v1/users', '/api/users']) {
      expect([path, (await raw('POST', path, { ...headers, ...wrong }, body)).status]).toEqual([path, 401]);
      expect([path, (await raw('POST', path, headers, body)).status]).toEqual([path, 401]);
    }
  });

  it.each([
    ['/scim/v2/Users', () => at.scimToken, '{"userName":"a","userName":"b"}'],
    ['/api/v1/users', () => at.apiKey, '{"email":"a@x.example","\\u0065mail":"b@x.example"}'],
  ])('that names a member twice is 400: %s', async (path, token, body) => {
    const headers = { authorization: `Bearer ${token()}`, 'content-type': 'application/json' };
    const answer = await raw('POST', path, headers, body);
    expect(answer.status).toBe(400);
    expect(answer.bytes.toString()).toContain('twice in one object');
  });
});
