import { Database } from '../../../src/base/database/database.js';
import { mintToken, type TokenKind } from '../../../src/base/crypto/tokens.js';
import { startApp, type TestApp, type TestTenant } from '../../support/app.js';
import { send } from '../../support/http.js';
import { long } from '../../support/rounds.js';

// All of an IdP's traffic comes from one address, and so does what an attacker sends through it.

let service: TestApp;
let tenant: TestTenant;
beforeAll(async () => {
  service = await startApp({ TRUST_PROXY: '127.0.0.1' });
  tenant = service.tenant;
});
afterAll(() => service.close());

const FROM = { 'x-forwarded-for': '203.0.113.7' };
const me = (token: string) => send('GET', `${service.url}/api/v1/me`, token, undefined, FROM);
const users = (token: string) => send('GET', `${service.url}/scim/v2/Users?count=1`, token, undefined, FROM);

/** Sends wrong tokens, many at a time, until an answer asks to slow down; returns the statuses that came. */
async function flood(make: () => string, ask: (token: string) => Promise<{ status: number }>): Promise<Set<number>> {
  const seen = new Set<number>();
  for (let i = 0; i < 40 && !seen.has(429); i++) {
    const answers = await Promise.all(Array.from({ length: 25 }, () => ask(make())));
    for (const { status } of answers) seen.add(status);
  }
  return seen;
}

describe('after a flood of wrong tokens from an address', () => {
  long.each<[string, TokenKind]>([
    ['API key', 'tbk'],
    ['SCIM token', 'tbs'],
  ])('accepts a valid %s that was never seen, of the named tenant and of another one', async (_, kind) => {
    const ask = kind === 'tbk' ? me : users;
    expect(await flood(() => mintToken(kind, tenant.tenantId).token, ask)).toEqual(new Set([401, 429]));
    const other = await service.newTenant();
    const { token } = await service.newDirectory(tenant.tenantId);
    expect((await ask(kind === 'tbk' ? other.apiKey : other.scimToken)).status).toBe(200);
    expect((await ask(kind === 'tbk' ? tenant.apiKey : token)).status).toBe(200);
    // And again, once it is no longer fresh.
    await new Promise((resolve) => setTimeout(resolve, 900));
    expect((await ask(kind === 'tbk' ? tenant.apiKey : token)).status).toBe(200);
  });

  long('counts malformed tokens against no caller', async () => {
    let n = 0;
    expect(await flood(() => `tbk_malformed_${n++}`, me)).toEqual(new Set([401, 429]));
    const other = await service.newTenant();
    expect((await me(other.apiKey)).status).toBe(200);
  });

  long('accepts the operator', async () => {
    const list = (token: string) => send('GET', `${service.url}/api/v1/tenants`, token, undefined, FROM);
    expect(await flood(() => mintToken('tbo', '').token, list)).toEqual(new Set([401, 429]));
    expect((await list(service.operatorToken)).status).toBe(200);
  });
});

/** The database as the service has it, under its own role. */
const served = (): Database => service.app.nest.get(Database);

long('looks wrong tokens up together, without a cost for the tenant that they name', async () => {
  const texts: string[] = [];
  let [running, most] = [0, 0];
  const db = served();
  const query = db.query.bind(db);
  db.query = (text, values) => {
    if (!text.includes('api_keys k')) return query(text, values);
    texts.push(text);
    most = Math.max(most, ++running);
    return query<never>(text, values).finally(() => running--);
  };
  try {
    const tokens = Array.from({ length: 200 }, () => mintToken('tbk', tenant.tenantId).token);
    await Promise.all(tokens.map((token) => me(token)));
  } finally {
    db.query = query;
  }
  expect(most).toBe(1);
  expect(texts.every((text) => text.includes('unnest'))).toBe(true);
});

it('forgets one key at a revocation, and keeps the others', async () => {
  const own = await service.newTenant();
  const [kept, gone] = await Promise.all(
    ['kept', 'gone'].map(async (name) => {
      const made = await send('POST', `${service.url}/api/v1/api-keys`, own.apiKey, {
        name,
        scopes: ['users:read'],
      });
      return made.body as { id: string; api_key: string };
    }),
  );
  for (const key of [kept!, gone!]) expect((await me(key.api_key)).status).toBe(200);
  const loads: unknown[][] = [];
  const db = served();
  const query = db.query.bind(db);
  db.query = (text, values = []) => {
    if (text.includes('api_keys k') && text.includes('unnest')) loads.push(values);
    return query(text, values);
  };
  try {
    const revoked = await send('DELETE', `${service.url}/api/v1/api-keys/${gone!.id}`, own.apiKey);
    expect(revoked.status).toBe(204);
    expect([(await me(kept!.api_key)).status, (await me(gone!.api_key)).status]).toEqual([200, 401]);
  } finally {
    db.query = query;
  }
  // Only the revoked one had to be looked up as an unknown one.
  expect(loads).toHaveLength(1);
});
