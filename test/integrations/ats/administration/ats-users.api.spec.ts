import { startAshby, startGreenhouse, startLever } from '../../../simulators/index.js';
import type { AshbySimulator, GreenhouseSimulator, LeverSimulator } from '../../../simulators/index.js';
import { startApp, type TestApp } from '../../../support/app.js';
import { connectAshby, connectGreenhouse, connectLever } from '../../../support/ats.js';
import { newHouse, type House } from '../../../support/house.js';
import { long } from '../../../support/rounds.js';

const DANA = '32bc4d3b-0000-4e2b-92d0-00000000d4a1';
let service: TestApp;
let lever: LeverSimulator;
let ashby: AshbySimulator;
let greenhouse: GreenhouseSimulator;
let house: House;

beforeAll(async () => {
  lever = await startLever({ rateFactor: 1_000, apiKey: 'a-key-of-lever' });
  ashby = await startAshby({ rateFactor: 1_000, apiKey: 'a-key-of-ashby' });
  greenhouse = await startGreenhouse({ rateFactor: 1_000 });
  service = await startApp({ ATS_SIMULATORS: `greenhouse=${greenhouse.origin}` });
});
afterAll(async () => {
  await service.close();
  await Promise.all([lever.close(), ashby.close(), greenhouse.close()]);
});
beforeEach(async () => {
  lever.faults.clear();
  house = await newHouse(service);
});

const body = (more: object = {}): object => ({
  provider: 'lever',
  base_url: lever.url,
  credential: { kind: 'api_key', key: lever.apiKey },
  ...more,
});
const create = (more: object = {}) => house.api.post('/ats-connections', body(more));

describe('missing', () => {
  long('names the user when the vendor needs one and none is known', async () => {
    const made = await create();
    expect(made.body.missing).toEqual(['as_user']);
    const path = `/ats-connections/${made.body.id}`;
    expect((await house.api.patch(path, { writes: { as_user: DANA } })).body.missing).toEqual([]);
    expect((await house.api.get(path)).body.missing).toEqual([]);
  });

  it('names the credential when there is none', async () => {
    const { body: made } = await house.api.post('/ats-connections', { provider: 'ashby' });
    expect(made.missing).toEqual(['credential']);
  });

  it('names no user when nothing is written', async () => {
    const made = await create({ writes: { link_target: null, scorecard_target: null } });
    expect(made.body.missing).toEqual([]);
  });
});

describe('GET /ats-connections/{id}/users', () => {
  long('lists the active users of Lever in pages, also across the pages of Lever', async () => {
    const own = await startLever({ rateFactor: 1_000, apiKey: 'many-users' });
    const wanted = new Set([DANA]);
    for (let n = 0; n < 130; n++) {
      const { id } = own.add.user({ name: `User ${n}`, deactivatedAt: n % 10 === 0 ? 1 : null });
      if (n % 10 !== 0) wanted.add(id);
    }
    const ats = await connectLever(service, own);
    const found: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: { status: number; body: { data: { id: string }[]; next_cursor: string | null } } = await ats.api.get(
        `/ats-connections/${ats.connectionId}/users?limit=40&cursor=${encodeURIComponent(cursor)}`,
      );
      expect(page.status).toBe(200);
      expect(page.body.data.length).toBeLessThanOrEqual(40);
      found.push(...page.body.data.map(({ id }) => id));
      cursor = page.body.next_cursor;
    }
    expect([found.length, new Set(found)]).toEqual([wanted.size, wanted]);
    await own.close();
  });

  long('lists the users of Greenhouse, and none of Ashby, which writes as its key', async () => {
    const green = await connectGreenhouse(service, greenhouse);
    const { body: users } = await green.api.get(`/ats-connections/${green.connectionId}/users`);
    expect(users.data).toMatchObject([{ id: '158104', name: 'Dana Whitlock' }]);
    const as = await connectAshby(service, ashby);
    expect((await as.api.get(`/ats-connections/${as.connectionId}/users`)).body.data).toEqual([]);
  });

  it('refuses with 409 when there is no credential, and when the ATS gives no answer', async () => {
    const { body: bare } = await house.api.post('/ats-connections', { provider: 'lever' });
    expect((await house.api.get(`/ats-connections/${bare.id}/users`)).body.code).toBe('wrong_ats_state');
    const { body: made } = await create();
    lever.fault({ kind: 'status', status: 500, times: null });
    expect(await house.api.get(`/ats-connections/${made.id}/users`)).toMatchObject({
      status: 409,
      body: { code: 'ats_gives_no_answer' },
    });
  });

  it('answers 404 for the connection of another tenant', async () => {
    const { body: made } = await create();
    expect((await (await newHouse(service)).api.get(`/ats-connections/${made.id}/users`)).status).toBe(404);
  });
});

describe('as_user', () => {
  const fields = (answer: { body: { errors?: { field: string }[] } }) => answer.body.errors?.map(({ field }) => field);

  it.each(['32bc4d3b-0000-4e2b-92d0-00000000ffff', 'no id at all'])(
    'is refused with 422 when Lever does not know the user: %s',
    async (as_user) => {
      const refused = await create({ writes: { as_user } });
      expect([refused.status, fields(refused)]).toEqual([422, ['writes.as_user']]);
      const { body: made } = await create();
      const changed = await house.api.patch(`/ats-connections/${made.id}`, { writes: { as_user } });
      expect([changed.status, fields(changed)]).toEqual([422, ['writes.as_user']]);
    },
  );

  it('is refused when the user is not active', async () => {
    const { id } = lever.add.user({ name: 'Left', deactivatedAt: 1 });
    expect((await create({ writes: { as_user: id } })).status).toBe(422);
  });

  it('is taken when the ATS gives no answer', async () => {
    lever.fault({ kind: 'status', status: 500, times: null, path: '/users/' });
    expect((await create({ writes: { as_user: 'not-known-yet' } })).status).toBe(201);
  });
});

describe('a second connection to one account', () => {
  const taken = (id: string) => ({ status: 409, body: { code: 'ats_account_taken', id } });

  it('is refused with 409 when the key is the same, also of two requests at once', async () => {
    const answers = await Promise.all([create(), create(), create()]);
    const made = answers.filter(({ status }) => status === 201);
    expect(made).toHaveLength(1);
    expect(await create()).toMatchObject(taken(made[0]!.body.id));
    expect((await house.api.get('/ats-connections')).body.data).toHaveLength(1);
  });

  it('is refused with 409 when another key shows the records of a connection', async () => {
    lever.add.opportunity({ name: 'Ada', emails: ['ada@e.com'], posting: lever.add.posting().id, silent: true });
    const ats = await connectLever(service, lever);
    const former = lever.apiKey;
    Object.assign(lever, { apiKey: 'another-key' });
    expect(await ats.api.post('/ats-connections', body())).toMatchObject(taken(ats.connectionId));
    Object.assign(lever, { apiKey: former });
  });

  it('is taken after the first connection was disconnected', async () => {
    const { body: made } = await create();
    await house.api.post(`/ats-connections/${made.id}/disconnect`);
    expect((await create()).status).toBe(201);
  });

  it('is refused when the key of one connection is given to another one', async () => {
    const { body: made } = await create();
    const { body: other } = await house.api.post('/ats-connections', { provider: 'lever', base_url: lever.url });
    const { credential } = body() as { credential: object };
    expect(await house.api.patch(`/ats-connections/${other.id}`, { credential })).toMatchObject(taken(made.id));
  });
});
