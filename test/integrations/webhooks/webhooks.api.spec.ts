import { Webhook } from 'standardwebhooks';
import { startApp, type TestApp, type TestTenant } from '../../support/app.js';
import { eventually, send, type Answer } from '../../support/http.js';
import { long } from '../../support/rounds.js';
import { patience } from '../../support/speed.js';
import { receiver, type Receiver } from './support/receiver.js';

let app: TestApp;
let hook: Receiver;
let call: (method: string, path: string, body?: unknown, key?: string) => Promise<Answer>;
beforeAll(async () => {
  [app, hook] = await Promise.all([startApp(), receiver()]);
  call = (method, path, body, key = app.tenant.apiKey) => send(method, `${app.url}/api/v1${path}`, key, body);
});
afterAll(async () => {
  await hook.close();
  await app.close();
});
beforeEach(() => {
  hook.received.length = 0;
  hook.answer((_, res) => void res.writeHead(204).end());
});

async function newHook(more: object = {}, key?: string): Promise<{ id: string; secret: string }> {
  const made = await call('POST', '/webhooks', { url: hook.url, ...more }, key);
  expect(made.status).toBe(201);
  return made.body as { id: string; secret: string };
}
async function newKey(scopes: string[], tenant: TestTenant = app.tenant): Promise<{ id: string; api_key: string }> {
  const made = await call('POST', '/api-keys', { name: 'Zapier', scopes }, tenant.apiKey);
  return made.body as { id: string; api_key: string };
}
const audit = async (id: string): Promise<{ action: string }[]> =>
  ((await call('GET', `/audit?target_id=${id}`)).body as { data: { action: string }[] }).data;

describe('webhooks:read', () => {
  it('opens endpoints and attempts of all keys, without the path of their addresses, and changes nothing', async () => {
    const { id } = await newHook({ url: `${hook.url}/catch/secret` });
    await call('POST', `/webhooks/${id}/test`);
    const { api_key: key } = await newKey(['webhooks:read']);
    const read = await call('GET', `/webhooks/${id}`, undefined, key);
    expect(read).toMatchObject({ status: 200, body: { id, url: `${new URL(hook.url).origin}/…` } });
    for (const place of ['/webhooks', `/webhooks/${id}/attempts`, `/webhooks/${id}/messages`]) {
      const { status, text } = await call('GET', place, undefined, key);
      expect([place, status]).toEqual([place, 200]);
      expect(text).not.toContain('/catch/secret');
    }
    for (const [method, place] of [
      ['PATCH', ''],
      ['DELETE', ''],
      ['POST', '/test'],
      ['POST', '/pause'],
      ['POST', '/rotate-secret'],
    ] as const) {
      const { status, body } = await call(method, `/webhooks/${id}${place}`, {}, key);
      expect([method, place, status, body.code]).toEqual([method, place, 403, 'missing_scope']);
    }
  });

  it('with webhooks:manage changes no endpoint of another key', async () => {
    const { id } = await newHook();
    const { api_key: key } = await newKey(['webhooks:read', 'webhooks:manage']);
    expect((await call('GET', `/webhooks/${id}`, undefined, key)).status).toBe(200);
    expect((await call('PATCH', `/webhooks/${id}`, { description: 'mine' }, key)).status).toBe(404);
    expect((await call('DELETE', `/webhooks/${id}`, undefined, key)).status).toBe(404);
  });
});

describe('POST /webhooks', () => {
  it('makes an endpoint, and shows its secret this once', async () => {
    const made = await call('POST', '/webhooks', { url: hook.url, events: ['candidate.created'], description: 'Zap' });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      id: expect.stringMatching(/^whk_/) as string,
      url: hook.url,
      events: ['candidate.created'],
      description: 'Zap',
      form: 'source',
      ordered: false,
      header_names: [],
      state: 'active',
      state_reason: null,
      waiting: 0,
      given_up: 0,
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/) as string,
      secrets: [{ id: expect.stringMatching(/^whs_/) as string, expires_at: null }],
    });
    const { id, secret } = made.body as { id: string; secret: string };
    const read = await call('GET', `/webhooks/${id}`);
    expect(read.status).toBe(200);
    expect(read.body).not.toHaveProperty('secret');
    expect(read.text).not.toContain(secret.slice(6));
    expect((await call('GET', '/webhooks')).text).not.toContain(secret.slice(6));
  });

  it('is not at the addresses without a version', async () => {
    expect((await send('POST', `${app.url}/api/webhooks`, app.tenant.apiKey, { url: hook.url })).status).toBe(404);
    expect((await send('GET', `${app.url}/v1/webhooks`, app.tenant.apiKey)).status).toBe(200);
  });

  it('gives the same answer to an equal request with the same Idempotency-Key', async () => {
    const post = () =>
      fetch(`${app.url}/api/v1/webhooks`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${app.tenant.apiKey}`,
          'content-type': 'application/json',
          'idempotency-key': 'hook-1',
        },
        body: JSON.stringify({ url: hook.url }),
      }).then((res) => res.json() as Promise<{ id: string; secret: string }>);
    const [first, second] = [await post(), await post()];
    expect(second).toEqual(first);
  });

  it.each([
    ['an unknown event', { events: ['candidate.hired'] }, 'events', 'must hold only: candidate.created'],
    ['no event', { events: [] }, 'events', 'must not be empty'],
    ['an unknown form', { form: 'xml' }, 'form', 'must be one of: source, standard, cloudevents'],
    ['a header of ours', { headers: { 'Webhook-Id': 'x' } }, 'headers', 'must not set webhook-id'],
    ['a header of the connection', { headers: { Connection: 'close' } }, 'headers', 'must not set connection'],
    ['a content type', { headers: { 'content-type': 'text/plain' } }, 'headers', 'must not set content-type'],
    ['a line break', { headers: { 'x-a': 'a\r\nhost: b' } }, 'headers', 'must have visible ASCII text'],
    ['a short secret', { secret: 'whsec_c2hvcnQ=' }, 'secret', 'must hold 24 to 64 bytes'],
    ['an unknown field', { target: 'x' }, 'target', 'is not a known field'],
  ])('refuses %s', async (_, more, field, message) => {
    const refused = await call('POST', '/webhooks', { url: hook.url, ...more });
    expect(refused.status).toBe(422);
    const [error] = (refused.body as { errors: { field: string; message: string }[] }).errors;
    expect(error!.field).toBe(field);
    expect(error!.message).toContain(message);
  });

  long('accepts fifty endpoints of a tenant', async () => {
    const { apiKey } = await app.newTenant();
    for (let i = 0; i < 50; i++) await newHook({}, apiKey);
    const refused = await call('POST', '/webhooks', { url: hook.url }, apiKey);
    expect(refused.status).toBe(409);
    expect(refused.body).toMatchObject({ code: 'too_many_webhooks' });
  });
});

describe('PATCH and DELETE', () => {
  it('change named fields and keep the rest', async () => {
    const { id } = await newHook({ description: 'before', headers: { 'X-Team': 'recruiting' } });
    const changed = await call('PATCH', `/webhooks/${id}`, { ordered: true, events: ['job.synced'] });
    expect(changed.body).toMatchObject({ ordered: true, events: ['job.synced'], description: 'before', header_names: ['x-team'] }); // prettier-ignore
    const cleared = await call('PATCH', `/webhooks/${id}`, { events: null, description: null, headers: {} });
    expect(cleared.body).toMatchObject({ events: null, description: null, header_names: [], ordered: true });
  });

  it('accept their own answer', async () => {
    const { id } = await newHook();
    const read = await call('GET', `/webhooks/${id}`);
    const { url, ...rest } = read.body as Record<string, unknown>;
    expect((await call('PATCH', `/webhooks/${id}`, { ...rest, url })).status).toBe(200);
  });

  it('remove an endpoint with its waiting messages', async () => {
    const { id } = await newHook();
    await call('POST', `/webhooks/${id}/pause`);
    expect((await call('DELETE', `/webhooks/${id}`)).status).toBe(204);
    expect((await call('GET', `/webhooks/${id}`)).status).toBe(404);
    expect((await call('DELETE', `/webhooks/${id}`)).status).toBe(404);
    const { rows } = await app.db.execute<{ n: number }>(
      `select (select count(*) from lanes where destination = $1)::int + (select count(*) from webhook_secrets where endpoint_id = $1)::int as n`,
      [id],
    );
    expect(rows[0]!.n).toBe(0);
  });
});

describe('access', () => {
  it('needs the scope', async () => {
    const { api_key } = await newKey(['candidates:read']);
    expect((await call('GET', '/webhooks', undefined, api_key)).status).toBe(403);
  });

  it('shows a key its own endpoints alone, and `admin` all of them', async () => {
    const [one, other] = [await newKey(['webhooks:manage']), await newKey(['webhooks:manage'])];
    const { id } = await newHook({}, one.api_key);
    const seen = (await call('GET', '/webhooks', undefined, one.api_key)).body as { data: { id: string }[] };
    expect(seen.data.map((each) => each.id)).toEqual([id]);
    expect((await call('GET', `/webhooks/${id}`)).status).toBe(200);
    expect((await call('GET', '/webhooks', undefined, other.api_key)).body).toMatchObject({ data: [] });
    for (const [method, path, body] of ROUTES(id)) {
      expect([method, path, (await call(method, path, body, other.api_key)).status]).toEqual([method, path, 404]);
    }
  });

  it('gives endpoints to the key that replaces theirs', async () => {
    const old = await newKey(['webhooks:manage']);
    const { id } = await newHook({}, old.api_key);
    const next = (await call('POST', `/api-keys/${old.id}/rotate`, {})).body as { api_key: string };
    expect((await call('GET', `/webhooks/${id}`, undefined, next.api_key)).status).toBe(200);
  });

  it('continues after its key is revoked, which the answer states, or is paused on request', async () => {
    const left = async (query: string) => {
      const key = await newKey(['webhooks:manage']);
      const { id } = await newHook({ description: 'Zap' }, key.api_key);
      const ended = await call('DELETE', `/api-keys/${key.id}${query}`);
      return { id, ended, state: (await call('GET', `/webhooks/${id}`)).body.state };
    };
    const named = (id: string, paused: boolean) => ({
      endpoints: [{ id, description: 'Zap', host: new URL(hook.url).host, paused }],
    });
    const kept = await left('');
    expect([kept.ended.status, kept.ended.body, kept.state]).toEqual([200, named(kept.id, false), 'active']);
    const paused = await left('?endpoints=pause');
    expect([paused.ended.status, paused.ended.body, paused.state]).toEqual([200, named(paused.id, true), 'paused']);
    expect((await audit(paused.id)).map(({ action }) => action)).toContain('webhook.paused');
    const without = await newKey(['jobs:read']);
    expect((await call('DELETE', `/api-keys/${without.id}?endpoints=stop`)).status).toBe(422);
    expect((await call('DELETE', `/api-keys/${without.id}`)).status).toBe(204);
  });

  it.each<[string, (user: string) => Promise<Answer>]>([
    ['is deleted', (user) => call('DELETE', `/users/${user}?endpoints=pause`)],
    ['is deactivated', (user) => call('PATCH', `/users/${user}?endpoints=pause`, { status: 'inactive' })],
  ])('is named and paused when the user of its key %s', async (_, leave) => {
    const name = `${Math.random()}@x.example`;
    const { id: user } = (await call('POST', '/users', { email: name, first_name: 'A', last_name: 'B' })).body;
    const own = { name: 'own', scopes: ['webhooks:manage'], owner_user_id: user };
    const { api_key } = (await call('POST', '/api-keys', own)).body;
    const { id } = await newHook({}, api_key);
    const left = await leave(user);
    expect([left.status, left.body.endpoints]).toMatchObject([200, [{ id, paused: true }]]);
    expect((await call('GET', `/webhooks/${id}`)).body.state).toBe('paused');
  });

  it('answers for the endpoint of another tenant as for none', async () => {
    const { id } = await newHook();
    const { apiKey } = await app.newTenant();
    for (const [method, path, body] of ROUTES(id)) {
      expect([method, path, (await call(method, path, body, apiKey)).status]).toEqual([method, path, 404]);
    }
  });
});

describe('PATCH /webhooks/{id} with another origin', () => {
  it('asks for the headers again, which belong to the present origin', async () => {
    const { id } = await newHook({ headers: { Authorization: 'Bearer theirs' } });
    const url = new URL(hook.url);
    url.port = String(Number(url.port) === 1_024 ? 1_025 : 1_024);
    const refused = await call('PATCH', `/webhooks/${id}`, { url: url.href });
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([422, expect.stringContaining('"field":"headers"')]);
    expect((await call('PATCH', `/webhooks/${id}`, { url: new URL('/other', hook.url).href })).status).toBe(200);
    expect((await call('PATCH', `/webhooks/${id}`, { url: url.href, headers: {} })).status).toBe(200);
  });

  it('makes another secret for another origin, which alone signs after that', async () => {
    const { id, secret } = await newHook();
    const stays = await call('PATCH', `/webhooks/${id}`, { url: new URL('/other', hook.url).href });
    expect(stays.body).not.toHaveProperty('secret');
    expect((await call('PATCH', `/webhooks/${id}`, { secret })).status).toBe(422);
    const moved = await receiver();
    try {
      const changed = await call('PATCH', `/webhooks/${id}`, { url: moved.url });
      expect([changed.status, changed.body.secrets.length]).toEqual([200, 1]);
      expect(changed.body.secret).toMatch(/^whsec_/);
      await call('POST', `/webhooks/${id}/test`, {});
      const { body, headers } = moved.received[0]!;
      expect(() => new Webhook(secret).verify(body, headers)).toThrow();
      expect(() => new Webhook(changed.body.secret).verify(body, headers)).not.toThrow();
      const own = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
      expect((await call('PATCH', `/webhooks/${id}`, { url: hook.url, secret: own })).body.secret).toBe(own);
    } finally {
      await moved.close();
    }
  });
});

const ROUTES = (id: string): [string, string, unknown?][] => [
  ['GET', `/webhooks/${id}`],
  ['PATCH', `/webhooks/${id}`, { description: 'x' }],
  ['POST', `/webhooks/${id}/rotate-secret`, {}],
  ['POST', `/webhooks/${id}/revoke-secrets`, {}],
  ['POST', `/webhooks/${id}/test`, {}],
  ['POST', `/webhooks/${id}/pause`, {}],
  ['POST', `/webhooks/${id}/resume`, {}],
  ['DELETE', `/webhooks/${id}`],
];

describe('POST /webhooks/{id}/test', () => {
  it('sends a signed example that the official package accepts', async () => {
    const { id, secret } = await newHook({ headers: { Authorization: 'Bearer theirs' } });
    const tried = await call('POST', `/webhooks/${id}/test`, { event: 'user.deactivated' });
    expect(tried.status).toBe(200);
    expect(tried.body).toMatchObject({ outcome: 'delivered', status: 204, fault: null, address: '127.0.0.1' });
    const [got] = hook.received;
    expect(new Webhook(secret).verify(got!.body, got!.headers)).toMatchObject({ event: 'user.deactivated' });
    expect(got!.headers).toMatchObject({ authorization: 'Bearer theirs', 'content-type': 'application/json' });
    expect(got!.headers['webhook-id']).toBe((tried.body as { event_id: string }).event_id);
    expect(got!.headers['accept-encoding']).toBe('identity');
  });

  it('shows the failure', async () => {
    const { id } = await newHook();
    hook.answer((_, res) => void res.writeHead(503, { 'retry-after': '120' }).end('later'));
    const tried = await call('POST', `/webhooks/${id}/test`, {});
    expect(tried.body).toMatchObject({ outcome: 'status_503', status: 503, fault: 'theirs', answer: 'later' });
  });

  it('shows no credential that the receiver sends back', async () => {
    const { id } = await newHook({ headers: { authorization: 'Bearer very-secret-token' } });
    hook.answer((req, res) => void res.writeHead(500).end(JSON.stringify(req.headers)));
    const tried = await call('POST', `/webhooks/${id}/test`, {});
    expect(tried.text).not.toContain('very-secret-token');
    expect(tried.body).toMatchObject({ answer: expect.stringContaining('[header]') as string });
  });
});

describe('secrets', () => {
  const signaturesOf = async (id: string): Promise<string[]> => {
    hook.received.length = 0;
    await call('POST', `/webhooks/${id}/test`, {});
    return hook.received[0]!.headers['webhook-signature']!.split(' ');
  };

  long('signs with both during the overlap, newest first, and with one after it', async () => {
    const { id, secret: old } = await newHook();
    const rotated = await call('POST', `/webhooks/${id}/rotate-secret`, {
      overlap_seconds: Math.ceil(patience(2_000) / 1000),
    });
    const { secret } = rotated.body as { secret: string };
    expect(secret).not.toBe(old);
    expect((await signaturesOf(id)).length).toBe(2);
    const [got] = hook.received;
    for (const each of [old, secret]) expect(() => new Webhook(each).verify(got!.body, got!.headers)).not.toThrow();
    const [first] = got!.headers['webhook-signature']!.split(' ');
    const alone = { ...got!.headers, 'webhook-signature': first! };
    expect(() => new Webhook(secret).verify(got!.body, alone)).not.toThrow();
    await eventually(
      () => signaturesOf(id),
      ({ length }) => length === 1,
    );
    expect(() => new Webhook(old).verify(hook.received[0]!.body, hook.received[0]!.headers)).toThrow();
  });

  it('ends the old ones now, if asked for', async () => {
    const { id, secret: old } = await newHook();
    await call('POST', `/webhooks/${id}/rotate-secret`, {});
    expect((await signaturesOf(id)).length).toBe(2);
    const revoked = await call('POST', `/webhooks/${id}/revoke-secrets`);
    expect(revoked.body).toMatchObject({ secrets: [{ expires_at: null }] });
    expect((await signaturesOf(id)).length).toBe(1);
    expect(() => new Webhook(old).verify(hook.received[0]!.body, hook.received[0]!.headers)).toThrow();
    await call('POST', `/webhooks/${id}/rotate-secret`, { overlap_seconds: 0 });
    expect((await signaturesOf(id)).length).toBe(1);
  });

  it('accepts a secret of the caller', async () => {
    const secret = `whsec_${Buffer.alloc(24, 9).toString('base64')}`;
    const made = await newHook({ secret });
    expect(made.secret).toBe(secret);
    await call('POST', `/webhooks/${made.id}/test`, {});
    expect(() => new Webhook(secret).verify(hook.received[0]!.body, hook.received[0]!.headers)).not.toThrow();
  });

  it('are in no table, audit line or answer as they are', async () => {
    const { id, secret } = await newHook({ headers: { authorization: 'Bearer another-secret-value' } });
    await call('POST', `/webhooks/${id}/rotate-secret`, {});
    await call('POST', `/webhooks/${id}/test`, {});
    for (const table of ['webhook_endpoints', 'webhook_secrets', 'destinations', 'attempts', 'audit_entries']) {
      const { rows } = await app.db.execute<{ text: string }>(`select t::text as text from ${table} t`);
      const text = rows.map((row) => row.text).join('\n');
      expect([table, text.includes(secret.slice(6)), text.includes('another-secret-value')]).toEqual([table, false, false]); // prettier-ignore
    }
    expect((await audit(id)).map(({ action }) => action)).toEqual([
      'webhook.tested',
      'webhook.secret_rotated',
      'webhook.created',
    ]);
  });
});

describe('pause and resume', () => {
  it('resumes only after a test event was taken', async () => {
    const { id } = await newHook();
    const paused = await call('POST', `/webhooks/${id}/pause`, { reason: 'moving' });
    expect(paused.body).toMatchObject({ state: 'paused', state_reason: 'by_hand', state_detail: 'moving' });
    hook.answer((_, res) => void res.writeHead(500).end('no'));
    const refused = await call('POST', `/webhooks/${id}/resume`);
    expect(refused.status).toBe(409);
    expect(refused.body).toMatchObject({ code: 'endpoint_not_ready', attempt: { status: 500, outcome: 'status_500' } });
    expect((await call('GET', `/webhooks/${id}`)).body).toMatchObject({ state: 'paused' });
    hook.answer((_, res) => void res.writeHead(200).end());
    expect((await call('POST', `/webhooks/${id}/resume`)).body).toMatchObject({ state: 'active', state_reason: null });
  });

  it('keeps an endpoint paused that gets another address', async () => {
    const { id } = await newHook();
    await call('POST', `/webhooks/${id}/pause`);
    const moved = await call('PATCH', `/webhooks/${id}`, { url: `${hook.url}/other` });
    expect(moved.body).toMatchObject({ state: 'paused', url: `${hook.url}/other` });
  });
});
