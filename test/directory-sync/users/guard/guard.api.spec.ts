import { sharedApp, type TestApp } from '../../../support/app.js';
import { eventually } from '../../../support/http.js';
import { newHouse, settleUsers, type House } from '../../../support/house.js';
import { long, someOf } from '../../../support/rounds.js';
import { bulk, fresh, madeGroup, madeUser, patch, replace, user } from '../../../support/scim.js';

/** Of 30 users six may leave: the share of 20 %. */
const GUARD = { percent: 20, people: 200, at_least: 5, within_minutes: 60, day_percent: 50 };
const USERS = 30;
const LIMIT = 6;

let service: TestApp;
beforeAll(async () => {
  service = await sharedApp();
});
afterAll(() => service.close());

const names = (): string[] => Array.from({ length: USERS }, () => `${fresh()}@guard.example`);

async function company(directory: object = {}): Promise<{ house: House; ids: string[] }> {
  const house = await newHouse(service, { guard: GUARD, ...directory });
  const ids = await Promise.all(names().map((name) => madeUser(house.scim, user(name))));
  await settleUsers(service, house.tenantId);
  return { house, ids };
}

/** How many users of the list are in force, and how many are held by the guard. */
async function stateOf({ api }: House, ids: readonly string[]): Promise<{ out: number; held: number }> {
  const answers = await Promise.all(ids.map((id) => api.get(`/users/${id}`)));
  const out = answers.filter(({ status, body }) => status === 404 || body.status === 'inactive').length;
  return { out, held: answers.filter(({ body }) => body.held === 'guard' && body.status === 'active').length };
}

const EXPECTED = { out: LIMIT, held: USERS - LIMIT };

/** The ways by which a directory takes users out of force. */
const WAYS: Record<string, (house: House, id: string) => Promise<{ status: number }>> = {
  DELETE: ({ scim }, id) => scim.delete(`/Users/${id}`),
  'PATCH of active': ({ scim }, id) => scim.patch(`/Users/${id}`, replace('active', false)),
  PUT: async ({ scim }, id) => {
    const { body } = await scim.get(`/Users/${id}`);
    return scim.put(`/Users/${id}`, { ...body, active: false });
  },
};

describe.each(Object.entries(WAYS))('a departure by %s', (_, leave) => {
  it.each(
    someOf([
      ['one after another', 1],
      ['all at once', USERS],
    ]),
  )('lets exactly the limit go and holds the rest when users leave %s', async (__, atOnce) => {
    const { house, ids } = await company();
    for (let from = 0; from < ids.length; from += atOnce) {
      const answers = await Promise.all(ids.slice(from, from + atOnce).map((id) => leave(house, id)));
      expect(answers.every(({ status }) => status === 200 || status === 204)).toBe(true);
    }
    expect(await stateOf(house, ids)).toEqual(EXPECTED);
    expect((await house.api.get('/seats')).body.used).toBe(USERS - LIMIT);
  });
});

long('answers the IdP what it wrote: held users read back as inactive, or are gone with their names free', async () => {
  const { house, ids } = await company();
  const name = (await house.scim.get(`/Users/${ids[29]}`)).body.userName as string;
  for (const id of ids.slice(0, 20)) await house.scim.patch(`/Users/${id}`, replace('active', false));
  for (const id of ids.slice(20)) await house.scim.delete(`/Users/${id}`);
  expect((await house.scim.get(`/Users/${ids[19]}`)).body.active).toBe(false);
  expect((await house.scim.get(`/Users/${ids[29]}`)).status).toBe(404);
  expect((await house.scim.get(`/Users?filter=userName eq "${name}"`)).body.totalResults).toBe(0);
  const back = await house.scim.post('/Users', user(name));
  expect([back.status, back.body.id]).toEqual([201, ids[29]]);
  expect((await house.api.get(`/users/${ids[29]}`)).body).toMatchObject({ status: 'active', held: null });
});

long('holds the operations of a Bulk request above the limit', async () => {
  const { house, ids } = await company();
  const operations = ids.map((id) => ({ method: 'DELETE', path: `/Users/${id}` }));
  expect((await house.scim.post('/Bulk', bulk(operations))).status).toBe(200);
  expect(await stateOf(house, ids)).toEqual(EXPECTED);
});

describe('a group whose rule gives the role', () => {
  const ruled = async (): Promise<{ house: House; ids: string[]; groupId: string }> => {
    const { house, ids } = await company({ default_role: null });
    const groupId = await madeGroup(house.scim, ids);
    const rules = { rules: [{ group_id: groupId, role: 'User' }] };
    const put = await house.api.put(`/directories/${house.directoryId}/rules`, rules);
    expect([put.status, put.text]).toEqual([200, expect.stringContaining('rules')]);
    await eventually(
      () => stateOf(house, ids),
      ({ out }) => out === 0,
    );
    await settleUsers(service, house.tenantId);
    return { house, ids, groupId };
  };

  long.each<[string, (house: House, groupId: string) => Promise<unknown>]>([
    ['is emptied', ({ scim }, id) => scim.patch(`/Groups/${id}`, patch({ op: 'replace', path: 'members', value: [] }))],
    ['is deleted', ({ scim }, id) => scim.delete(`/Groups/${id}`)],
    ['has its rule taken away', ({ api, directoryId }) => api.put(`/directories/${directoryId}/rules`, { rules: [] })],
  ])('lets exactly the limit go when it %s', async (_, change) => {
    const { house, ids, groupId } = await ruled();
    await change(house, groupId);
    const settled = await eventually(
      () => stateOf(house, ids),
      ({ out, held }) => out + held === USERS,
    );
    expect(settled).toEqual(EXPECTED);
  });
});

long('tells the first held departure of a window, once', async () => {
  const { house, ids } = await company();
  await Promise.all(ids.map((id) => house.scim.delete(`/Users/${id}`)));
  const { body } = await house.api.get('/events?event=provisioning.held');
  expect(body.data).toMatchObject([
    { event: 'provisioning.held', data: { directory_id: house.directoryId, limit: 6 } },
  ]);
});

it('lets single leavers and those of a small directory go', async () => {
  const house = await newHouse(service, { guard: 'on' });
  const ids = await Promise.all(Array.from({ length: 15 }, () => madeUser(house.scim)));
  for (const id of ids.slice(0, 9)) await house.scim.delete(`/Users/${id}`);
  expect(await stateOf(house, ids)).toEqual({ out: 9, held: 0 });
});

long('counts a user who is back no more', async () => {
  const { house, ids } = await company();
  for (const id of ids.slice(0, LIMIT)) {
    await house.scim.patch(`/Users/${id}`, replace('active', false));
    await house.scim.patch(`/Users/${id}`, replace('active', true));
  }
  for (const id of ids.slice(LIMIT, 2 * LIMIT)) await house.scim.delete(`/Users/${id}`);
  expect(await stateOf(house, ids)).toEqual({ out: LIMIT, held: 0 });
});

long('counts no departure through the users API, and none of a directory without a guard', async () => {
  const { house, ids } = await company();
  await house.api.patch('/tenant', { api_may_write_directory_users: true });
  for (const id of ids.slice(0, 10)) await house.api.patch(`/users/${id}`, { status: 'inactive' });
  expect(await stateOf(house, ids)).toEqual({ out: 10, held: 0 });
  await house.api.patch(`/directories/${house.directoryId}`, { guard: 'off' });
  for (const id of ids) await house.scim.delete(`/Users/${id}`);
  expect(await stateOf(house, ids)).toEqual({ out: USERS, held: 0 });
});

long('goes without the lock while the limit is far, and is exact all the same', async () => {
  const house = await newHouse(service, { guard: { ...GUARD, people: 1_000, at_least: 130 } });
  const ids: string[] = [];
  for (let i = 0; i < 7; i++) ids.push(...(await Promise.all(names().map((name) => madeUser(house.scim, user(name))))));
  await Promise.all(ids.map((id) => house.scim.patch(`/Users/${id}`, replace('active', false))));
  expect(await stateOf(house, ids)).toEqual({ out: 130, held: ids.length - 130 });
});

describe('the limit of a guard', () => {
  const FEW = { percent: 20, people: 200, at_least: 2, within_minutes: 60, day_percent: 50 };

  it('does not grow with users whom the directory has brought, brought back or linked since', async () => {
    const house = await newHouse(service, { guard: FEW });
    const { api, scim } = house;
    const old: string[] = [];
    for (let i = 0; i < 15; i++) old.push(await madeUser(scim));
    await settleUsers(service, house.tenantId);
    const away = old.splice(0, 5);
    // These left by the hand of an admin, long ago; the directory brings them back.
    await api.patch(`/directories/${house.directoryId}`, { guard: 'off' });
    for (const id of away) await scim.patch(`/Users/${id}`, replace('active', false));
    await api.patch(`/directories/${house.directoryId}`, { guard: FEW });
    for (const id of away) await scim.patch(`/Users/${id}`, replace('active', true));
    for (let i = 0; i < 20; i++) await madeUser(scim);
    for (let i = 0; i < 5; i++) {
      const { body } = await api.post('/users', { email: `${fresh()}@guard.example`, first_name: 'L', last_name: 'K' });
      await scim.patch(`/Users/${body.id}`, replace('title', 'T'));
    }
    const { body } = await api.get(`/directories/${house.directoryId}/guard`);
    expect(body).toMatchObject({ window: { base: 10, limit: 2 }, day: { base: 10, limit: 5 } });
    for (const id of old) await scim.patch(`/Users/${id}`, replace('active', false));
    expect(await stateOf(house, old)).toEqual({ out: 2, held: 8 });
  });

  it('counts a user who came within the window and leaves', async () => {
    const house = await newHouse(service, { guard: FEW });
    const ids = await Promise.all(Array.from({ length: 6 }, () => madeUser(house.scim)));
    for (const id of ids) await house.scim.delete(`/Users/${id}`);
    expect(await stateOf(house, ids)).toEqual({ out: 2, held: 4 });
  });
});

describe('mass changes of identity and role', () => {
  const FEW = { percent: 1, people: 200, at_least: 3, within_minutes: 60, day_percent: 1 };
  const many = async (): Promise<{ house: House; ids: string[]; names: string[] }> => {
    const house = await newHouse(service, { guard: FEW });
    const all = names().slice(0, 8);
    const ids = await Promise.all(all.map((name) => madeUser(house.scim, user(name))));
    await settleUsers(service, house.tenantId);
    return { house, ids, names: all };
  };
  const heldOf = async ({ api }: House): Promise<string[]> => {
    const { body } = await api.get('/held?reason=guard&limit=200');
    return body.data.map(({ user_id: id }: { user_id: string }) => id).sort();
  };

  it.each<[string, (house: House, id: string) => Promise<unknown>]>([
    ['userName', ({ scim }, id) => scim.patch(`/Users/${id}`, replace('userName', `${fresh()}@guard.example`))],
    [
      'e-mail',
      ({ scim }, id) => scim.patch(`/Users/${id}`, replace('emails', [{ value: `${fresh()}@guard.example` }])),
    ],
    ['externalId', ({ scim }, id) => scim.patch(`/Users/${id}`, replace('externalId', fresh()))],
    ['role', ({ scim }, id) => scim.patch(`/Users/${id}`, replace('roles', [{ value: 'Recruiter' }]))],
  ])('lets exactly the limit of users have another %s, and holds the rest as they are', async (_, change) => {
    const { house, ids } = await many();
    await house.api.post('/roles', { name: 'Recruiter', takes_seat: true });
    const before = await Promise.all(ids.map(async (id) => (await house.api.get(`/users/${id}`)).body));
    await Promise.all(ids.map((id) => change(house, id)));
    const held = await heldOf(house);
    expect(held).toHaveLength(ids.length - 3);
    for (const one of before.filter(({ id }) => held.includes(id))) {
      const { email, external_id, role, status, seat } = one;
      expect((await house.api.get(`/users/${one.id}`)).body).toMatchObject({ email, external_id, role, status, seat });
    }
    // The same user again is no further one.
    const free = ids.find((id) => !held.includes(id))!;
    await change(house, free);
    expect(await heldOf(house)).toEqual(held);

    const [first, second] = held as [string, string];
    await house.api.post(`/held/${first}/release`, {});
    await house.api.post(`/held/${second}/discard`, {});
    expect((await heldOf(house)).length).toBe(held.length - 2);
    const { body } = await house.api.get('/events?event=provisioning.held');
    expect(body.data).toHaveLength(1);
  });

  it('lets a leaver go whose new e-mail it holds', async () => {
    const { house, ids } = await many();
    for (const id of ids) {
      await house.scim.patch(`/Users/${id}`, replace('emails', [{ value: `${fresh()}@guard.example` }]));
    }
    const [held] = await heldOf(house);
    await house.scim.patch(`/Users/${held}`, replace('active', false));
    expect((await house.api.get(`/users/${held}`)).body).toMatchObject({ status: 'inactive', held: null });
  });

  const mails = (value: string) => [{ value, type: 'work', primary: true }];
  const emailsOf = async ({ api }: House, ids: string[]): Promise<string[]> =>
    Promise.all(ids.map(async (id) => (await api.get(`/users/${id}`)).body.email as string));

  it.each<[string, (house: House, id: string) => Promise<unknown>]>([
    ['another write of the user', ({ scim }, id) => scim.patch(`/Users/${id}`, replace('displayName', fresh()))],
    [
      'a changed rule',
      async ({ api, scim, directoryId }, id) => {
        const groupId = await madeGroup(scim, [id]);
        await api.put(`/directories/${directoryId}/rules`, { rules: [{ group_id: groupId, role: 'Admin' }] });
        await eventually(
          async () => (await api.get(`/directories/${directoryId}/tasks`)).body.data as { state: string }[],
          (tasks) => tasks.length > 0 && tasks.every(({ state }) => state === 'done'),
        );
      },
    ],
  ])('keeps another identity held, and gives the former one back at a discard, after %s', async (_, next) => {
    const { house, ids, names: former } = await many();
    const externalId = fresh();
    for (const id of ids) {
      const ops = [
        { op: 'replace', path: 'userName', value: `${fresh()}@guard.example` },
        ...(id === ids.at(-1) ? [{ op: 'replace', path: 'externalId', value: externalId }] : []),
      ];
      await house.scim.patch(`/Users/${id}`, patch(...ops));
    }
    const id = ids.at(-1)!;
    const before = await heldOf(house);
    expect(before).toContain(id);
    await next(house, id);
    expect(await heldOf(house)).toEqual(before);
    await house.api.post(`/held/${id}/discard`, {});
    const { body } = await house.scim.get(`/Users/${id}`);
    expect([body.userName, body.externalId]).toEqual([former.at(-1), undefined]);
    expect(await heldOf(house)).toEqual(before.filter((one) => one !== id));
  });

  it.each<[string, (house: House, id: string, mail: string) => Promise<unknown>]>([
    [
      'were deactivated with it',
      async ({ scim }, id, mail) => {
        const emails = { op: 'replace', path: 'emails', value: mails(mail) };
        await scim.patch(`/Users/${id}`, patch(emails, { op: 'replace', path: 'active', value: false }));
        await scim.patch(`/Users/${id}`, replace('active', true));
      },
    ],
    [
      'got it while they were out of force',
      async ({ scim }, id, mail) => {
        await scim.patch(`/Users/${id}`, replace('active', false));
        await scim.patch(`/Users/${id}`, replace('emails', mails(mail)));
        await scim.patch(`/Users/${id}`, replace('active', true));
      },
    ],
  ])('counts another identity of users who come back and %s', async (_, change) => {
    const { house, ids } = await many();
    const others = ids.map(() => `${fresh()}@guard.example`);
    for (const [i, id] of ids.entries()) await change(house, id, others[i]!);
    const { body } = await house.api.get('/users?status=active&limit=200');
    const inForce = body.data.map(({ email }: { email: string }) => email);
    expect(inForce.filter((email: string) => others.includes(email))).toHaveLength(3);
    expect(await heldOf(house)).toHaveLength(ids.length - 3);
  });

  it('counts another identity of users whose deletion is held', async () => {
    const house = await newHouse(service, { guard: FEW });
    const keys = Array.from({ length: 10 }, () => fresh());
    const ids = await Promise.all(
      keys.map((externalId) => madeUser(house.scim, user(`${fresh()}@guard.example`, { externalId }))),
    );
    await settleUsers(service, house.tenantId);
    for (const id of ids) await house.scim.delete(`/Users/${id}`);
    const kept = ids.slice(3);
    const before = await emailsOf(house, kept);
    for (const externalId of keys.slice(3)) {
      const name = `${fresh()}@guard.example`;
      await house.scim.post('/Users', user(name, { externalId, emails: mails(name) }));
    }
    const now = await emailsOf(house, kept);
    expect(now.filter((email, i) => email !== before[i])).toHaveLength(3);
  });

  it('counts users of no directory whom it links with another e-mail', async () => {
    const house = await newHouse(service, { guard: FEW });
    const ids: string[] = [];
    for (let i = 0; i < 8; i++) {
      const body = { email: `${fresh()}@guard.example`, first_name: 'A', last_name: 'B' };
      ids.push((await house.api.post('/users', body)).body.id);
    }
    const before = await emailsOf(house, ids);
    for (const id of ids) {
      await house.scim.patch(`/Users/${id}`, replace('emails', mails(`${fresh()}@guard.example`)));
    }
    const now = await emailsOf(house, ids);
    expect(now.filter((email, i) => email !== before[i])).toHaveLength(3);
    expect(await heldOf(house)).toHaveLength(5);
  });

  it('counts another role of users who were brought back', async () => {
    const { house, ids } = await many();
    await house.api.post('/roles', { name: 'Recruiter', takes_seat: true });
    for (const id of ids) {
      await house.scim.patch(`/Users/${id}`, replace('active', false));
      await house.scim.patch(`/Users/${id}`, replace('active', true));
      await house.scim.patch(`/Users/${id}`, replace('roles', [{ value: 'Recruiter' }]));
    }
    expect(await heldOf(house)).toHaveLength(ids.length - 3);
  });

  it('counts another externalId where another attribute is the external_id', async () => {
    const house = await newHouse(service, { guard: FEW, attribute_map: { external_id: 'employeeNumber' } });
    const ids = await Promise.all(
      names()
        .slice(0, 8)
        .map((name) => madeUser(house.scim, user(name, { externalId: fresh() }))),
    );
    for (const id of ids) await house.scim.patch(`/Users/${id}`, replace('externalId', fresh()));
    expect(await heldOf(house)).toHaveLength(5);
  });

  it('holds no role of users who have just come: groups follow users in a first sync', async () => {
    const house = await newHouse(service, { guard: FEW });
    const ids = await Promise.all(Array.from({ length: 8 }, () => madeUser(house.scim)));
    await house.api.post('/roles', { name: 'Recruiter', takes_seat: true });
    for (const id of ids) await house.scim.patch(`/Users/${id}`, replace('roles', [{ value: 'Recruiter' }]));
    expect(await heldOf(house)).toEqual([]);
  });
});
