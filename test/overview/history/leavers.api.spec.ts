import { SandboxPlatform } from '../../../src/sandbox/sandbox-platform.js';
import { hostileOp, type HostileOp } from '../../protocols/oidc/support/op.js';
import { OidcWay } from '../../support/sign-in/connections.js';
import { startApp, type TestApp } from '../../support/app.js';
import { client, eventually, type Answer } from '../../support/http.js';
import { newHouse, type House } from '../../support/house.js';
import { long } from '../../support/rounds.js';
import { fresh, madeUser, patch, user } from '../../support/scim.js';
import { StubbornPlatform } from './support/peer.js';

let service: TestApp;
let sandbox: SandboxPlatform;
let stubborn: StubbornPlatform;
let op: HostileOp;
let house: House;
beforeAll(async () => {
  service = await startApp();
  sandbox = new SandboxPlatform({ databaseUrl: service.databaseUrl, port: 0 });
  await sandbox.start();
  stubborn = await new StubbornPlatform().start();
  op = await hostileOp(() => new Date());
});
beforeEach(async () => {
  house = await newHouse(service);
});
afterAll(async () => {
  await op.stop();
  await stubborn.stop();
  await sandbox.stop();
  await service.close();
});

const connect = (base_url = sandbox.url) => house.api.put('/platform', { base_url, api_key: `key-${house.tenantId}` });
const active = (id: string, value: boolean) =>
  house.scim.patch(`/Users/${id}`, patch({ op: 'replace', path: 'active', value }));
const leavers = (query = '') => house.api.get(`/leavers${query}`);
const inState = (state: string, query = '') =>
  eventually(
    () => leavers(query),
    ({ body }) => body.data.length > 0 && body.data.every((one: { state: string }) => one.state === state),
  );
const ids = ({ body }: Answer): string[] => body.data.map((one: { user_id: string }) => one.user_id);
/** A user whom the platform knows; without waiting, one who was at least forwarded. */
async function known(more: object = {}): Promise<string> {
  const id = await madeUser(house.scim, user(`${fresh()}@e.com`, more));
  await eventually(
    () => house.api.get('/platform'),
    ({ body }) => body.waiting === 0,
  );
  return id;
}

describe('a leaver’s record', () => {
  long('has the times of request, commit, sessions and platform, one after the other', async () => {
    await connect();
    const sub = fresh('sub');
    const id = await known({ externalId: sub, name: { givenName: 'Ada', familyName: 'King' } });
    const door = await OidcWay.open(service, house, { directory_id: house.directoryId }, op);
    for (let n = 0; n < 2; n++) expect((await door.signIn(door.tab(), { sub })).status).toBe(303);
    expect((await leavers()).body.data).toEqual([]);
    const answer = await active(id, false);
    const { body } = await inState('confirmed');
    const [record] = body.data;
    expect(record).toMatchObject({
      user_id: id,
      kind: 'deactivated',
      user: { first_name: 'Ada', last_name: 'King', external_id: sub },
      source: { request_id: answer.headers.get('x-request-id'), surface: 'scim', directory_id: house.directoryId },
      sessions_ended: 2,
      state: 'confirmed',
    });
    expect(record.id).toBe(`chg_${record.change_sequence}`);
    const times = ['requested_at', 'committed_at', 'sessions_ended_at', 'forwarded_at', 'confirmed_at'];
    const moments = times.map((name) => Date.parse(record[name]));
    expect(moments).toEqual(moments.toSorted((a, b) => a - b));
    expect(record.milliseconds).toEqual({
      commit: moments[1]! - moments[0]!,
      sessions: moments[2]! - moments[0]!,
      forward: moments[3]! - moments[0]!,
      confirm: moments[4]! - moments[0]!,
    });
  });

  long('counts the sessions of this departure, not earlier or expired ones', async () => {
    await connect();
    const sub = fresh('sub');
    const id = await known({ externalId: sub });
    const door = await OidcWay.open(service, house, { directory_id: house.directoryId }, op);
    for (const count of [2, 1]) {
      for (let n = 0; n < count; n++) await door.signIn(door.tab(), { sub });
      await active(id, false);
      await active(id, true);
    }
    await door.signIn(door.tab(), { sub });
    await service.db.execute(`update sessions set expires_at = now() where user_id = '${id}' and ended_at is null`);
    await active(id, false);
    await house.scim.delete(`/Users/${id}`);
    const { body } = await inState('confirmed', `/${id}`);
    expect(
      body.data.map((one: Record<string, unknown>) => [one['kind'], one['sessions_ended'], one['confirmed_at']]),
    ).toEqual([
      ['deleted', 0, expect.any(String)],
      ['deactivated', 0, expect.any(String)],
      ['deactivated', 1, expect.any(String)],
      ['deactivated', 2, expect.any(String)],
    ]);
    expect(body.data.map(({ user_id }: { user_id: string }) => user_id)).toEqual([id, id, id, id]);
  });

  it('waits while the platform is away, and is confirmed once it has answered', async () => {
    const id = await madeUser(house.scim, user(`${fresh()}@e.com`));
    await active(id, false);
    const [waiting] = (await leavers()).body.data;
    expect(waiting).toMatchObject({ state: 'waiting', forwarded_at: null, confirmed_at: null });
    expect(waiting.milliseconds).toMatchObject({ commit: expect.any(Number), forward: null, confirm: null });
    expect(ids(await leavers('?state=waiting'))).toEqual([id]);
    await connect();
    const { body } = await inState('confirmed');
    expect(body.data[0].confirmed_at).not.toBeNull();
    expect(ids(await leavers('?state=waiting'))).toEqual([]);
    // A question that found the account is no answer to the departure.
    await service.db.execute(
      `insert into attempts (tenant_id, channel, destination, subject, delivery_id, n, first_sequence, last_sequence, method,
         path, outcome, sent_at, at, duration_ms)
       select tenant_id, channel, destination, subject, delivery_id, n + 1000, first_sequence, last_sequence, 'GET',
         path, 'adopted', sent_at - interval '1 hour', at, duration_ms
       from attempts where tenant_id = '${house.tenantId}' and subject = '${id}' and outcome in ('delivered', 'nothing_to_say')`,
    );
    expect((await leavers()).body.data[0].confirmed_at).toBe(body.data[0].confirmed_at);
    // Attempts are kept for a while only; that it was confirmed stays known.
    await service.db.execute(`delete from attempts where tenant_id = '${house.tenantId}'`);
    expect((await leavers()).body.data).toMatchObject([
      { state: 'confirmed', forwarded_at: null, confirmed_at: expect.any(String) },
    ]);
  });

  long('shows a departure as parked, discarded by an admin, or confirmed later', async () => {
    stubborn.stubborn = true;
    await connect(stubborn.url);
    const [id, other] = [await known(), await known()];
    await active(id, false);
    await active(other, false);
    const { body } = await inState('parked', '?state=parked&limit=200');
    expect(body.data[0]).toMatchObject({ state: 'parked', confirmed_at: null, error: { code: 'refused' } });
    await eventually(
      () => leavers('?state=parked'),
      (answer) => answer.body.data.length === 2,
    );
    const [mine, theirs] = [id, other].map((one) =>
      house.api.get(`/leavers/${one}`).then((answer) => answer.body.data[0]),
    );
    const record = await mine!;
    expect(record.forwarded_at).not.toBeNull();
    await house.api.post(`/changes/${(await theirs!).id}/dismiss`, { reason: 'left long ago' });
    stubborn.stubborn = false;
    await house.api.post(`/changes/${record.id}/retry`);
    const done = (await inState('confirmed', `/${id}`)).body.data[0];
    expect(done.forwarded_at).toBe(record.forwarded_at);
    expect(Date.parse(done.confirmed_at)).toBeGreaterThan(Date.parse(record.forwarded_at));
    expect(done).not.toHaveProperty('error');
    expect((await leavers(`/${other}`)).body.data[0]).toMatchObject({ state: 'dismissed', confirmed_at: null });
    for (const [state, whose] of [['confirmed', [id]], ['dismissed', [other]], ['parked', []]] as const) {
      expect(ids(await leavers(`?state=${state}`))).toEqual(whose);
    } // prettier-ignore
  });

  it('exists as not forwarded for a user without a platform account', async () => {
    await connect();
    const id = await madeUser(house.scim, user(`${fresh()}@e.com`, { active: false }));
    await house.scim.delete(`/Users/${id}`);
    expect((await leavers()).body.data).toMatchObject([
      { user_id: id, kind: 'deleted', state: 'not_forwarded', sessions_ended: 0, forwarded_at: null },
    ]);
  });

  it('is missing for a held departure until its release', async () => {
    await connect();
    const owner = await known();
    await house.api.patch('/tenant', { owner_user_id: owner });
    expect((await house.scim.delete(`/Users/${owner}`)).status).toBe(204);
    expect((await leavers()).body.data).toEqual([]);
    expect((await leavers(`/${owner}`)).body.data).toEqual([]);
    expect((await house.api.post(`/held/${owner}/release`, {})).status).toBe(200);
    expect((await leavers()).body.data).toMatchObject([
      { user_id: owner, kind: 'deleted', source: { surface: 'api' } },
    ]);
    // The record keeps the time of the IdP's request, with the times of the hold beside it.
    const [{ requested_at, held_at, released_at, committed_at }] = (await leavers()).body.data;
    expect(requested_at).toBe(held_at);
    expect(Date.parse(released_at)).toBeGreaterThan(Date.parse(held_at));
    expect(Date.parse(committed_at)).toBeGreaterThan(Date.parse(requested_at));
  });
});

describe('the list of leavers', () => {
  long('is newest first, by pages, filtered, and not shown to other tenants', async () => {
    const people: string[] = [];
    for (let n = 0; n < 5; n++) {
      people.unshift(await madeUser(house.scim, user(`${fresh()}@e.com`)));
      await active(people[0]!, false);
    }
    expect(ids(await leavers())).toEqual(people);
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: Answer = await leavers(`?limit=2&cursor=${cursor}`);
      seen.push(...ids(page));
      cursor = page.body.next_cursor;
      await house.scim.delete(`/Users/${await madeUser(house.scim)}`);
    }
    expect(seen).toEqual(people);
    const [, , third] = (await leavers(`?limit=200`)).body.data.slice(-5);
    const since = third.committed_at as string;
    expect(ids(await leavers(`?since=${since}&limit=200`)).slice(-3)).toEqual(people.slice(0, 3));
    expect(ids(await leavers(`?until=${since}`))).toEqual(people.slice(3));
    expect(ids(await leavers(`?user_id=${people[1]}`))).toEqual([people[1]]);
    for (const query of ['?state=lost', '?since=now', '?userid=x', `/${people[0]}?user_id=${people[1]}`]) {
      expect([query, (await leavers(query)).status]).toEqual([query, 422]);
    }
    const first = await leavers('?limit=1');
    expect((await leavers(`?state=waiting&cursor=${first.body.next_cursor}`)).status).toBe(400);

    const stranger = client(`${service.url}/api/v1`, (await service.newTenant()).apiKey);
    expect((await stranger.get('/leavers')).body.data).toEqual([]);
    expect((await stranger.get(`/leavers?user_id=${people[0]}`)).body.data).toEqual([]);
    const [theirs, unknowns] = [await stranger.get(`/leavers/${people[0]}`), await stranger.get('/leavers/usr_x')];
    expect([theirs.status, theirs.body.detail]).toEqual([404, unknowns.body.detail]);
    expect((await leavers(`/${people[0]}`)).status).toBe(200);
  });

  it('is exported whole, without formulas of a spreadsheet', async () => {
    const formula = '=cmd|calc';
    const id = await madeUser(
      house.scim,
      user(`${fresh()}@e.com`, { name: { givenName: formula, familyName: '@SUM' } }),
    );
    await active(id, false);
    const csv = (await leavers('?format=csv')).text;
    expect(csv).toContain(`,"'${formula}",'@SUM,`);
    expect(csv).not.toMatch(/(^|,)"?[=+@-]/m);
    expect(csv.trim().split('\r\n')).toHaveLength(2);
    const [line] = (await house.api.get('/leavers', undefined, { accept: 'application/x-ndjson' })).text.split('\n');
    expect(JSON.parse(line!)).toEqual((await leavers()).body.data[0]);
  });
});
