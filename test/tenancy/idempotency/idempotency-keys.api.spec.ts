import { setTimeout as sleep } from 'node:timers/promises';
import { Body, Post, Res } from '@nestjs/common';
import { Sealer } from '../../../src/base/crypto/seal.js';
import { IDEMPOTENCY_LEFTOVERS } from '../../../src/tenancy/idempotency/idempotency-keys.js';
import { ApiController } from '../../../src/tenancy/tenants/api-key.guard.js';
import { NoScope } from '../../../src/tenancy/tenants/caller.js';
import { adminApp, type AdminApp } from '../../support/admin-app.js';
import type { Answer } from '../../support/http.js';

let effects = 0;

/** Has an effect, takes its time, and answers as the test sets. */
@ApiController('effects')
class EffectsController {
  @Post()
  @NoScope()
  async post(
    @Body() body: Record<string, unknown>,
    @Res({ passthrough: true }) res: { status(n: number): void; setHeader(a: string, b: string): void },
  ): Promise<object> {
    const n = ++effects;
    await sleep(Number(body['ms'] ?? 0));
    if (body['fail']) throw new Error('our side failed');
    res.setHeader('Location', `/effects/${n}`);
    return { n };
  }
}

let edge: AdminApp;
beforeAll(async () => {
  edge = await adminApp({}, [EffectsController]);
});
afterAll(() => edge.close());
beforeEach(() => {
  effects = 0;
});

let count = 0;
const newKey = () => `key-${++count}`;
const post = (key: string, body: object = {}, options: { token?: string; url?: string } = {}) =>
  edge.call('POST', options.url ?? '/api/v1/effects', {
    body,
    headers: { 'idempotency-key': key },
    ...(options.token ? { token: options.token } : {}),
  });

describe('a repeated key', () => {
  it('gives the first answer, word for word, and has no second effect', async () => {
    const key = newKey();
    const first = await post(key);
    const again = await post(key);
    expect([first.status, first.text, first.headers.get('location'), first.headers.get('idempotent-replayed')]).toEqual(
      [201, '{"n":1}', '/effects/1', null],
    );
    expect([again.status, again.text, again.headers.get('location'), again.headers.get('idempotent-replayed')]).toEqual(
      [201, '{"n":1}', '/effects/1', 'true'],
    );
    expect(again.headers.get('content-type')).toBe(first.headers.get('content-type'));
    expect(effects).toBe(1);
  });

  it('has one effect for twenty requests at once; an early one gets a conflict', async () => {
    const key = newKey();
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(key, { ms: 100 })));
    expect(effects).toBe(1);
    const codes = answers.map(({ status, body }) => (status === 201 ? 'done' : body.code));
    expect(new Set(codes)).toEqual(new Set(['done', 'request_in_progress']));
    expect(answers.find(({ status }) => status === 409)!.headers.get('retry-after')).toBe('1');
    expect((await post(key, { ms: 100 })).body).toEqual({ n: 1 });
  });

  it('makes one role of twenty requests', async () => {
    const key = newKey();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => post(key, { name: 'Once', takes_seat: true }, { url: '/api/v1/roles' })),
    );
    expect(answers.filter(({ status }) => status === 201).length).toBeGreaterThanOrEqual(1);
    expect(answers.every(({ status, body }) => status === 201 || body.code === 'request_in_progress')).toBe(true);
  });

  it('replays a refusal, too', async () => {
    const key = newKey();
    const first = await post(key, { name: 'User', takes_seat: true }, { url: '/api/v1/roles' });
    const again = await post(key, { name: 'User', takes_seat: true }, { url: '/api/v1/roles' });
    expect([first.status, again.status, again.text]).toEqual([409, 409, first.text]);
    expect(again.headers.get('content-type')).toMatch('application/problem+json');
  });

  it('shows a secret again, and keeps it sealed meanwhile', async () => {
    const key = newKey();
    const body = { name: 'k', scopes: ['users:read'] };
    const first = await post(key, body, { url: '/api/v1/api-keys' });
    expect((await post(key, body, { url: '/api/v1/api-keys' })).body.api_key).toBe(first.body.api_key);
    const { rows } = await edge.db.query(`select row_to_json(k)::text as text from idempotency_keys k where key = $1`, [
      key,
    ]);
    expect(rows[0]!['text']).not.toContain(first.body.api_key);
  });
});

describe('a key with another request', () => {
  it.each<[string, () => Promise<Answer>]>([
    ['another body', () => post(`${count}-fixed`, { a: 2 })],
    ['another address', () => post(`${count}-fixed`, { a: 1 }, { url: '/v1/effects' })],
  ])('%s is 422', async (_, request) => {
    await post(`${count}-fixed`, { a: 1 });
    const answer = await request();
    expect([answer.status, answer.body.code]).toEqual([422, 'idempotency_key_reused']);
  });

  it('is separate for another API key or tenant', async () => {
    const key = newKey();
    const other = (await edge.call('POST', '/api/v1/api-keys', { body: { name: 'k', scopes: ['users:read'] } })).body
      .api_key;
    const { api_key } = await edge.newTenant();
    await post(key);
    await post(key, {}, { token: other });
    await post(key, {}, { token: api_key });
    expect(effects).toBe(3);
  });
});

describe('an answer that is not kept', () => {
  it('is a failure of the service: the next try does the work', async () => {
    const key = newKey();
    expect((await post(key, { fail: true })).status).toBe(500);
    expect((await post(key, { fail: true })).status).toBe(500);
    expect(effects).toBe(2);
  });

  it('is the refusal of a faulty request: the corrected one can have the same key', async () => {
    const key = newKey();
    const wrong = await post(key, { name: '', takes_seat: true }, { url: '/api/v1/roles' });
    const right = await post(key, { name: 'Corrected', takes_seat: true }, { url: '/api/v1/roles' });
    const again = await post(key, { name: 'Corrected', takes_seat: true }, { url: '/api/v1/roles' });
    expect([wrong.status, right.status, again.status, again.text]).toEqual([422, 201, 201, right.text]);
  });

  it('is a refusal before the work began, without key or scope', async () => {
    const key = newKey();
    expect((await post(key, {}, { token: 'tbk_x' })).status).toBe(401);
    expect((await post(key)).body).toEqual({ n: 1 });
  });

  it('is older than a day', async () => {
    const key = newKey();
    await post(key);
    await edge.db.query(`update idempotency_keys set created_at = now() - interval '25 hours' where key = $1`, [key]);
    expect((await post(key, { other: true })).body).toEqual({ n: 2 });
    await edge.db.query(`update idempotency_keys set created_at = now() - interval '25 hours' where key = $1`, [key]);
    for (const statement of IDEMPOTENCY_LEFTOVERS) await edge.db.query(statement);
    const { rowCount } = await edge.db.query(`select 1 from idempotency_keys where key = $1`, [key]);
    expect(rowCount).toBe(0);
  });
});

describe('a request whose process died', () => {
  const dead = async (key: string, seconds: number) => {
    await post(key, { ms: 1 });
    await edge.db.query(
      `update idempotency_keys set status = null, response = null, created_at = now() - make_interval(secs => $2) where key = $1`,
      [key, seconds],
    );
  };

  it('blocks its key while it could still be running, and then the request is done', async () => {
    const key = newKey();
    await dead(key, 30);
    expect((await post(key, { ms: 1 })).status).toBe(409);
    await dead(key, 90);
    expect((await post(key, { ms: 1 })).status).toBe(201);
    expect((await post(key, { ms: 1 })).headers.get('idempotent-replayed')).toBe('true');
  });
});

it.each(['', ' ', 'two words', 'ä', 'x'.repeat(256)])('the key %j is 400', async (key) => {
  const answer = await edge.call('POST', '/api/v1/effects', {
    body: {},
    headers: { 'idempotency-key': Buffer.from(key).toString('latin1') },
  });
  expect([answer.status, answer.body.code]).toEqual([400, 'invalid_idempotency_key']);
});

it('opens no kept answer of another tenant', async () => {
  const key = newKey();
  await post(key);
  const { rows } = await edge.db.query<{ response: string }>(`select response from idempotency_keys where key = $1`, [
    key,
  ]);
  expect(() => edge.app.get(Sealer).unseal(rows[0]!.response, 'ten_x:idempotency_keys.response:key_x')).toThrow();
});
