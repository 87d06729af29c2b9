import { chosenToken } from '../../../support/ats.js';
import { sharedApp, type TestApp, type TestTenant } from '../../../support/app.js';

let app: TestApp;

beforeAll(async () => {
  app = await sharedApp();
});
afterAll(() => app.close());

interface Answer {
  status: number;
  body: Record<string, unknown>;
}

async function call(method: string, path: string, body?: unknown, tenant: TestTenant = app.tenant): Promise<Answer> {
  const res = await fetch(`${app.url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${tenant.apiKey}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await res.text();
  return { status: res.status, body: (text === '' ? {} : JSON.parse(text)) as Record<string, unknown> };
}

const create = (more: object = {}, tenant?: TestTenant): Promise<Answer> =>
  call('POST', '/ats-connections', { provider: 'lever', ...more }, tenant);

describe('201', () => {
  test('a connection has its usual marker and settings, and shows its token once', async () => {
    const tenant = await app.newTenant();
    const made = await create({ name: 'Recruiting' }, tenant);
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      provider: 'lever',
      title: 'Lever',
      name: 'Recruiting',
      marker: 'lv_',
      state: 'ok',
      credential: null,
      takes: { postings: 'open', candidates: 'active', stages: null, since: null, backfill_events: false },
      writes: { visibility: 'private', link_target: 'link', scorecard_target: 'note' },
      webhook: { url: expect.stringMatching(/\/api\/webhooks\/lever$/), signing_secrets: 0 },
    });
    expect(made.body['api_token']).toMatch(/^wht_/);
    const shown = await call('GET', `/ats-connections/${String(made.body['id'])}`, undefined, tenant);
    expect(JSON.stringify(shown.body)).not.toContain(String(made.body['api_token']));
  });

  test('a second connection of one vendor gets another marker', async () => {
    const tenant = await app.newTenant();
    await create({}, tenant);
    expect((await create({}, tenant)).body['marker']).toBe('lv2_');
  });

  test('a caller’s own token is accepted, and a second one beside it; a third one is refused', async () => {
    const tenant = await app.newTenant();
    const token = chosenToken();
    const { body } = await create({ api_token: token }, tenant);
    const path = `/ats-connections/${String(body['id'])}/tokens`;
    expect(body['api_token']).toBe(token);
    const second = await call('POST', path, {}, tenant);
    expect(second.status).toBe(201);
    expect((await call('POST', path, {}, tenant)).body['code']).toBe('too_many_tokens');
    const { tokens } = second.body['webhook'] as { tokens: { id: string; hint: string }[] };
    expect(tokens.map(({ hint }) => hint)).toEqual([String(second.body['api_token']).slice(0, 4), 'whk_']);
    expect((await call('DELETE', `${path}/${tokens[1]!.id}`, undefined, tenant)).status).toBe(204);
    expect((await call('POST', path, {}, tenant)).status).toBe(201);
  });
});

describe('409', () => {
  test('a marker that another connection has', async () => {
    const tenant = await app.newTenant();
    await create({ marker: 'x_' }, tenant);
    expect((await create({ marker: 'x_' }, tenant)).body['code']).toBe('marker_taken');
  });

  test('the removal of a connected connection', async () => {
    const { body } = await create();
    const removed = await call('DELETE', `/ats-connections/${String(body['id'])}`);
    expect(removed).toMatchObject({ status: 409, body: { code: 'wrong_ats_state' } });
  });

  test('a read without a credential', async () => {
    const { body } = await create();
    const synced = await call('POST', `/ats-connections/${String(body['id'])}/sync`, { full: true });
    expect(synced).toMatchObject({ status: 409, body: { code: 'wrong_ats_state' } });
  });

  test('a connect link when the operator has set no OAuth client', async () => {
    const made = await call('POST', '/ats-connect-links', { provider: 'lever' });
    expect(made).toMatchObject({ status: 409, body: { code: 'no_oauth_client' } });
  });
});

describe('422', () => {
  test.each([
    ['provider', { provider: 'unknown' }],
    ['marker', { marker: 'LV' }],
    ['api_token', { api_token: 'short' }],
    ['region', { region: 'moon' }],
    ['base_url', { base_url: 'ftp://ats.example' }],
    ['base_url', { base_url: 'no address' }],
    ['base_url', { base_url: 'https://ats.example:99999' }],
    ['credential.kind', { credential: { kind: 'client_credentials', client_id: 'a', client_secret: 'b' } }],
    ['credential.key', { credential: { kind: 'api_key' } }],
    ['writes.link_target', { writes: { link_target: 'field' } }],
    ['takes.stages', { takes: { stages: [] } }],
    ['nickname', { nickname: 'x' }],
  ])('%s', async (field, more) => {
    const refused = await create(more);
    expect(refused.status).toBe(422);
    expect((refused.body['errors'] as { field: string }[]).map((error) => error.field)).toContain(field);
  });
});

test('answers for a token of another tenant as for one that can be guessed', async () => {
  const [one, other] = [await app.newTenant(), await app.newTenant()];
  const token = chosenToken();
  expect((await create({ api_token: token }, one)).status).toBe(201);
  const answers = [await create({ api_token: token }, other), await create({ api_token: 'greenhouse-hook-28' }, other)];
  const [taken, weak] = answers.map(({ status, body }) => ({ status, code: body['code'], errors: body['errors'] }));
  expect(taken).toEqual(weak);
  expect(taken!.status).toBe(422);
});

test('pauses, resumes, disconnects and removes a connection', async () => {
  const { body } = await create();
  const path = `/ats-connections/${String(body['id'])}`;
  expect((await call('POST', `${path}/pause`)).body['paused']).toBe(true);
  expect((await call('POST', `${path}/resume`)).body['paused']).toBe(false);
  const ended = await call('POST', `${path}/disconnect`);
  expect(ended.body).toMatchObject({ state: 'disconnected', webhooks_removed: 0, revoked: false });
  expect(ended.body['webhook']).toMatchObject({ tokens: [], signing_secrets: 0 });
  expect((await call('PATCH', path, { name: 'again' })).body['code']).toBe('wrong_ats_state');
  expect((await call('DELETE', path)).status).toBe(204);
  expect((await call('GET', path)).status).toBe(404);
});

test('keeps settings that are left out, and writes an audit line for each change, without secrets', async () => {
  const tenant = await app.newTenant();
  const { body } = await create({ signing_secret: 'a signing secret' }, tenant);
  const path = `/ats-connections/${String(body['id'])}`;
  const changed = await call('PATCH', path, { takes: { postings: 'all' }, writes: { as_user: 'u1' } }, tenant);
  expect(changed.body).toMatchObject({
    takes: { postings: 'all', candidates: 'active' },
    writes: { as_user: 'u1', visibility: 'private' },
    webhook: { signing_secrets: 1 },
  });
  const { body: audit } = await call('GET', '/audit?target_type=ats_connection', undefined, tenant);
  const text = JSON.stringify(audit);
  expect((audit['data'] as { action: string }[]).map(({ action }) => action)).toEqual([
    'ats_connection.changed',
    'ats_connection.created',
  ]);
  expect(text).not.toContain('a signing secret');
});

test('answers for connections of another tenant as for unknown ones, on every route', async () => {
  const other = await app.newTenant();
  const { body } = await create({}, other);
  const id = String(body['id']);
  const routes: [string, string, unknown?][] = [
    ['GET', ''],
    ['PATCH', '', { name: 'mine' }],
    ['DELETE', ''],
    ['POST', '/test'],
    ['POST', '/sync', {}],
    ['POST', '/pause'],
    ['POST', '/resume'],
    ['POST', '/disconnect'],
    ['POST', '/tokens', {}],
    ['DELETE', '/tokens/atk_01k0000000abcdefghjkmnpqrs'],
    ['PUT', '/signing-secret', { secret: 'mine' }],
    ['DELETE', '/signing-secret'],
  ];
  for (const [method, path, sent] of routes) {
    const theirs = await call(method, `/ats-connections/${id}${path}`, sent);
    const unknowns = await call(method, `/ats-connections/ats_01k0000000abcdefghjkmnpqrs${path}`, sent);
    const plain = ({ status, body: { code, detail } }: Answer) => ({ status, code, detail });
    expect([method, path, plain(theirs)]).toEqual([method, path, plain(unknowns)]);
    expect(theirs.status).toBe(404);
  }
  expect((await call('GET', '/ats-connections')).body['data']).not.toContainEqual(expect.objectContaining({ id }));
});
