import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { EVENTS } from '../../../src/engine/events/catalogue.js';
import { EventsRepository, type NewEvent } from '../../../src/engine/events/events.service.js';
import { QuietDirectories } from '../../../src/directory-sync/directories/directory-marks.js';
import { ChainSealer } from '../../../src/tenancy/ledger/chain.js';
import { ExpiryNotice } from '../../../src/operations/retention.js';
import { startApp, type TestApp } from '../../support/app.js';
import { madeClient } from '../../support/clients.js';
import { newHouse, type House } from '../../support/house.js';
import { client, eventually } from '../../support/http.js';
import { long } from '../../support/rounds.js';
import { fresh } from '../../support/scim.js';

let service: TestApp;
let events: EventsRepository;
beforeAll(async () => {
  service = await startApp();
  events = service.app.nest.get(EventsRepository);
});
afterAll(() => service.close());

const LOST: NewEvent = { event: 'domain.lost', data: EVENTS['domain.lost'].example };
const BACK: NewEvent = { event: 'destination.back', data: { probes: 1 } };
const namesOf = async ({ api }: House, query = ''): Promise<string[]> =>
  ((await api.get(`/events?limit=200${query}`)).body.data as { event: string }[]).map(({ event }) => event);

describe('the events of a tenant', () => {
  it('are listed newest first, with severity and runbook line', async () => {
    const at = await newHouse(service);
    await events.record(at.tenantId, [LOST]);
    await events.record(at.tenantId, [BACK]);
    const { body } = await at.api.get('/events');
    expect(body.data.map(({ event }: { event: string }) => event)).toEqual(['destination.back', 'domain.lost']);
    expect(body.data[1]).toMatchObject({
      id: expect.stringMatching(/^evt_/) as string,
      data: LOST.data,
      severity: 'warning',
      runbook: EVENTS['domain.lost'].runbook,
    });
  });

  it('are found by name and since a moment, and in pages', async () => {
    const at = await newHouse(service);
    await events.record(at.tenantId, [LOST]);
    await service.db.query(`update events set at = at - interval '1 minute' where tenant_id = $1`, [at.tenantId]);
    const between = new Date(Date.now() - 30_000).toISOString();
    for (let i = 0; i < 3; i++) await events.record(at.tenantId, [BACK]);
    expect(await namesOf(at, '&event=domain.lost')).toEqual(['domain.lost']);
    expect(await namesOf(at, `&since=${between}`)).toEqual(Array(3).fill('destination.back'));
    const { body: first } = await at.api.get('/events?limit=3');
    const { body: second } = await at.api.get(`/events?limit=3&cursor=${first.next_cursor}`);
    expect(second.data).toHaveLength(1);
    expect((await at.api.get('/events?event=nothing')).status).toBe(422);
    expect((await at.api.get('/events?since=yesterday')).status).toBe(422);
  });

  it('are shown to no other tenant, and to no key without the scope', async () => {
    const [at, other] = [await newHouse(service), await newHouse(service)];
    await events.record(at.tenantId, [LOST]);
    expect(await namesOf(other)).toEqual([]);
    const { body } = await at.api.post('/api-keys', { name: 'reader', scopes: ['users:read'] });
    expect((await client(`${service.url}/api/v1`, body.api_key).get('/events')).status).toBe(403);
  });

  it('are recorded once for each threshold by two processes at once', async () => {
    const at = await newHouse(service);
    const once = { ...LOST, threshold: 'example.com' };
    await Promise.all([1, 2, 3, 4].map(() => events.record(at.tenantId, [once])));
    expect(await events.record(at.tenantId, [once, { ...once, threshold: 'other.example' }])).toEqual(['domain.lost']);
    expect(await namesOf(at)).toHaveLength(2);
  });

  it('are rolled back with the transaction of their fact', async () => {
    const at = await newHouse(service);
    const db = service.app.nest.get(EventsRepository)['db'];
    const failed = db.transaction(at.tenantId, async (tx) => {
      await events.record(at.tenantId, [{ ...LOST, threshold: 'taken back' }], tx);
      throw new Error('the fact did not happen');
    });
    await expect(failed).rejects.toThrow('did not happen');
    expect(await namesOf(at)).toEqual([]);
    expect(await events.record(at.tenantId, [{ ...LOST, threshold: 'taken back' }])).toHaveLength(1);
  });
});

describe('facts that become events', () => {
  it('a credential that expires, once for each mark', async () => {
    const at = await newHouse(service);
    const soon = new Date(Date.now() + 10 * 86_400_000).toISOString();
    const { body: key } = await at.api.post('/api-keys', { name: 'soon', scopes: ['users:read'], expires_at: soon });
    const notice = service.app.nest.get(ExpiryNotice);
    await notice.run();
    await notice.run();
    const { body } = await at.api.get('/events?event=credential.expiring');
    expect(body.data).toHaveLength(1);
    expect(body.data[0].data).toMatchObject({ kind: 'api_key', credential_id: key.id, days: 30 });
  });

  it('the secret of a client that expires', async () => {
    const at = await newHouse(service);
    const soon = new Date(Date.now() + 6 * 86_400_000).toISOString();
    const { secrets } = await madeClient(at, { expires_at: soon });
    await service.app.nest.get(ExpiryNotice).run();
    const { body } = await at.api.get('/events?event=credential.expiring');
    expect(body.data.map(({ data }: { data: object }) => data)).toMatchObject([
      { kind: 'client_secret', credential_id: secrets[0]!.id, directory_id: at.directoryId, days: 7 },
    ]);
  });

  it('a refused SCIM token, once a day for each reason', async () => {
    const at = await newHouse(service);
    const { body: token } = await at.api.get(`/directories/${at.directoryId}/tokens`);
    await at.api.delete(`/directories/${at.directoryId}/tokens/${token.data[0].id}?force=true`);
    for (let i = 0; i < 3; i++) expect((await at.scim.get('/Users')).status).toBe(401);
    const body = await eventually(
      async () => (await at.api.get('/events?event=directory.refused')).body,
      ({ data }) => data.length > 0,
    );
    expect(body.data).toHaveLength(1);
    expect(body.data[0].data).toMatchObject({ directory_id: at.directoryId, reason: 'revoked' });
  });

  it('a platform that is paused and resumed, with the reason', async () => {
    const at = await newHouse(service);
    await at.api.put('/platform', { base_url: 'http://127.0.0.1:9', api_key: 'key' });
    await at.api.post('/platform/pause', { reason: 'maintenance' });
    await at.api.post('/platform/pause', { reason: 'again' });
    await at.api.post('/platform/resume', {});
    const { body } = await at.api.get('/events');
    expect(body.data.map(({ event, data }: { event: string; data: object }) => [event, data])).toEqual([
      ['destination.back', { probes: 0 }],
      ['destination.paused', { reason: 'by_hand', detail: 'maintenance' }],
    ]);
  });

  long('seats near the limit and at it, once a day each', async () => {
    const at = await newHouse(service);
    const create = (): Promise<{ status: number; body: { id: string } }> =>
      at.api.post('/users', { email: `${fresh()}@x.example`, first_name: 'P', last_name: 'K' });
    await at.api.put('/seats/limit', { limit: 20 });
    const made = [];
    for (let i = 0; i < 20; i++) made.push((await create()).body.id);
    expect((await create()).status).toBe(409);
    const told = (): Promise<unknown[]> =>
      at.api
        .get('/events')
        .then(({ body }) => body.data.filter(({ event }: { event: string }) => event.startsWith('seat.')));
    const events = await eventually(told, (found) => found.length === 2);
    expect(events.map((one) => (one as { event: string; data: object }).data)).toEqual([
      { limit: 20, used: 20, threshold: 20 },
      { limit: 20, used: 18, threshold: 18 },
    ]);
    await at.api.delete(`/users/${made[0]}`);
    await create();
    await service.app.nest.get(ChainSealer).run();
    expect(await told()).toHaveLength(2);
    await at.api.put('/seats/limit', { limit: 15 });
    await eventually(told, (found) => found.length === 4);
  });

  long('a directory whose IdP is silent for three times its usual pause, once', async () => {
    const at = await newHouse(service);
    const silent = (hours: number, usual: number): Promise<unknown> =>
      service.db.query(
        `update directories set last_request_at = now() - $3 * interval '1 hour', pauses = 5, usual_pause_seconds = $4
         where tenant_id = $1 and id = $2`,
        [at.tenantId, at.directoryId, hours, usual],
      );
    const quiet = service.app.nest.get(QuietDirectories);
    const told = async (): Promise<object[]> => {
      await Promise.all([quiet.run(), quiet.run()]);
      return (await at.api.get('/events?event=directory.quiet')).body.data.map(({ data }: { data: object }) => data);
    };
    await silent(2, 2_500);
    expect(await told()).toEqual([]);
    await silent(3, 2_500);
    expect(await told()).toMatchObject([{ directory_id: at.directoryId, usual_interval_seconds: 2_500 }]);
    expect(await told()).toHaveLength(1);
    await at.scim.get('/Users');
    await eventually(
      () => at.api.get(`/directories/${at.directoryId}`),
      ({ body }) => Date.now() - Date.parse(body.last_request_at) < 60_000,
    );
    const { rows } = await service.db.query<{ usual: number; pauses: number }>(
      `select usual_pause_seconds as usual, pauses from directories where tenant_id = $1`,
      [at.tenantId],
    );
    expect(rows[0]!.pauses).toBe(6);
    expect(Math.round(rows[0]!.usual / 60)).toBe(180);
    expect(await told()).toHaveLength(1);
  });

  long('drift of a platform, once for each comparison', async () => {
    const at = await newHouse(service);
    const account = { id: 'hp_1', email: 'e@x.example', first_name: 'E', last_name: 'X', status: 'active' };
    const platform = await refusing(200, JSON.stringify({ data: [account], next_cursor: null }));
    try {
      await at.api.put('/platform', { base_url: platform.url, api_key: 'key' });
      const { body: task } = await at.api.post('/platform/drift', {});
      const { data } = await eventually(
        async () => (await at.api.get('/events?event=drift.found')).body,
        (body) => body.data.length > 0,
      );
      expect(data.map((one: { data: object }) => one.data)).toEqual([
        { task_id: task.id, missing: 0, different: 0, extra: 1 },
      ]);
    } finally {
      await platform.close();
    }
  });

  it('a change that the platform refuses', async () => {
    const at = await newHouse(service);
    const platform = await refusing(422);
    try {
      await at.api.put('/platform', { base_url: platform.url, api_key: 'key' });
      const { body: person } = await at.api.post('/users', {
        email: `${fresh()}@x.example`,
        first_name: 'P',
        last_name: 'K',
      });
      const { data } = await eventually(
        async () => (await at.api.get('/events?event=change.parked')).body,
        (body) => body.data.length > 0,
      );
      expect(data[0].data).toMatchObject({ user_id: person.id, reason: 'refused' });
      expect((await at.api.get(`/changes/${data[0].data.change_id}`)).body.state).toBe('parked');
    } finally {
      await platform.close();
    }
  });
});

/** A platform that answers every request with one status. */
async function refusing(
  status: number,
  body = '{"error":"refused"}',
): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer((req, res) => {
    req.resume();
    res.writeHead(status, { 'content-type': 'application/json' }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
