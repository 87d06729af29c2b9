import { Engine } from '../../hiring/interviews/support/engine.js';
import { startApp, type TestApp } from '../../support/app.js';
import { candidate } from '../../support/candidates.js';
import { newHouse, type House } from '../../support/house.js';
import type { Answer } from '../../support/http.js';
import { declaredRoutes } from '../../support/routes.js';

let service: TestApp;
let engine: Engine;
let house: House;
beforeAll(async () => {
  service = await startApp({ ATS_OAUTH_CLIENTS: 'lever:client:client-secret' });
  engine = await new Engine().start();
  house = await newHouse(service);
  await house.api.put('/platform', { base_url: engine.url, api_key: 'platform-key-0123456789' });
  await house.api.put('/interview-engine', { base_url: engine.url, api_key: 'engine-key-0123456789abcdef' });
});
afterAll(async () => {
  await service.close();
  await engine.stop();
});

interface Case {
  /** Makes what the request needs. */
  request: () => Promise<{ path: string; body?: object }>;
  /** The table that has the record. */
  table: string;
}

const made = async (path: string, body: object): Promise<string> => {
  const { status, body: record, text } = await house.api.post(path, body);
  if (status !== 201) throw new Error(text);
  return record.id as string;
};
const directory = (path: string) => `/directories/${house.directoryId}${path}`;
const fixed = (path: string, body?: object) => async () => ({ path, ...(body === undefined ? {} : { body }) });
const task = (path: string, body?: object): Case => ({ request: fixed(path, body), table: 'tasks' });
const endpoint = () => made('/webhooks', { url: 'http://127.0.0.1:9443/hook' });

/** What has no unique name: the table of the record, and the request that makes it. */
const CASES: Record<string, Case> = {
  '/candidates/:id/interviews': {
    request: async () => ({
      path: `/candidates/${await made('/candidates', candidate())}/interviews`,
      body: { starts_at: '2026-03-05T13:00:00Z', ends_at: '2026-03-05T13:45:00Z' },
    }),
    table: 'interviews',
  },
  '/api-keys': { request: fixed('/api-keys', { name: 'k', scopes: ['users:read'] }), table: 'api_keys' },
  '/api-keys/:key_id/rotate': {
    request: async () => ({
      path: `/api-keys/${await made('/api-keys', { name: 'k', scopes: ['users:read'] })}/rotate`,
      body: {},
    }),
    table: 'api_keys',
  },
  '/webhooks': { request: fixed('/webhooks', { url: 'http://127.0.0.1:9443/hook' }), table: 'webhook_endpoints' },
  '/webhooks/:webhook_id/rotate-secret': {
    request: async () => ({ path: `/webhooks/${await endpoint()}/rotate-secret`, body: {} }),
    table: 'webhook_secrets',
  },
  '/webhooks/:webhook_id/replay': {
    request: async () => ({
      path: `/webhooks/${await endpoint()}/replay`,
      body: { since: new Date(Date.now() - 1000).toISOString() },
    }),
    table: 'tasks',
  },
  '/directories': { request: fixed('/directories', { name: 'Two' }), table: 'directories' },
  '/directories/:directory_id/tokens': {
    request: async () => ({ path: directory('/tokens'), body: { name: 't' } }),
    table: 'scim_tokens',
  },
  '/directories/:directory_id/tokens/:token_id/rotate': {
    request: async () => ({ path: directory(`/tokens/${await made(directory('/tokens'), {})}/rotate`), body: {} }),
    table: 'scim_tokens',
  },
  '/directories/:directory_id/clients': {
    request: async () => ({ path: directory('/clients'), body: { kind: 'secret' } }),
    table: 'directory_clients',
  },
  '/directories/:directory_id/clients/:client_id/secrets': {
    request: async () => ({
      path: directory(`/clients/${await made(directory('/clients'), { kind: 'secret' })}/secrets`),
      body: {},
    }),
    table: 'client_secrets',
  },
  '/directories/:directory_id/preview/plan': {
    request: async () => ({
      path: `/directories/${await made('/directories', { name: 'P', state: 'preview' })}/preview/plan`,
    }),
    table: 'tasks',
  },
  '/connections': {
    request: fixed('/connections', {
      type: 'oidc',
      name: 'Acme',
      issuer: 'https://idp.example.com',
      client_id: 'c',
      client_secret: 's',
    }),
    table: 'connections',
  },
  '/connections/:connection_id/test-sign-in': {
    request: async () => {
      const body = { type: 'oidc', name: 'T', issuer: 'https://idp.example.com', client_id: 'c', client_secret: 's' };
      return { path: `/connections/${await made('/connections', body)}/test-sign-in` };
    },
    table: 'sign_in_requests',
  },
  '/ats-connections': { request: fixed('/ats-connections', { provider: 'ashby' }), table: 'ats_connections' },
  '/ats-connections/:connection_id/tokens': {
    request: async () => ({
      path: `/ats-connections/${await made('/ats-connections', { provider: 'greenhouse' })}/tokens`,
      body: {},
    }),
    table: 'ats_token_hashes',
  },
  '/ats-connect-links': { request: fixed('/ats-connect-links', { provider: 'lever' }), table: 'ats_connect_links' },
  '/platform/import': task('/platform/import'),
  '/platform/drift': task('/platform/drift'),
  '/changes/resend': task('/changes/resend', { since: '2026-01-01T00:00:00Z' }),
  '/changes/retry': task('/changes/retry', { error: 'http_500' }),
  '/changes/dismiss': task('/changes/dismiss', { error: 'http_500', reason: 'test' }),
  '/held/release': task('/held/release', { reason: 'no_seat', count: 0 }),
  '/held/discard': task('/held/discard', { reason: 'no_seat', count: 0 }),
  '/directories/:directory_id/guard/release': {
    request: async () => ({ path: directory('/guard/release'), body: {} }),
    table: 'tasks',
  },
  '/directories/:directory_id/guard/discard': {
    request: async () => ({ path: directory('/guard/discard'), body: {} }),
    table: 'tasks',
  },
};

/** The other operations that an Idempotency-Key can come with, and why the work can be done again. */
const OTHERS: Record<string, string> = {
  '/seats/reconcile': 'corrects what differs',
  '/seats/verify': 'changes nothing',
  '/audit/verify': 'changes nothing',
  '/platform/test': 'changes nothing',
  '/platform/pause': 'leads to a state',
  '/platform/resume': 'leads to a state',
  '/changes/:id/retry': 'leads to a state',
  '/changes/:id/dismiss': 'leads to a state',
  '/users/:user_id/resend': 'the platform gets the present state of the user',
  '/held/:user_id/release': 'leads to a state',
  '/held/:user_id/discard': 'leads to a state',
  '/tasks/:task_id/cancel': 'leads to a state',
  '/interview-engine/test': 'changes nothing',
  '/connections/:connection_id/refresh-metadata': 'leads to a state',
  '/connections/:connection_id/check': 'changes nothing',
  '/connections/:connection_id/forget-subjects': 'leads to a state',
  '/domains/:domain/verify': 'leads to a state',
  '/ats-connections/:connection_id/test': 'changes nothing',
  '/ats-connections/:connection_id/sync': 'leads to a state',
  '/ats-connections/:connection_id/pause': 'leads to a state',
  '/ats-connections/:connection_id/resume': 'leads to a state',
  '/ats-connections/:connection_id/disconnect': 'leads to a state',
  '/ats-connections/:connection_id/test-write': 'takes back what it writes',
  '/ats-connections/:connection_id/writes/:write_id/retry': 'leads to a state',
  '/ats-connections/:connection_id/writes/:write_id/dismiss': 'leads to a state',
  '/ats-connections/:connection_id/events/retry': 'leads to a state',
  '/ats-connections/:connection_id/events/:event_id/retry': 'leads to a state',
  '/ats-connections/:connection_id/events/:event_id/dismiss': 'leads to a state',
  '/candidates': 'external_id is unique',
  '/users': 'user name and e-mail are unique',
  '/roles': 'the name is unique',
  '/domains': 'the domain is unique',
  '/directories/:directory_id/guard/undo': 'made as guard/discard is; a second one finds no user who left',
  '/directories/:directory_id/unlinked/deactivate': 'made as guard/discard is; a second one finds no unlinked user',
  '/directories/:directory_id/rules/plan':
    'a plan changes nothing; for many users it is a task, made as preview/plan is',
  '/webhooks/:webhook_id/redeliver': 'the message has the id of its event',
  '/webhooks/:webhook_id/test': 'the message has an id of the Idempotency-Key',
  '/webhooks/:webhook_id/pause': 'leads to a state',
  '/webhooks/:webhook_id/resume': 'leads to a state',
  '/webhooks/:webhook_id/revoke-secrets': 'leads to a state',
};

/** Sends a request with a key of its own; the second time as after a crash that lost the answer to the first. */
async function twice(path: string, body: object | undefined, seconds = 0): Promise<Answer[]> {
  const key = `key-${path}`;
  const send = () => house.api.post(path, body, { 'idempotency-key': key });
  const first = await send();
  await service.db.query(
    `update idempotency_keys set status = null, response = null, content_type = null, location = null,
       created_at = now() - make_interval(secs => $2) where key = $1`,
    [key, seconds],
  );
  return [first, await send()];
}

/** What the answers to both have to have in common: the record, and the secret that is shown once. */
const SHOWN = ['id', 'url', 'api_key', 'secret', 'scim_token', 'client_secret', 'api_token', 'meeting_url'];
const shown = ({ status, body }: Answer) => ({
  status,
  ...Object.fromEntries(SHOWN.map((name) => [name, body[name]])),
});

it.each(Object.entries(CASES))('POST %s finds the record when the first answer was lost', async (_, one) => {
  const { path, body } = await one.request();
  const count = async () =>
    (await service.db.query(`select 1 from ${one.table} where tenant_id = $1`, [house.tenantId])).rowCount!;
  const before = await count();
  const [first, again] = await twice(path, body);
  expect(first!.status < 300 ? '' : first!.text).toBe('');
  expect(shown(again!)).toEqual(shown(first!));
  expect(await count()).toBe(before + 1);
});

it('makes one room when the answer with its link was lost', () => {
  expect(engine.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
});

it('sends the test of a webhook with one id when the first answer was lost', async () => {
  const [first, again] = await twice(`/webhooks/${await endpoint()}/test`, {}, 90);
  expect([again!.status, again!.body.event_id]).toEqual([200, first!.body.event_id]);
});

it('does other work when the request has another body', async () => {
  const send = (name: string) =>
    house.api.post('/api-keys', { name, scopes: ['users:read'] }, { 'idempotency-key': 'one-key' });
  await send('first');
  await service.db.query(`update idempotency_keys set status = null, response = null where key = 'one-key'`);
  expect((await send('second')).body.code).toBe('idempotency_key_reused');
});

it('has a case or a reason for each operation that takes an Idempotency-Key', () => {
  const taken = declaredRoutes(service.app.nest)
    .filter(({ method, demand }) => method === 'POST' && demand !== undefined && demand !== 'operator')
    .map(({ paths }) => paths.find((each) => each.startsWith('/api/v1/'))!.slice('/api/v1'.length));
  expect([...Object.keys(CASES), ...Object.keys(OTHERS)].sort()).toEqual(taken.sort());
});
