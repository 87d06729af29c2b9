import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { Outbound } from '../../../src/base/http/outbound.js';
import {
  type IdpFetch,
  GuardedFetch,
  IdpLimits,
  problemOfEndpoint,
  type IdpEndpoint,
} from '../../../src/protocols/oidc/guarded-fetch.js';
import { refusal } from './support/attempt.js';

const outbound = new Outbound();
let server: http.Server;
let origin: string;
let requests: { method: string; headers: http.IncomingHttpHeaders; body: string }[] = [];

beforeAll(async () => {
  server = http.createServer((req, res) => {
    let body = '';
    req.on('data', (chunk: Buffer) => (body += chunk.toString()));
    req.on('end', () => {
      requests.push({ method: req.method!, headers: req.headers, body });
      res.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

beforeEach(() => (requests = []));

afterAll(async () => {
  await outbound.close();
  server.close();
});

const guarded = (allowPrivateDestinations: boolean): IdpFetch =>
  new GuardedFetch(outbound, { allowPrivateDestinations }, new IdpLimits()).of('ten_test');

describe('the addresses that are called', () => {
  const ENDPOINTS: IdpEndpoint[] = ['discovery', 'jwks', 'token', 'userinfo'];

  it.each(ENDPOINTS)('as %s: only public ones over https', async (endpoint) => {
    await expect(guarded(true).json(endpoint, `${origin}/x?key=1`)).resolves.toEqual({ ok: true });
    requests = [];
    for (const url of [
      `${origin}/x`,
      origin.replace('http:', 'https:'),
      'https://169.254.169.254/latest/meta-data',
      'https://[fd00:ec2::254]/',
      'https://2130706433/',
      'https://localhost:8443/',
      'https://10.0.0.1/',
      'https://idp.example.com:22/',
      'https://user@idp.example.com/',
      'file:///etc/passwd',
      'idp',
    ]) {
      expect(await refusal(guarded(false).json(endpoint, url))).toMatch(/^idp_unreachable: .*is not called/);
    }
    expect(requests).toHaveLength(0);
  });

  it('may be private in development, by http alone', () => {
    expect(problemOfEndpoint('http://127.0.0.1:3000/x', true)).toBeNull();
    expect(problemOfEndpoint('https://idp.example.com/x', true)).toBeNull();
    for (const url of ['ftp://a/', 'javascript:alert(1)', 'data:,x', 'http://a:b@127.0.0.1/', 'x']) {
      expect(problemOfEndpoint(url, true)).not.toBeNull();
    }
  });

  it('are named in a refusal without their query', async () => {
    const said = await refusal(guarded(false).json('jwks', 'https://127.0.0.1/keys?secret=1'));
    expect(said).toContain('https://127.0.0.1/keys');
    expect(said).not.toContain('secret');
  });
});

describe('fetch as openid-client wants it', () => {
  const options = { redirect: 'manual', signal: undefined, body: undefined } as const;

  it('sends a form and its headers, and gives the answer', async () => {
    const seen: unknown[] = [];
    const fetch = guarded(true).fetchFor('token', (body) => seen.push(body));
    const body = new URLSearchParams({ code: 'a b&c', state: 'ü' });
    const headers = { authorization: 'Basic eA==', 'content-type': 'application/x-www-form-urlencoded' };
    const answer = await fetch(`${origin}/token`, { ...options, method: 'POST', headers, body });
    expect(answer).toBeInstanceOf(Response);
    expect(await answer.json()).toEqual({ ok: true });
    expect(seen).toEqual([{ ok: true }]);
    expect(requests).toMatchObject([{ method: 'POST', body: body.toString(), headers }]);
  });

  it('sends text and forms alone, by GET and POST alone', async () => {
    const fetch = guarded(true).fetchFor('token');
    const call = (method: string, body: unknown) =>
      fetch(`${origin}/token`, { ...options, method, headers: {}, body } as Parameters<typeof fetch>[1]);
    await expect(call('DELETE', undefined)).rejects.toThrow(TypeError);
    await expect(call('POST', new Uint8Array(1))).rejects.toThrow(TypeError);
    expect(requests).toHaveLength(0);
  });

  it('makes no request with an invalid header, and does not crash', async () => {
    const fetch = guarded(true).fetchFor('userinfo');
    const headers = { authorization: 'Bearer a\r\nx-smuggled: 1' };
    const said = await refusal(fetch(`${origin}/userinfo`, { ...options, method: 'GET', headers }));
    expect(said).toMatch(/^idp_unreachable/);
    expect(requests).toHaveLength(0);
  });
});
