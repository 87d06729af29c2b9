import { ExportVerifier, type SealedEntry } from '../../src/seats/ledger/chain.rules.js';
import { sharedApp, type TestApp } from '../support/app.js';
import { newHouse, type House } from '../support/house.js';
import { client, eventually, send } from '../support/http.js';
import { long } from '../support/rounds.js';
import { ENTERPRISE, failure, fresh, madeGroup, madeUser, patch, scim, user } from '../support/scim.js';

let service: TestApp;
beforeAll(async () => {
  service = await sharedApp();
});
afterAll(() => service.close());

const house = () => newHouse(service);
const person = () => ({ email: `${fresh()}@x.example`, first_name: 'Ann', last_name: 'Other' });
const madeByApi = async ({ api }: House, more: object = {}): Promise<string> => {
  const answer = await api.post('/users', { ...person(), ...more });
  expect([answer.status, answer.text.slice(0, 200)]).toEqual([201, expect.any(String)]);
  return answer.body.id;
};
const seatOf = async ({ api }: House, id: string) => {
  const { body } = await api.get(`/users/${id}`);
  return { seat: body.seat, status: body.status, held: body.held, role: body.role };
};
/** What the platform is to receive of a user. */
const told = async (id: string) =>
  (
    await service.db.query<{ kind: string }>(
      'select kind from changes where user_id = $1 and forwarded order by sequence',
      [id],
    )
  ).rows.map(({ kind }) => kind);
const summary = async ({ api }: House) => (await api.get('/seats')).body;
const lines = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as SealedEntry);

describe('the ledger of seats', () => {
  it('has claims and releases with actor, reason and facts of the moment', async () => {
    const at = await house();
    const id = await madeUser(at.scim, user(`${fresh()}@x.example`, { [ENTERPRISE]: { costCenter: 'CC 7' } }));
    await at.scim.patch(`/Users/${id}`, patch({ op: 'replace', path: 'active', value: false }));
    await at.scim.patch(`/Users/${id}`, patch({ op: 'replace', path: 'active', value: true }));
    await at.scim.patch(`/Users/${id}`, patch({ op: 'add', path: 'roles', value: [{ value: 'Observer' }] }));
    await at.scim.patch(`/Users/${id}`, patch({ op: 'remove', path: 'roles' }));
    await at.scim.delete(`/Users/${id}`);
    const { data } = (await at.api.get(`/seats/events?user_id=${id}`)).body;
    expect(data.map((each: SealedEntry) => [each.kind, each.delta, each.count_after, each.role, each.reason])).toEqual([
      ['release', -1, 0, 'User', 'deleted'],
      ['claim', 1, 1, 'User', 'role'],
      ['release', -1, 0, 'Observer', 'role'],
      ['claim', 1, 1, 'User', 'active'],
      ['release', -1, 0, 'User', 'inactive'],
      ['claim', 1, 1, 'User', 'created'],
    ]);
    expect(data[5]).toMatchObject({
      directory_id: at.directoryId,
      cost_center: 'CC 7',
      source: { surface: 'scim', request_id: expect.any(String), actor: { kind: 'directory', id: at.directoryId } },
    });
  });

  it('has no line when no seat changes', async () => {
    const at = await house();
    const id = await madeByApi(at);
    await at.api.patch(`/users/${id}`, { first_name: 'New' });
    const observer = await madeByApi(at, { role: 'Observer' });
    const inactive = await madeByApi(at, { status: 'inactive' });
    expect(await seatOf(at, observer)).toMatchObject({ seat: 'none', status: 'active' });
    expect(await seatOf(at, inactive)).toMatchObject({ seat: 'none', status: 'inactive' });
    const { data } = (await at.api.get('/seats/events')).body;
    expect(data.map((each: SealedEntry) => each.user_id)).toEqual([id]);
  });

  it('cannot be changed; the first broken entry is named when a superuser has changed it', async () => {
    const at = await house();
    for (let i = 0; i < 4; i++) await madeByApi(at);
    expect((await at.api.post('/seats/verify', {})).body).toMatchObject({ ok: true, entries: 4, count: 4, holders: 4 });
    const { db } = service;
    const change = (sql: string) => db.query(`${sql} where tenant_id = $1 and sequence = 2`, [at.tenantId]);
    await expect(change(`update seat_entries set role = 'Observer'`)).rejects.toThrow('append-only');
    await expect(change(`update seat_entries set hash = null, sequence = null`)).rejects.toThrow('append-only');
    await expect(change(`delete from seat_entries`)).rejects.toThrow('append-only');

    const before = await db.query<{ role: string }>(
      `select * from seat_entries where tenant_id = $1 and sequence = 2`,
      [at.tenantId],
    );
    const tamper = async (sql: string) => {
      await db.execute('alter table seat_entries disable trigger user');
      try {
        await change(sql);
      } finally {
        await db.execute('alter table seat_entries enable trigger user');
      }
      return (await at.api.post('/seats/verify', {})).body;
    };
    expect(await tamper(`update seat_entries set role = 'Observer'`)).toMatchObject({
      ok: false,
      sequence: 2,
      problem: 'the entry was changed',
    });
    expect(await tamper(`update seat_entries set role = '${before.rows[0]!.role}'`)).toMatchObject({ ok: true });
    expect(await tamper(`update seat_entries set hash = decode(repeat('ab', 32), 'hex')`)).toMatchObject({
      ok: false,
      sequence: 2,
    });
    expect(await tamper(`delete from seat_entries`)).toMatchObject({
      ok: false,
      sequence: 2,
      found: 3,
      problem: 'expected sequence 2',
    });
  });

  it('shows entries cut off at the end', async () => {
    const at = await house();
    for (let i = 0; i < 3; i++) await madeByApi(at);
    await at.api.post('/seats/verify', {});
    const { db } = service;
    await db.execute('alter table seat_entries disable trigger user');
    await db.query(`delete from seat_entries where tenant_id = $1 and sequence = 3`, [at.tenantId]);
    await db.execute('alter table seat_entries enable trigger user');
    expect((await at.api.post('/seats/verify', {})).body).toMatchObject({
      ok: false,
      sequence: 3,
      problem: expect.stringContaining('head'),
    });
  });

  it('verifies as an export without the service', async () => {
    const at = await house();
    const people = [await madeByApi(at), await madeByApi(at), await madeUser(at.scim)];
    await at.api.delete(`/users/${people[0]}`);
    await at.api.put('/seats/limit', { limit: 5 });
    const file = await at.api.get('/seats/events?format=ndjson');
    expect(file.headers.get('content-type')).toMatch(/^application\/x-ndjson/);
    const verifier = new ExportVerifier();
    for (const entry of lines(file.text)) expect(verifier.take(entry)).toBe(true);
    const here = (await at.api.post('/seats/verify', {})).body;
    expect(verifier.verdict()).toEqual({ ok: true, entries: 5, count: 2, head: here.head });
    const edited = lines(file.text.replace(/"delta":-1/, '"delta":1'));
    const other = new ExportVerifier();
    for (const entry of edited) other.take(entry);
    expect(other.verdict()).toMatchObject({ ok: false, sequence: 4 });
  });
});

describe('limits and policies', () => {
  it('begin without a limit', async () => {
    const { tenantId } = await service.newTenant();
    const { rows } = await service.db.query(`select seat_limit, mode from seat_limits where tenant_id = $1`, [
      tenantId,
    ]);
    expect(rows).toEqual([{ seat_limit: null, mode: 'unlimited' }]);
  });

  long('wait: a user of a directory exists, is held, and gets the next free seat, oldest first', async () => {
    const at = await house();
    await at.api.put('/seats/limit', { limit: 1 });
    const [first, second, third] = [await madeUser(at.scim), await madeUser(at.scim), await madeUser(at.scim)];
    expect(await seatOf(at, first)).toEqual({ seat: 'held', status: 'active', held: null, role: 'User' });
    for (const id of [second, third]) {
      expect(await seatOf(at, id)).toEqual({ seat: 'waiting', status: 'inactive', held: 'no_seat', role: 'User' });
      // SCIM reads back what it wrote.
      expect((await at.scim.get(`/Users/${id}`)).body.active).toBe(true);
    }
    expect(await summary(at)).toMatchObject({ limit: 1, used: 1, waiting: 2, overage: 0 });
    expect(await told(second)).toEqual([]);
    await at.scim.delete(`/Users/${first}`);
    await eventually(
      () => seatOf(at, second),
      ({ seat }) => seat === 'held',
    );
    expect(await seatOf(at, second)).toEqual({ seat: 'held', status: 'active', held: null, role: 'User' });
    expect(await told(second)).toEqual(['created']);
    expect(await seatOf(at, third)).toMatchObject({ seat: 'waiting' });
    await at.api.put('/seats/limit', { limit: 2 });
    await eventually(
      () => seatOf(at, third),
      ({ seat }) => seat === 'held',
    );
    expect(await summary(at)).toMatchObject({ limit: 2, used: 2, waiting: 0 });
  });

  it('wait: a free seat goes to a user who waits already, not to a newcomer', async () => {
    const at = await house();
    await at.api.put('/seats/limit', { limit: 1 });
    const [, waits] = [await madeUser(at.scim), await madeUser(at.scim)];
    // Past the service, so that no process hands out the new seat before the newcomers are there.
    const raise = (limit: number) =>
      service.db.query('update seat_limits set seat_limit = $2 where tenant_id = $1', [at.tenantId, limit]);
    await raise(2);
    const late = await madeUser(at.scim);
    expect(await seatOf(at, late)).toMatchObject({ seat: 'waiting' });
    expect((await at.api.post('/users', person())).body.code).toBe('seat_limit_reached');
    // Nor for the second one of those who wait, whose directory writes them again.
    await at.scim.patch(`/Users/${late}`, patch({ op: 'replace', path: 'title', value: 'T' }));
    expect(await seatOf(at, late)).toMatchObject({ seat: 'waiting' });
    await raise(4);
    await madeByApi(at);
    await at.api.put('/seats/limit', { limit: 4 });
    for (const id of [waits, late]) {
      await eventually(
        () => seatOf(at, id),
        ({ seat }) => seat === 'held',
      );
    }
    expect(await summary(at)).toMatchObject({ used: 4, waiting: 0 });
  });

  it('wait: a user who leaves while waiting waits no more', async () => {
    const at = await house();
    await at.api.put('/seats/limit', { limit: 0 });
    const [a, b] = [await madeUser(at.scim), await madeUser(at.scim)];
    await at.scim.patch(`/Users/${a}`, patch({ op: 'replace', path: 'active', value: false }));
    expect(await seatOf(at, a)).toMatchObject({ seat: 'none', status: 'inactive', held: null });
    await at.scim.delete(`/Users/${b}`);
    expect(await summary(at)).toMatchObject({ used: 0, waiting: 0 });
    // Changed while waiting: what is written last comes into force.
    const c = await madeUser(at.scim);
    await at.scim.patch(`/Users/${c}`, patch({ op: 'add', path: 'name.givenName', value: 'Late' }));
    await at.api.put('/seats/limit', { limit: 1 });
    await eventually(
      () => seatOf(at, c),
      ({ seat }) => seat === 'held',
    );
    expect((await at.api.get(`/users/${c}`)).body.first_name).toBe('Late');
  });

  it('block: answers 409 in the API and 403 in SCIM, and makes no user', async () => {
    const at = await house();
    await at.api.put('/seats/limit', { limit: 0, policy: { directory: 'block' } });
    const body = person();
    const refused = await at.api.post('/users', body);
    expect([refused.status, refused.body.code]).toEqual([409, 'seat_limit_reached']);
    expect((await at.api.get(`/users?email=${body.email}`)).body.data).toEqual([]);
    const name = fresh();
    expect(failure(await at.scim.post('/Users', user(name)))).toEqual([403, undefined, '403']);
    expect((await at.scim.get(`/Users?filter=userName eq "${name}"`)).body.totalResults).toBe(0);
    // A user who needs no seat comes in.
    expect((await at.api.post('/users', { ...person(), role: 'Observer' })).status).toBe(201);
    const off = await madeUser(at.scim, user(fresh(), { active: false }));
    expect(
      failure(await at.scim.patch(`/Users/${off}`, patch({ op: 'replace', path: 'active', value: true }))),
    ).toEqual([403, undefined, '403']);
    expect((await at.scim.get(`/Users/${off}`)).body).toMatchObject({ active: false, meta: { version: 'W/"1"' } });
    const inactive = await madeByApi(at, { status: 'inactive' });
    const again = await at.api.patch(`/users/${inactive}`, { status: 'active' });
    expect([again.status, again.body.code]).toEqual([409, 'seat_limit_reached']);
    const observer = await madeByApi(at, { role: 'Observer' });
    expect((await at.api.patch(`/users/${observer}`, { role: 'User' })).body.code).toBe('seat_limit_reached');
    expect(await seatOf(at, observer)).toMatchObject({ seat: 'none', role: 'Observer' });
  });

  it('a waiting user may still be changed under every policy', async () => {
    const at = await house();
    await at.api.put('/seats/limit', { limit: 0, policy: { api: 'wait', directory: 'wait' } });
    const id = await madeByApi(at);
    expect(await seatOf(at, id)).toMatchObject({ seat: 'waiting' });
    await at.api.put('/seats/limit', { limit: 0, policy: 'block' });
    expect((await at.api.patch(`/users/${id}`, { first_name: 'Renamed' })).status).toBe(200);
    expect(await seatOf(at, id)).toMatchObject({ seat: 'waiting', status: 'inactive' });
    expect((await at.api.post('/users', person())).body.code).toBe('seat_limit_reached');
  });

  it('allow: counts the seat as overage; a lower limit deactivates no user', async () => {
    const at = await house();
    await at.api.put('/seats/limit', { limit: 1, policy: { api: 'allow', directory: 'allow' } });
    const ids = [await madeByApi(at), await madeByApi(at), await madeUser(at.scim)];
    expect(await summary(at)).toMatchObject({
      limit: 1,
      used: 3,
      overage: 2,
      policy: { api: 'allow', directory: 'allow', sign_in: 'wait' },
    });
    await at.api.put('/seats/limit', { limit: 0, policy: 'block' });
    for (const id of ids) expect(await seatOf(at, id)).toMatchObject({ seat: 'held', status: 'active' });
    // A change of a user with a seat needs none.
    expect((await at.api.patch(`/users/${ids[0]}`, { first_name: 'Still', role: 'Admin' })).status).toBe(200);
    expect(await summary(at)).toMatchObject({ limit: 0, used: 3, overage: 3 });
    await at.api.put('/seats/limit', { limit: null });
    expect(await summary(at)).toMatchObject({ limit: null, overage: 0 });
    expect((await at.api.post('/users', person())).status).toBe(201);
  });

  long('a group request never fails for lack of a seat: the membership is stored, the role waits', async () => {
    const at = await house();
    for (const policy of ['block', 'wait'] as const) {
      const directory = await service.newDirectory(at.tenantId, { default_role: 'Observer' });
      const by = scim(service.url, directory.token);
      const [id, groupId] = [await madeUser(by), await madeGroup(by)];
      await at.api.put('/seats/limit', { limit: 0, policy: { directory: policy } });
      await at.api.put(`/directories/${directory.id}/rules`, { rules: [{ group_id: groupId, role: 'User' }] });
      const answer = await by.patch(
        `/Groups/${groupId}`,
        patch({ op: 'add', path: 'members', value: [{ value: id }] }),
      );
      expect([policy, answer.status]).toEqual([policy, 204]);
      expect((await by.get(`/Groups/${groupId}`)).body.members).toHaveLength(1);
      const waiting = await eventually(
        () => seatOf(at, id),
        ({ seat }) => seat === 'waiting',
      );
      expect(waiting).toEqual({ seat: 'waiting', status: 'active', held: 'no_seat', role: 'Observer' });
      await at.api.put('/seats/limit', { limit: 1 });
      await eventually(
        () => seatOf(at, id),
        ({ seat }) => seat === 'held',
      );
      expect(await seatOf(at, id)).toMatchObject({ role: 'User', held: null });
      await by.delete(`/Users/${id}`);
    }
  });

  it('the named owner gets a seat even at the limit', async () => {
    const at = await house();
    const owner = await madeUser(at.scim);
    expect((await at.api.patch('/tenant', { owner_user_id: owner })).status).toBe(200);
    await at.scim.patch(`/Users/${owner}`, patch({ op: 'add', path: 'roles', value: [{ value: 'Observer' }] }));
    expect(await seatOf(at, owner)).toMatchObject({ seat: 'none', role: 'Observer' });
    await at.api.put('/seats/limit', { limit: 0 });
    await at.scim.patch(`/Users/${owner}`, patch({ op: 'remove', path: 'roles' }));
    expect(await seatOf(at, owner)).toMatchObject({ seat: 'held', role: 'User', held: null });
    expect(await summary(at)).toMatchObject({ used: 1, overage: 1 });
  });

  it('a change of the limit is a line of the ledger and of the audit log', async () => {
    const at = await house();
    await at.api.put('/seats/limit', { limit: 7 });
    await at.api.put('/seats/limit', { policy: { api: 'wait' } });
    const { data } = (await at.api.get('/seats/events')).body;
    expect(data.map((each: SealedEntry) => [each.kind, each.delta, each.details])).toEqual([
      ['policy', 0, { limit: 7, policy: { directory: 'wait', api: 'wait', sign_in: 'wait' } }],
      ['limit', 0, { limit: 7, policy: { directory: 'wait', api: 'block', sign_in: 'wait' } }],
    ]);
    const audit = (await at.api.get('/audit?limit=1')).body.data[0];
    expect(audit).toMatchObject({
      action: 'seat_limit.changed',
      before: { limit: 7, policy: { api: 'block' } },
      after: { policy: { api: 'wait' } },
    });
  });

  it.each([
    [{ limit: -1 }, 'limit'],
    [{ limit: 1.5 }, 'limit'],
    [{ limit: '5' }, 'limit'],
    [{ policy: 'perhaps' }, 'policy'],
    [{ policy: { door: 'wait' } }, 'policy'],
    [{ limits: 5 }, 'limits'],
  ])('422: %j', async (body, field) => {
    const at = await house();
    const answer = await at.api.put('/seats/limit', body);
    expect([answer.status, answer.body.errors[0].field]).toEqual([422, field]);
    expect(await summary(at)).toMatchObject({ limit: null });
  });
});

/** A tenant in Berlin with a written history: seats over three days of March 2026, the last one in summer time. */
async function history(): Promise<House> {
  const at = await house();
  await at.api.patch('/tenant', { time_zone: 'Europe/Berlin' });
  await service.db.query(
    `insert into seat_entries (tenant_id, kind, user_id, delta, role, cost_center, reason, source, details, occurred_at)
     select $1, kind, user_id, delta, 'User', cost_center, 'history', '{}', details::jsonb, at::timestamptz from (values
       ('limit', null, 0, null, '{"limit": 2, "policy": {"directory": "wait", "api": "block", "sign_in": "wait"}}', '2026-03-27 12:00+01'),
       ('claim', 'usr_a', 1, '=1+1', null, '2026-03-27 18:00+01'),
       ('claim', 'usr_b', 1, null, null, '2026-03-28 12:00+01'),
       ('claim', 'usr_c', 1, '@c', null, '2026-03-28 18:00+01'),
       ('release', 'usr_b', -1, null, null, '2026-03-28 23:59:59.999999+01'),
       ('release', 'usr_a', -1, null, null, '2026-03-29 12:00+02')
     ) as h(kind, user_id, delta, cost_center, details, at)`,
    [at.tenantId],
  );
  return at;
}

describe('reports of a past moment', () => {
  it('take as_of as a time or as the end of a local day, and are unknown before the first entry', async () => {
    const at = await history();
    const used = async (asOf: string) => {
      const { body, status } = await at.api.get(`/seats?as_of=${encodeURIComponent(asOf)}`);
      return [status, body.used, body.limit, body.overage];
    };
    expect(await used('2026-03-27T10:59:59Z')).toEqual([200, null, null, null]);
    expect(await used('2026-03-26')).toEqual([200, null, null, null]);
    expect(await used('2026-03-27T11:00:00Z')).toEqual([200, 0, 2, 0]);
    expect(await used('2026-03-27')).toEqual([200, 1, 2, 0]);
    expect(await used('2026-03-28T18:00:00+01:00')).toEqual([200, 3, 2, 1]);
    expect(await used('2026-03-28T18:00:00.000+01:00')).toEqual([200, 3, 2, 1]);
    expect(await used('2026-03-28')).toEqual([200, 2, 2, 0]);
    expect(await used('2026-03-29')).toEqual([200, 1, 2, 0]);
    expect(await used('2026-03-28T22:59:59.999998Z')).toEqual([200, 3, 2, 1]);
    expect(await used('2026-03-28T22:59:59.999999999Z')).toEqual([200, 2, 2, 0]);
    expect(await used('2026-03-28T20:00:00+20:00')).toEqual([200, 1, 2, 0]);
    expect(await used('0001-01-01')).toEqual([200, null, null, null]);
    const past = (await at.api.get('/seats?as_of=2026-03-28')).body;
    expect(past).toMatchObject({
      as_of: '2026-03-28T22:59:59.999999Z',
      final: true,
      sealed_through: expect.any(String),
    });
    const now = (await at.api.get('/seats')).body;
    expect(now).toMatchObject({ used: 1, as_of: expect.any(String) });
    // The end of today is not over yet.
    const { rows } = await service.db.query<{ day: string }>(
      `select (now() at time zone 'Europe/Berlin')::date::text as day`,
    );
    const today = (await at.api.get(`/seats?as_of=${rows[0]!.day}`)).body;
    expect(today).toMatchObject({ used: 1, final: false });
  });

  it('list holders by page and as CSV without formulas', async () => {
    const at = await history();
    const holders = async (query: string) =>
      (await at.api.get(`/seats/holders?${query}`)).body.data.map((each: { user_id: string }) => each.user_id);
    expect(await holders('as_of=2026-03-27')).toEqual(['usr_a']);
    expect(await holders('as_of=2026-03-28T20:00:00Z')).toEqual(['usr_a', 'usr_b', 'usr_c']);
    expect(await holders('as_of=2026-03-28')).toEqual(['usr_a', 'usr_c']);
    expect(await holders('')).toEqual(['usr_c']);
    expect(await holders('as_of=2026-01-01')).toEqual([]);
    const first = (await at.api.get('/seats/holders?as_of=2026-03-28T20:00:00Z&limit=2')).body;
    const second = (await at.api.get(`/seats/holders?as_of=2026-03-28T20:00:00Z&limit=2&cursor=${first.next_cursor}`))
      .body;
    expect([...first.data, ...second.data].map((each) => each.user_id)).toEqual(['usr_a', 'usr_b', 'usr_c']);
    expect(second.next_cursor).toBeNull();
    const csv = await at.api.get('/seats/holders?as_of=2026-03-28T20:00:00Z&format=csv');
    expect(csv.headers.get('content-type')).toMatch(/^text\/csv/);
    const rows = csv.text.split('\r\n');
    expect(rows[0]).toBe('user_id,name,email,external_id,since,role,directory_id,directory,cost_center,reason');
    expect(rows[1]).toBe(`usr_a,,,,2026-03-27T17:00:00.000000Z,User,,,'=1+1,history`);
    expect(rows[3]).toContain(`,'@c,`);
    expect((await at.api.get('/seats/events?format=csv')).text).toContain(`,'=1+1,`);
  });

  it('show usage by local days: peak, average over time, end, holders and limit', async () => {
    const at = await history();
    const { data } = (await at.api.get('/seats/usage?from=2026-03-26&to=2026-03-30&interval=day')).body;
    expect(data).toEqual([
      { day: '2026-03-26', peak: null, average: null, end: null, distinct_holders: null, limit: null, final: true },
      { day: '2026-03-27', peak: 1, average: 0.5, end: 1, distinct_holders: 1, limit: 2, final: true },
      { day: '2026-03-28', peak: 3, average: 1.75, end: 2, distinct_holders: 3, limit: 2, final: true },
      // A day of 23 hours: two seats for eleven of them, one for twelve.
      { day: '2026-03-29', peak: 2, average: 1.478, end: 1, distinct_holders: 2, limit: 2, final: true },
    ]);
    const csv = await at.api.get('/seats/usage?from=2026-03-28&to=2026-03-29&format=csv');
    expect(csv.text).toBe('day,peak,average,end,distinct_holders,limit,final\r\n2026-03-28,3,1.75,2,3,2,true\r\n');
    // A range may end after today: a report of the current month has days without figures.
    const ahead = (await at.api.get('/seats/usage?from=2026-03-28&to=2032-01-02')).body.data;
    expect(ahead.at(-1)).toMatchObject({ day: '2032-01-01', peak: null, end: null, final: false });
  });

  it('list events, newest first, by page', async () => {
    const at = await history();
    const seen: number[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const { body }: { body: { data: SealedEntry[]; next_cursor: string | null } } = await at.api.get(
        `/seats/events?limit=4${cursor ? `&cursor=${cursor}` : ''}`,
      );
      seen.push(...body.data.map(({ sequence }) => sequence));
      cursor = body.next_cursor;
    }
    expect(seen).toEqual([6, 5, 4, 3, 2, 1]);
  });

  it.each([
    ['/seats?as_of=2099-01-01', 'as_of', 'leave as_of out for the seats of now'],
    ['/seats?as_of=9999-12-31', 'as_of', 'must not be after today'],
    ['/seats?as_of=2099-01-01T00:00:00Z', 'as_of', 'must not be after today'],
    ['/seats/holders?as_of=2099-01-01', 'as_of', 'must not be after today'],
    ['/seats/holders?as_of=2099-01-01&format=csv', 'as_of', 'must not be after today'],
    ['/seats/usage?from=2099-01-01&to=2099-01-02', 'from', 'begin at 20'],
    ['/seats?as_of=yesterday', 'as_of', 'must be a date such as 2026-10-31, or a time'],
    ['/seats/holders?bom=true', 'bom', 'goes with format=csv'],
    ['/seats/holders?bom=yes&format=csv', 'bom', 'must be one of: true, false'],
    ['/seats?format=ndjson', 'format', 'must be one of: json, csv'],
  ])('are refused with 422, the field and the next step: %s', async (path, field, message) => {
    const at = await house();
    const { status, body } = await at.api.get(path);
    expect([status, body.errors?.[0].field]).toEqual([422, field]);
    expect(body.errors[0].message).toContain(message);
  });

  it('begin with a byte order mark as CSV on request, and have no JSON in a cell', async () => {
    const at = await house();
    const id = await madeByApi(at, { first_name: 'Zoë', last_name: '=Łącki, "Z"', email: 'zoe@x.example' });
    const gone = await madeByApi(at);
    await at.api.delete(`/users/${gone}`);
    await at.api.put('/seats/limit', { limit: 9, policy: { api: 'wait' } });
    await at.api.put('/seats/limit', { limit: null });
    const today = new Date().toISOString().slice(0, 10);
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
    for (const list of ['/seats?', '/seats/holders?', '/seats/events?', `/seats/usage?from=${today}&to=${tomorrow}&`]) {
      const read = async (query: string): Promise<string> => {
        const answer = await fetch(`${service.url}/api/v1${list}format=csv${query}`, {
          headers: { authorization: `Bearer ${at.apiKey}` },
        });
        expect(answer.headers.get('content-type')).toMatch(/^text\/csv/);
        return Buffer.from(await answer.arrayBuffer()).toString('utf8');
      };
      const [plain, marked] = [await read(''), await read('&bom=true')];
      expect([list, plain.charCodeAt(0) === 0xfeff, marked.charCodeAt(0)]).toEqual([list, false, 0xfeff]);
      expect(await read('&bom=false')).not.toMatch(/^\uFEFF/);
      expect(plain).not.toMatch(/[{}[\]]/);
    }
    const [head, ...lines] = (await at.api.get('/seats/events?format=csv')).text.trim().split('\r\n');
    const columns = head!.split(',');
    const cellsOf = (line: string): Record<string, string> =>
      Object.fromEntries(line.split(',').map((cell, i) => [columns[i]!, cell]));
    expect(lines[0]).toContain(`,claim,${id},Zoë,"'=Łącki, ""Z""",zoe@x.example,1,1,User,`);
    expect(cellsOf(lines[1]!)).toMatchObject({ user_id: gone, first_name: '', last_name: '', email: '', delta: '1' });
    expect(cellsOf(lines[3]!)).toMatchObject({
      kind: 'limit',
      user_id: '',
      limit: '9',
      policy_directory: 'wait',
      policy_api: 'wait',
      policy_sign_in: 'wait',
      actor_kind: 'key',
      request_id: expect.stringMatching(/^req_/),
    });
    expect(cellsOf(lines[4]!)).toMatchObject({ kind: 'limit', limit: 'none' });
    const [, row] = (await at.api.get('/seats?format=csv')).text.split('\r\n');
    expect(row).toMatch(/Z,1,none,0,0,wait,wait,wait,/);
  });

  it('are unknown, and not 0, before the ledger', async () => {
    const at = await history();
    const before = (await at.api.get('/seats/holders?as_of=2026-03-26')).body;
    expect(before).toMatchObject({ data: [], used: null, known: false });
    const [, row] = (await at.api.get('/seats/holders?as_of=2026-03-26&format=csv')).text.split('\r\n');
    expect(row).toBe('unknown,,,,,,,,,');
    expect((await at.api.get('/seats/holders?as_of=2026-03-26&format=ndjson')).text).toContain('"known":false');
    // A tenant without a line has no holder now: that is known.
    const empty = await house();
    expect((await empty.api.get('/seats/holders')).body).toMatchObject({ data: [], used: 0, known: true });
  });

  it.each([
    '/seats?as_of=yesterday',
    '/seats?as_of=2026-13-01',
    '/seats?as_of=2026-02-30',
    '/seats?as_of=2026-02-30T00:00:00Z',
    '/seats?as_of=0000-01-01',
    '/seats?as_of=2026-01-01T25:00:00Z',
    '/seats?as_of=2026-01-01T00:00:00',
    '/seats?as_off=2026-01-01',
    '/seats/holders?as_of=1',
    '/seats/usage?from=2026-01-01',
    '/seats/usage?from=2026-01-02&to=2026-01-02',
    '/seats/usage?from=1901-01-01&to=2028-01-01',
    '/seats/usage?from=2026-02-30&to=2026-03-05',
    '/seats/usage?from=2026-01-01&to=2026-01-02&interval=hour',
    '/seats/events?format=xml',
    '/seats/holders?limit=0',
    '/seats/holders?limit=201',
    '/seats/holders?cursor=x',
  ])('are refused: %s', async (path) => {
    const at = await house();
    const { status } = await at.api.get(path);
    expect([400, 422]).toContain(status);
  });
});

describe('a reconciliation', () => {
  it('finds differences, repairs them on request, and leaves the chain valid', async () => {
    const at = await house();
    const [a, b] = [await madeByApi(at), await madeByApi(at)];
    expect((await at.api.post('/seats/reconcile', {})).body).toEqual({
      missing_in_ledger: [],
      extra_in_ledger: [],
      out_of_order: [],
      more: false,
      repaired: 0,
    });
    await service.db.query(`update users set seat = 'none' where tenant_id = $1 and id = $2`, [at.tenantId, a]);
    await service.db.query(
      `insert into seat_entries (tenant_id, kind, user_id, delta, reason, source) values ($1, 'release', $2, -1, 'lost', '{}')`,
      [at.tenantId, b],
    );
    expect((await at.api.post('/seats/reconcile', {})).body).toEqual({
      missing_in_ledger: [b],
      extra_in_ledger: [a],
      out_of_order: [],
      more: false,
      repaired: 0,
    });
    expect((await at.api.post('/seats/reconcile', { repair: true })).body).toMatchObject({ repaired: 2 });
    expect((await at.api.post('/seats/reconcile', {})).body).toEqual({
      missing_in_ledger: [],
      extra_in_ledger: [],
      out_of_order: [],
      more: false,
      repaired: 0,
    });
    expect((await at.api.post('/seats/verify', {})).body).toMatchObject({ ok: true, count: 1, holders: 1 });
    expect(await summary(at)).toMatchObject({ used: 1 });
  });
});

describe('401, 403, 404', () => {
  it('another tenant’s seats are 404, and a read needs its scope', async () => {
    const [at, other] = [await house(), await house()];
    const theirs = await madeByApi(other);
    expect((await at.api.get(`/seats/events?user_id=${theirs}`)).body.data).toEqual([]);
    expect((await at.api.get('/seats/holders')).body.data).toEqual([]);
    expect((await at.api.get('/seats/events?format=ndjson')).text).toBe('');
    const key = (await at.api.post('/api-keys', { name: 'users only', scopes: ['users:read'] })).body;
    const limited = client(`${service.url}/api/v1`, key.api_key ?? key.key ?? key.token);
    for (const path of ['/seats', '/seats/holders', '/seats/events', '/seats/usage?from=2026-01-01&to=2026-01-02']) {
      expect([path, (await limited.get(path)).status]).toEqual([path, 403]);
    }
    expect((await limited.put('/seats/limit', { limit: 1 })).status).toBe(403);
    expect((await send('GET', `${service.url}/api/v1/seats`, at.scimToken)).status).toBe(401);
  });
});
