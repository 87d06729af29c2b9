import http from 'node:http';
import { PresentedToken, mintToken } from '../../../src/base/crypto/tokens.js';
import type { SqlRunner } from '../../../src/base/database/database.js';
import { WriteStatement } from '../../../src/base/database/write-statement.js';
import { ScimTokenStore } from '../../../src/directory-sync/directories/scim-token.store.js';
import { ApiKeyUses } from '../../../src/tenancy/tenants/api-key.store.js';
import { endUserKeys } from '../../../src/tenancy/tenants/user-keys.js';
import { adminApp, type AdminApp } from '../../support/admin-app.js';
import { testDatabase, type TestDatabase } from '../../support/database.js';
import { eventually } from '../../support/http.js';
import { waitingForLock } from '../../support/locks.js';
import { long } from '../../support/rounds.js';
import { patience } from '../../support/speed.js';

let database: TestDatabase;
let one: AdminApp;
let two: AdminApp;
beforeAll(async () => {
  database = await testDatabase();
  one = await adminApp({}, [], database);
  two = await adminApp({}, [], database);
});
afterAll(async () => {
  await one.close();
  await two.close();
  await database.close();
});

/** What is kept is kept for 0.9 s; a machine that is busy with other tests adds its own. */
const A_SECOND = 5_000;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const newKey = async (body: object = {}) =>
  (await one.call('POST', '/api/v1/api-keys', { body: { name: 'k', scopes: ['admin'], ...body } })).body as {
    id: string;
    api_key: string;
  };
const me = async (app: AdminApp, token: string) => (await app.call('GET', '/api/v1/me', { token })).status;

describe('a revoked key', () => {
  long('is refused at once here, and within a second by every other process', async () => {
    const key = await newKey();
    expect([await me(one, key.api_key), await me(two, key.api_key)]).toEqual([200, 200]);
    expect((await one.call('DELETE', `/api/v1/api-keys/${key.id}`)).status).toBe(204);
    const revoked = performance.now();
    expect(await me(one, key.api_key)).toBe(401);
    while ((await me(two, key.api_key)) !== 401) await pause(20);
    expect(performance.now() - revoked).toBeLessThan(A_SECOND);
    expect((await one.call('GET', `/api/v1/api-keys/${key.id}`)).body.revoked_at).not.toBeNull();
  });

  it('can be revoked again, and cannot be rotated', async () => {
    const key = await newKey();
    expect((await one.call('DELETE', `/api/v1/api-keys/${key.id}`)).status).toBe(204);
    expect((await one.call('DELETE', `/api/v1/api-keys/${key.id}`)).status).toBe(204);
    const answer = await one.call('POST', `/api/v1/api-keys/${key.id}/rotate`);
    expect([answer.status, answer.body.code]).toEqual([409, 'credential_ended']);
  });
});

describe('a key that ends', () => {
  long('is valid until its end alone', async () => {
    const end = Date.now() + patience(700);
    const key = await newKey({ expires_at: new Date(end).toISOString() });
    expect(await me(one, key.api_key)).toBe(200);
    await pause(end + 50 - Date.now());
    expect(await me(one, key.api_key)).toBe(401);
  });

  it.each([
    ['in the past', -1000],
    ['more than a year away', 400 * 86_400_000],
  ])('cannot end %s', async (_, ms) => {
    const answer = await one.call('POST', '/api/v1/api-keys', {
      body: { name: 'k', scopes: ['admin'], expires_at: new Date(Date.now() + ms).toISOString() },
    });
    expect([answer.status, answer.body.errors[0].field]).toEqual([422, 'expires_at']);
  });
});

describe('a rotation', () => {
  long('leaves both keys valid for the overlap, and then the new one', async () => {
    const old = await newKey();
    const next = (await one.call('POST', `/api/v1/api-keys/${old.id}/rotate`, { body: { overlap_seconds: 1 } })).body;
    expect(next).toMatchObject({ replaces_id: old.id, scopes: ['admin'], name: 'k' });
    expect([await me(one, old.api_key), await me(one, next.api_key)]).toEqual([200, 200]);
    await pause(1100);
    expect([await me(one, old.api_key), await me(one, next.api_key)]).toEqual([401, 200]);
  });

  it('without overlap ends the old one at once', async () => {
    const old = await newKey();
    await one.call('POST', `/api/v1/api-keys/${old.id}/rotate`, { body: { overlap_seconds: 0 } });
    expect(await me(one, old.api_key)).toBe(401);
  });

  it('keeps the lifetime of a key that ends, and makes one without an end only when asked', async () => {
    const DAY = 86_400_000;
    const lifetime = ({ created_at, expires_at }: { created_at: string; expires_at: string }) =>
      (Date.parse(expires_at) - Date.parse(created_at)) / DAY;
    const body = { name: 'k', scopes: ['admin'], expires_at: new Date(Date.now() + 30 * DAY).toISOString() };
    const old = (await one.call('POST', '/api/v1/api-keys', { body })).body;
    await one.db.query(
      `update api_keys set created_at = created_at - interval '20 days', expires_at = expires_at - interval '20 days'
       where tenant_id = $1 and id = $2`,
      [one.tenant.id, old.id],
    );
    const rotate = (id: string, body?: object) => one.call('POST', `/api/v1/api-keys/${id}/rotate`, { body });
    const next = (await rotate(old.id)).body;
    expect(lifetime(next)).toBeCloseTo(30, 2);
    const shorter = (await rotate(next.id, { expires_at: new Date(Date.now() + DAY).toISOString() })).body;
    expect(lifetime(shorter)).toBeCloseTo(1, 2);
    expect((await rotate(shorter.id, { expires_at: null })).body.expires_at).toBeNull();
  });

  it('happens once for concurrent requests', async () => {
    const old = await newKey();
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => one.call('POST', `/api/v1/api-keys/${old.id}/rotate`)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
  });
});

describe('the key of a user', () => {
  const person = async (id: string) => {
    await one.db.query(
      `insert into users (tenant_id, id, source, doc, user_name, user_name_key, active, first_name, last_name, status, seat)
       values ($1, $2, 'api', '{}', $2, $2, true, 'A', 'B', 'active', 'none')`,
      [one.tenant.id, id],
    );
  };

  it('is for a user of this tenant', async () => {
    const answer = await one.call('POST', '/api/v1/api-keys', {
      body: { name: 'k', scopes: ['admin'], owner_user_id: 'usr_unknown' },
    });
    expect([answer.status, answer.body.errors[0].field]).toEqual([422, 'owner_user_id']);
  });

  long('ends with the user in the same transaction; a service’s key stays', async () => {
    await person('usr_leaver');
    const [theirs, service] = [await newKey({ owner_user_id: 'usr_leaver' }), await newKey()];
    expect(await me(one, theirs.api_key)).toBe(200);
    const end = (tx: SqlRunner): Promise<unknown> => {
      const statement = new WriteStatement().subject(
        (p) => `select id from users where tenant_id = ${p.add(one.tenant.id)} and id = ${p.add('usr_leaver')}`,
      );
      endUserKeys(statement, one.tenant.id);
      return statement.run(tx);
    };
    await expect(
      one.db.transaction(null, async (tx) => {
        await end(tx);
        throw new Error('rolled back');
      }),
    ).rejects.toThrow('rolled back');
    await pause(900);
    expect(await me(one, theirs.api_key)).toBe(200);
    await one.db.transaction(null, end);
    await pause(900);
    expect([await me(one, theirs.api_key), await me(one, service.api_key)]).toEqual([401, 200]);
  });

  it('is invalid when it is made while the user is deactivated', async () => {
    await person('usr_racer');
    const { db } = one;
    const off = `update users set status = 'inactive' where tenant_id = '${one.tenant.id}' and id = 'usr_racer'`;
    // The end of the person is not committed yet: who asks for a key waits for it, and is then refused.
    let asked!: Promise<{ status: number }>;
    await db.transaction(null, async (tx) => {
      await tx.query(off);
      asked = one.call('POST', '/api/v1/api-keys', {
        body: { name: 'k', scopes: ['admin'], owner_user_id: 'usr_racer' },
      });
      await waitingForLock(db);
    });
    expect((await asked).status).toBe(422);
    // The other way about: the key is written before, and what ends the person's keys does not see it yet.
    await db.execute(off.replace('inactive', 'active'));
    const { api_key } = await newKey({ owner_user_id: 'usr_racer' });
    await db.execute(off);
    expect(await me(two, api_key)).toBe(401);
  });

  it('shows a key that it made for a service as orphaned when its maker has left', async () => {
    await person('usr_maker');
    const maker = await newKey({ owner_user_id: 'usr_maker' });
    const made = await one.call('POST', '/api/v1/api-keys', {
      token: maker.api_key,
      body: { name: 'svc', scopes: ['users:read'] },
    });
    const read = async () => (await one.call('GET', `/api/v1/api-keys/${made.body.id}`)).body.orphaned as boolean;
    expect(await read()).toBe(false);
    await one.db.query(`update users set status = 'inactive' where tenant_id = $1 and id = 'usr_maker'`, [
      one.tenant.id,
    ]);
    expect(await read()).toBe(true);
    expect(await me(one, made.body.api_key)).toBe(200);
  });
});

describe('the credential of a request', () => {
  const raw = (path: string, headers: string[]): Promise<number> =>
    new Promise((resolve, reject) => {
      const req = http.request(`${one.baseUrl}${path}`, { headers: headers }, (res) => {
        res.resume();
        resolve(res.statusCode!);
      });
      req.on('error', reject);
      req.end();
    });

  it('is one, in one header', async () => {
    const bearer = `Bearer ${one.tenant.api_key}`;
    expect(await raw('/api/v1/me', ['Host', 'x', 'Authorization', bearer])).toBe(200);
    expect(await raw('/api/v1/me', ['Host', 'x', 'authorization', bearer.replace('Bearer', 'bearer')])).toBe(200);
    expect(await raw('/api/v1/me', ['Host', 'x', 'Authorization', bearer, 'Authorization', bearer])).toBe(400);
    expect(await raw('/api/v1/me', ['Host', 'x', 'Authorization', `${bearer}, ${bearer}`])).toBe(400);
    expect(await raw('/api/v1/me?access_token=x', ['Host', 'x', 'Authorization', bearer])).toBe(400);
  });

  it.each([
    ['Basic', () => `Basic ${Buffer.from(`:${one.tenant.api_key}`).toString('base64')}`],
    ['nothing after the word', () => 'Bearer '],
    ['the key alone', () => one.tenant.api_key],
  ])('is refused: %s', async (_, header) => {
    expect((await one.call('GET', '/api/v1/me', { token: null, headers: { authorization: header() } })).status).toBe(
      401,
    );
  });

  it('is ignored in the query', async () => {
    expect((await one.call('GET', `/api/v1/me?access_token=${one.tenant.api_key}`, { token: null })).status).toBe(401);
  });

  it('is a SCIM token for SCIM alone, and an API key for the API alone', async () => {
    const directory = (await one.call('POST', '/api/v1/directories', { body: { name: 'D' } })).body;
    expect(await me(one, directory.scim_token)).toBe(401);
    const store = one.app.get(ScimTokenStore);
    expect(await store.find(new PresentedToken(one.tenant.api_key))).toBeNull();
    expect(await store.find(new PresentedToken(directory.scim_token))).toMatchObject({
      tenantId: one.tenant.id,
      directoryId: directory.id,
    });
  });
});

describe('a SCIM token', () => {
  long('leaves the reason of its refusal at its directory', async () => {
    const directory = (await one.call('POST', '/api/v1/directories', { body: { name: 'D' } })).body;
    const url = `/api/v1/directories/${directory.id}`;
    const store = one.app.get(ScimTokenStore);
    // The refusal is written after the answer.
    const refusal = async (token: string, reason: string) => {
      expect(await store.find(new PresentedToken(token))).toBeNull();
      return eventually(
        async () => (await one.call('GET', url)).body.last_refusal as { reason: string } | null,
        (last) => last?.reason === reason,
      );
    };
    const { data } = (await one.call('GET', `${url}/tokens`)).body;
    await one.call('DELETE', `${url}/tokens/${data[0].id}`);
    expect(await refusal(directory.scim_token, 'revoked')).toMatchObject({
      reason: 'revoked',
      at: expect.any(String),
      prefix: data[0].prefix,
    });
    const soon = Date.now() + patience(1_000);
    const { body: short } = await one.call('POST', `${url}/tokens`, {
      body: { expires_at: new Date(soon).toISOString() },
    });
    await pause(soon + 50 - Date.now());
    await refusal(short.scim_token, 'expired');
    await refusal(mintToken('tbs', one.tenant.id).token, 'unknown');
    expect(JSON.stringify((await one.call('GET', url)).body)).not.toContain(short.scim_token);
  });

  long('is refused within a second of its revocation by every process', async () => {
    const directory = (await one.call('POST', '/api/v1/directories', { body: { name: 'D' } })).body;
    const other = two.app.get(ScimTokenStore);
    expect(await other.find(new PresentedToken(directory.scim_token))).not.toBeNull();
    const { data } = (await one.call('GET', `/api/v1/directories/${directory.id}/tokens`)).body;
    await one.call('DELETE', `/api/v1/directories/${directory.id}/tokens/${data[0].id}?force=true`);
    const revoked = performance.now();
    while ((await other.find(new PresentedToken(directory.scim_token))) !== null) await pause(20);
    expect(performance.now() - revoked).toBeLessThan(A_SECOND);
  });
});

describe('the last use of a credential', () => {
  it('is noted apart from the request', async () => {
    const key = await newKey();
    await me(one, key.api_key);
    await one.app.get(ApiKeyUses).flush();
    const read = async () => (await one.call('GET', `/api/v1/api-keys/${key.id}`)).body.last_used_at as string;
    const first = await read();
    expect(Date.now() - Date.parse(first)).toBeLessThan(60_000);
    await me(one, key.api_key);
    await one.app.get(ApiKeyUses).flush();
    expect(await read()).toBe(first); // once a minute at most
  });
});

describe('requests with wrong credentials', () => {
  long('end in 429 for an address, while a key that was valid a moment ago is still accepted', async () => {
    const app = await adminApp({}, [], database);
    try {
      expect(await me(app, app.tenant.api_key)).toBe(200);
      const wrong = () => app.call('GET', '/api/v1/me', { token: mintToken('tbk', app.tenant.id).token });
      let answer = await wrong();
      expect(answer.status).toBe(401);
      // Until it is so: on a slow machine tries come back nearly as fast as they are made.
      for (let i = 0; i < 5_000 && answer.status === 401; i++) answer = await wrong();
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '10']);
      expect(await me(app, app.tenant.api_key)).toBe(200);
    } finally {
      await app.close();
    }
  });

  it('get the same answer whether the tenant exists or not', async () => {
    const [known, unknown] = await Promise.all(
      [one.tenant.id, 'ten_00000000000000000000000000'].map((id) =>
        one.call('GET', '/api/v1/me', { token: mintToken('tbk', id).token }),
      ),
    );
    expect({ ...known!.body, request_id: '' }).toEqual({ ...unknown!.body, request_id: '' });
  });
});

describe('the rate of a key', () => {
  long('is a number a second with bursts of ten times that, in the headers', async () => {
    const app = await adminApp({ RATE_LIMIT: '5' }, [], database);
    try {
      const first = await app.call('GET', '/api/v1/me');
      expect([first.headers.get('ratelimit-limit'), first.headers.get('ratelimit-remaining')]).toEqual(['50', '49']);
      const statuses: number[] = [];
      for (let i = 0; i < 60; i++) statuses.push(await me(app, app.tenant.api_key));
      expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(49);
      const over = await app.call('GET', '/api/v1/me');
      if (over.status === 429) expect(Number(over.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      expect(statuses).toContain(429);
      expect((await app.call('GET', '/api/v1/tenants', { token: app.operatorToken })).status).toBe(200);
    } finally {
      await app.close();
    }
  });

  it('has no header when it is off', async () => {
    expect((await one.call('GET', '/api/v1/me')).headers.get('ratelimit-limit')).toBeNull();
  });
});
