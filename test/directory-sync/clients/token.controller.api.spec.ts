import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { mintToken } from '../../../src/base/crypto/tokens.js';
import { newClientId } from '../../../src/directory-sync/clients/client.rules.js';
import { sharedApp, startApp, type TestApp } from '../../support/app.js';
import { accessTokenOf, askToken, madeClient, secretForm, type MadeClient } from '../../support/clients.js';
import { newHouse, type House } from '../../support/house.js';
import { eventually, send } from '../../support/http.js';
import { long } from '../../support/rounds.js';
import { user } from '../../support/scim.js';

let service: TestApp;
let at: House;
let client: MadeClient;
beforeAll(async () => {
  service = await sharedApp();
});
beforeEach(async () => {
  at = await newHouse(service);
  client = await madeClient(at);
});
afterAll(() => service.close());

const basic = (id: string, secret: string): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`,
});
const rawRequest = (port: number, request: string): Promise<string> => {
  const socket = connect(port, '127.0.0.1');
  socket.write(request);
  return text(socket);
};
const users = (token: string) => send('GET', `${service.url}/scim/v2/Users`, token);
const lastRefusal = async (house = at) =>
  (await house.api.get(`/directories/${house.directoryId}`)).body.last_refusal as Record<string, string> | null;

describe('a client with a secret', () => {
  long('gets an access token that reads and writes its directory', async () => {
    const answer = await askToken(service.url, { ...secretForm(client), scope: 'https://example.com/.default' });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      access_token: expect.stringMatching(/^tba_[0-9a-z]+_\w{49}$/),
      token_type: 'Bearer',
      expires_in: 3_600,
      scope: 'scim',
    });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const token = answer.body.access_token as string;
    expect((await users(token)).body.totalResults).toBe(0);
    const body = { schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], userName: 'ada@example.com' };
    const made = await send('POST', `${service.url}/scim/v2/Users`, token, body, {
      'content-type': 'application/scim+json',
    });
    expect(made.status).toBe(201);
    // The SCIM token of the directory is valid at the same time.
    expect((await users(at.scimToken)).body.totalResults).toBe(1);
    expect((await at.api.get('/users')).status).toBe(200);
    expect((await send('GET', `${service.url}/api/v1/users`, token)).status).toBe(401);
  });

  it('authenticates with Basic, id and secret encoded as in a form', async () => {
    const answer = await askToken(service.url, {}, basic(client.id, client.client_secret));
    expect([answer.status, answer.body.token_type]).toEqual([200, 'Bearer']);
  });

  it('gets tokens of the life that it is made with', async () => {
    const short = await madeClient(at, { access_token_seconds: 300 });
    expect((await askToken(service.url, secretForm(short))).body.expires_in).toBe(300);
  });
});

describe('a request for a token is refused', () => {
  const other = (): Promise<House> => newHouse(service);
  const invalidClient = { error: 'invalid_client', error_description: expect.any(String) };

  it('in one way for an unknown client, a wrong secret and another tenant’s client', async () => {
    const theirs = await madeClient(await other());
    const answers = await Promise.all([
      askToken(service.url, { client_id: newClientId(at.tenantId), client_secret: client.client_secret }),
      askToken(service.url, { client_id: newClientId('ten_0000000000'), client_secret: 'x' }),
      askToken(service.url, { client_id: client.id, client_secret: mintToken('tbd', at.tenantId).token }),
      askToken(service.url, { client_id: client.id, client_secret: theirs.client_secret }),
      askToken(service.url, { client_id: theirs.id, client_secret: client.client_secret }),
      askToken(service.url, { client_id: client.id, client_secret: `${client.client_secret}\0` }),
      askToken(service.url, {}, basic(client.id, at.scimToken)),
      askToken(service.url, {}, { authorization: `Bearer ${at.scimToken}` }),
    ]);
    for (const { status, text, headers } of answers) {
      expect([status, text]).toEqual([401, answers[0].text]);
      expect(headers.get('www-authenticate')).toBe('Basic realm="talent-bridge"');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('content-type')).toBe('application/json');
    }
    expect(answers[0].body).toEqual(invalidClient);
    expect((await askToken(service.url, secretForm(client))).status).toBe(200);
  });

  it('with the error of RFC 6749 for what does not go together', async () => {
    const form = 'application/x-www-form-urlencoded';
    const post = async (body: string, type = form, headers = {}) => {
      const answer = await send('POST', `${service.url}/oauth/token`, null, body, { 'content-type': type, ...headers });
      return [answer.status, answer.body.error as string];
    };
    const pair = new URLSearchParams(secretForm(client)).toString();
    const whole = `grant_type=client_credentials&${pair}`;
    expect(await post(whole)).toEqual([200, undefined]);
    expect(await post(`${whole}&grant_type=client_credentials`)).toEqual([400, 'invalid_request']);
    // RFC 6749 §3.2: a field without a value is absent, and an unknown one is ignored.
    expect(await post(`${whole}&grant_type=&client_assertion=&scope=&resource=a&resource=b`)).toEqual([200, undefined]);
    const header = basic(client.id, client.client_secret);
    expect(await post('grant_type=client_credentials&client_id=&client_secret=', form, header)).toEqual([
      200,
      undefined,
    ]);
    const empty = `grant_type=client_credentials&client_id=${client.id}&client_secret=`;
    expect(await post(empty)).toEqual([401, 'invalid_client']);
    expect(await post(whole, form, basic(client.id, client.client_secret))).toEqual([400, 'invalid_request']);
    expect(await post(JSON.stringify({ grant_type: 'client_credentials' }), 'application/json')).toEqual([
      400,
      'invalid_request',
    ]);
    expect(await post(pair)).toEqual([400, 'invalid_request']);
    expect(await post('')).toEqual([400, 'invalid_request']);
    expect(await post(`grant_type=password&${pair}`)).toEqual([400, 'unsupported_grant_type']);
    expect(await post(`${whole}&x=${'x'.repeat(20_000)}`)).toEqual([400, 'invalid_request']);
    expect(await post('&'.repeat(10_000))).toEqual([400, 'invalid_request']);
    expect((await send('GET', `${service.url}/oauth/token`, null)).status).toBe(405);
  });

  it('when two headers name a client', async () => {
    const { port } = new URL(service.url);
    const header = basic(client.id, client.client_secret)['authorization']!;
    const body = 'grant_type=client_credentials';
    const answer = await rawRequest(
      Number(port),
      `POST /oauth/token HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${body.length}\r\n` +
        `Authorization: ${header}\r\nAuthorization: ${header}\r\nConnection: close\r\n\r\n${body}`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 400 [^]*"error":"invalid_request"/);
  });

  it('with its reason at the directory, and nothing of the secret', async () => {
    const wrong = mintToken('tbd', at.tenantId).token;
    await askToken(service.url, { client_id: client.id, client_secret: wrong });
    const refusal = await eventually(lastRefusal, (last) => last?.['reason'] === 'secret_unknown');
    expect(refusal).toEqual({
      at: expect.any(String),
      reason: 'secret_unknown',
      prefix: client.id,
      client_id: client.id,
      kind: 'secret',
    });
    const stranger = await madeClient(at, { kind: 'private_key_jwt', jwks_url: 'http://127.0.0.1:9/keys' });
    await askToken(service.url, { client_id: stranger.id, client_secret: client.client_secret });
    expect(await eventually(lastRefusal, (last) => last?.['reason'] === 'wrong_method')).toMatchObject({
      client_id: stranger.id,
      kind: 'private_key_jwt',
    });
  });
});

it('an access token that was never given is refused, beside valid ones of two directories', async () => {
  const neighbour = await newHouse(service);
  const valid = [
    await accessTokenOf(service.url, client),
    await accessTokenOf(service.url, await madeClient(neighbour)),
  ];
  const made = await send('POST', `${service.url}/scim/v2/Users`, valid[1]!, user('ada@example.com'), {
    'content-type': 'application/scim+json',
  });
  expect(made.status).toBe(201);
  const wrong = [at.tenantId, neighbour.tenantId].map((tenantId) => mintToken('tba', tenantId).token);
  const answers = await Promise.all([...valid, ...wrong].map(users));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 401, 401]);
  expect(answers.slice(0, 2).map(({ body }) => body.totalResults as number)).toEqual([0, 1]);
});

describe('the end', () => {
  const secretsPath = () => `/directories/${at.directoryId}/clients/${client.id}/secrets`;

  it('of a rotated secret and of its tokens comes after the overlap; two secrets are valid until then', async () => {
    const [first] = client.secrets;
    const old = await accessTokenOf(service.url, client);
    const next = await at.api.post(secretsPath(), {});
    expect(next.status).toBe(201);
    expect((await at.api.post(secretsPath(), {})).body.code).toBe('too_many_client_secrets');
    const renewed = { ...client, client_secret: next.body.client_secret as string };
    const fresh = await accessTokenOf(service.url, renewed);
    expect([(await users(old)).status, (await users(fresh)).status]).toEqual([200, 200]);
    const used = await at.api.delete(`${secretsPath()}/${first!.id}`);
    expect([used.status, used.body.code]).toEqual([409, 'credential_in_use']);
    expect((await at.api.delete(`${secretsPath()}/${first!.id}?force=true`)).status).toBe(204);
    expect([(await users(old)).status, (await users(fresh)).status]).toEqual([401, 200]);
    expect((await askToken(service.url, secretForm(client))).status).toBe(401);
    await eventually(lastRefusal, (last) => last?.['reason'] === 'secret_revoked');
    const rotated = await at.api.post(secretsPath(), { overlap_seconds: 0 });
    expect((await users(fresh)).status).toBe(401);
    expect(
      await accessTokenOf(service.url, { ...client, client_secret: rotated.body.client_secret as string }),
    ).toMatch(/^tba_/);
  });

  it('of a client ends its tokens and secrets', async () => {
    const token = await accessTokenOf(service.url, client);
    const path = `/directories/${at.directoryId}/clients/${client.id}`;
    const used = await at.api.delete(path);
    expect([used.status, used.body.code]).toEqual([409, 'credential_in_use']);
    expect((await users(token)).status).toBe(200);
    expect((await at.api.delete(`${path}?force=true`)).status).toBe(204);
    expect((await users(token)).status).toBe(401);
    expect((await askToken(service.url, secretForm(client))).status).toBe(401);
    await eventually(lastRefusal, (last) => last?.['reason'] === 'client_deleted');
    expect((await at.api.post(secretsPath(), {})).body.code).toBe('credential_ended');
    expect((await at.api.get(path)).body).toMatchObject({
      revoked_at: expect.any(String),
      last_used_at: expect.any(String),
    });
    expect((await users(at.scimToken)).status).toBe(200);
  });

  it('of a client that was not used needs no force', async () => {
    expect((await at.api.delete(`/directories/${at.directoryId}/clients/${client.id}`)).status).toBe(204);
  });

  it('of a directory ends its clients and their tokens', async () => {
    const token = await accessTokenOf(service.url, client);
    expect((await users(token)).status).toBe(200);
    const inUse = { status: 409, body: { code: 'credential_in_use', last_used_at: expect.any(String) } };
    await eventually(
      () => at.api.get(`/directories/${at.directoryId}/clients/${client.id}`),
      ({ body }) => body.last_used_at !== null,
    );
    expect(await at.api.delete(`/directories/${at.directoryId}`)).toMatchObject(inUse);
    expect((await users(token)).status).toBe(200);
    expect((await at.api.delete(`/directories/${at.directoryId}?force=true`)).status).toBe(204);
    expect((await users(token)).status).toBe(401);
    expect((await askToken(service.url, secretForm(client))).status).toBe(401);
  });

  it('of an access token comes when it expires, and the directory shows it', async () => {
    const token = await accessTokenOf(service.url, client);
    await service.db.query(
      `update access_tokens set expires_at = now() - interval '1 second' where tenant_id = $1 and client_id = $2`,
      [at.tenantId, client.id],
    );
    expect((await users(token)).status).toBe(401);
    await eventually(lastRefusal, (last) => last?.['reason'] === 'access_token_expired');
  });

  it('of a secret by its expiry is that of its access tokens', async () => {
    const expiresAt = new Date(Date.now() + 600_000).toISOString();
    const short = await madeClient(at, { expires_at: expiresAt });
    const { body } = await askToken(service.url, secretForm(short));
    expect(body.expires_in).toBeGreaterThan(500);
    expect(body.expires_in).toBeLessThanOrEqual(600);
    // An older token, which was given for longer.
    await service.db.query(
      `update access_tokens set expires_at = now() + interval '1 hour' where tenant_id = $1 and client_id = $2`,
      [at.tenantId, short.id],
    );
    const token = body.access_token as string;
    expect((await users(token)).status).toBe(200);
    await service.db.query(
      `update client_secrets set expires_at = now() - interval '1 second' where tenant_id = $1 and client_id = $2`,
      [at.tenantId, short.id],
    );
    await eventually(
      () => users(token),
      ({ status }) => status === 401,
    );
  });

  it('of the oldest access token comes with the one that makes it more than a thousand', async () => {
    const oldest = await accessTokenOf(service.url, client);
    const filled = (n: number) =>
      service.db.query(
        `insert into access_tokens (tenant_id, id, client_id, directory_id, hash, expires_at)
         select $1, 'act_z' || n, $2, $3, sha256(n::text::bytea), now() + interval '1 hour' from generate_series(1, $4::int) n`,
        [at.tenantId, client.id, at.directoryId, n],
      );
    await filled(998);
    const thousandth = await accessTokenOf(service.url, client);
    expect((await users(oldest)).status).toBe(200);
    await accessTokenOf(service.url, client);
    const ended = await eventually(
      () => users(oldest),
      ({ status }) => status === 401,
    );
    expect(ended.status).toBe(401);
    expect(thousandth).not.toBe(oldest);
    const { rows } = await service.db.query<{ n: number }>(
      'select count(*)::int as n from access_tokens where tenant_id = $1 and client_id = $2',
      [at.tenantId, client.id],
    );
    expect(rows[0]!.n).toBe(1_000);
  });
});

long('counts access tokens against the allowance of the tenant, for all its clients together', async () => {
  const limited = await startApp({ RATE_LIMIT: '2', RATE_LIMIT_TENANT: '1' }, service);
  try {
    const clients = [client, await madeClient(at), await madeClient(at)];
    const ask = () => Promise.all(clients.map((one) => askToken(limited.url, secretForm(one))));
    const answers = (await Promise.all([ask(), ask(), ask(), ask(), ask()])).flat();
    const statuses = answers.map(({ status }) => status);
    // A burst of ten, and one a second while the fifteen are on their way.
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(10);
    expect(statuses).toContain(429);
    const refused = answers.find(({ status }) => status === 429)!;
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
  } finally {
    await limited.close();
  }
});

it('a directory has ten clients', async () => {
  for (let i = 0; i < 9; i++) await madeClient(at);
  const more = await at.api.post(`/directories/${at.directoryId}/clients`, { kind: 'secret' });
  expect([more.status, more.body.code]).toEqual([409, 'too_many_clients']);
});

it('names its addresses and ways of authentication (RFC 8414)', async () => {
  const { body } = await send('GET', `${service.url}/.well-known/oauth-authorization-server`, null);
  expect(body).toMatchObject({
    grant_types_supported: ['client_credentials'],
    scopes_supported: ['scim'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'private_key_jwt'],
  });
  expect(body.token_endpoint).toBe(`${body.issuer}/oauth/token`);
  expect(client.token_url).toBe(body.token_endpoint);
});

long('counts wrong secrets by address and directory, and refuses no valid one', async () => {
  const body = secretForm({ ...client, client_secret: mintToken('tbd', at.tenantId).token });
  const answers = await Promise.all(Array.from({ length: 400 }, () => askToken(service.url, body)));
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThan(10);
  expect(refused[0]!.body.error).toBe('temporarily_unavailable');
  expect((await askToken(service.url, secretForm(client))).status).toBe(200);
  const neighbour = await newHouse(service);
  expect((await askToken(service.url, secretForm(await madeClient(neighbour)))).status).toBe(200);
});
