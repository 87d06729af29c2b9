import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { sharedApp, type TestApp } from '../support/app.js';
import { newHouse, type House } from '../support/house.js';
import { eventually } from '../support/http.js';
import { long } from '../support/rounds.js';
import { fresh } from '../support/scim.js';

const HELD_MS = 4_000;

/** A platform that takes every user, after a time in which each request is answered with 429. */
class Platform {
  readonly asked: { method: string; at: number }[] = [];
  private until = 0;
  private readonly server = http.createServer((req, res) => {
    const at = Date.now();
    const { method = '', url = '' } = req;
    this.asked.push({ method, at });
    if (this.until === 0) this.until = at + HELD_MS;
    req.resume();
    const json = { 'content-type': 'application/json' };
    if (at < this.until) return res.writeHead(429, { ...json, 'retry-after': String(HELD_MS / 1_000) }).end('{}');
    if (method === 'GET' && url.startsWith('/v1/resolve'))
      return res.writeHead(200, json).end('{"found":false,"id":null}');
    return res
      .writeHead(method === 'POST' ? 201 : 200, json)
      .end(JSON.stringify({ id: `p${this.asked.length}`, data: [] }));
  });

  /** Requests before the time is over, without the first one. */
  get early(): number {
    return this.asked.slice(1).filter(({ at }) => at < this.until).length;
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  stop(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }
}

let service: TestApp;
let platform: Platform;
let house: House;
beforeEach(async () => {
  service = await sharedApp();
  platform = new Platform();
  house = await newHouse(service);
  await house.api.put('/platform', { base_url: await platform.start(), api_key: 'key-of-the-platform' });
});
afterEach(async () => {
  await service.close();
  await platform.stop();
});

const user = () => house.api.post('/users', { email: `${fresh()}@e.com`, first_name: 'A', last_name: 'B' });

long('sends nothing to the platform until its Retry-After is over, and everything after that', async () => {
  await user();
  await eventually(
    () => Promise.resolve(platform.asked.length),
    (count) => count > 0,
  );
  for (let n = 0; n < 6; n++) await user();
  await eventually(
    async () => (await house.api.get('/platform')).body,
    ({ waiting }) => waiting === 0,
    30_000,
  );
  expect(platform.early).toBe(0);
});
