import { sharedApp, type TestApp } from '../../support/app.js';
import { type House, newHouse, show } from '../../support/house.js';
import { fresh, madeGroup, madeUser, mail, membersOf, replace, scim, user } from '../../support/scim.js';

let service: TestApp;
beforeAll(async () => {
  service = await sharedApp();
});
afterAll(() => service.close());

const made = async ({ api }: House, more: object = {}) => {
  const answer = await api.post('/users', { email: mail(), first_name: 'Ann', last_name: 'Other', ...more });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body as { id: string; email: string };
};
const leaver = (at: House, more: object = {}) => made(at, { status: 'inactive', ...more });
const notes = async ({ api }: House, id: string, kind: string) =>
  (await api.get(`/users/${id}/history?kind=${kind}`)).body.data as Record<string, unknown>[];

describe('a newcomer with a leaver’s address', () => {
  it('is a new user; the leaver keeps record and id, and loses the userName', async () => {
    const at = await newHouse(service);
    const { id, email } = await leaver(at);
    const before = await show(at, id);
    const answer = await at.scim.post('/Users', user(email, { emails: [{ value: email }] }));
    expect([answer.status, answer.body.userName]).toEqual([201, email]);
    expect(answer.body.id).not.toBe(id);
    expect(await show(at, answer.body.id)).toMatchObject({ status: 'active', email, held: null });
    expect(await show(at, id)).toEqual({ ...before, updated_at: expect.any(String) });
    const old = (await at.scim.get(`/Users/${id}`)).body;
    expect(old).toMatchObject({ active: false, emails: [{ value: email }] });
    expect(old.userName).toMatch(new RegExp(`^${email}#[0-9a-f]{8}$`));
    const found = await at.scim.get(`/Users?filter=${encodeURIComponent(`userName eq "${email}"`)}`);
    expect(found.body.Resources.map((each: { id: string }) => each.id)).toEqual([answer.body.id]);
    expect(await notes(at, id, 'linked')).toEqual([]);
  });

  it('is a new user also under another name, and when it is renamed to the leaver’s name later', async () => {
    const at = await newHouse(service);
    const { id, email } = await leaver(at);
    const newcomer = await madeUser(at.scim, user(fresh(), { emails: [{ value: email }] }));
    expect(newcomer).not.toBe(id);
    for (const write of [
      () => at.scim.patch(`/Users/${newcomer}`, replace('userName', email)),
      () => at.scim.put(`/Users/${newcomer}`, user(email, { emails: [{ value: email }] })),
    ]) {
      const answer = await write();
      expect([answer.status, answer.body.userName]).toEqual([200, email]);
    }
    expect(await show(at, id)).toMatchObject({ status: 'inactive', email, managed_by: null });
  });

  it('is a new user through the users API too', async () => {
    const at = await newHouse(service);
    const { id, email } = await leaver(at);
    const newcomer = await made(at, { email });
    expect(newcomer.id).not.toBe(id);
    expect((await at.scim.get(`/Users/${newcomer.id}`)).body.userName).toBe(email);
    expect(await show(at, id)).toMatchObject({ status: 'inactive', email });
  });

  it('is linked by a write that leaves it out of force, by external_id, and by a userName of a directory', async () => {
    const at = await newHouse(service);
    const [out, keyed] = [await leaver(at), await leaver(at, { external_id: fresh('K') })];
    const key = (await show(at, keyed.id)).external_id;
    const first = await service.newDirectory(at.tenantId);
    const name = mail();
    const named = await madeUser(scim(service.url, first.token), user(name, { active: false }));
    expect((await at.api.delete(`/directories/${first.id}?force=true`)).status).toBe(204);
    for (const [body, id, by] of [
      [user(out.email, { active: false }), out.id, 'email'],
      [user(fresh(), { externalId: key, emails: [{ value: mail() }] }), keyed.id, 'external_id'],
      [user(name), named, 'user_name'],
    ] as const) {
      const answer = await at.scim.post('/Users', body);
      expect([answer.status, answer.body.id]).toEqual([201, id]);
      expect(await notes(at, id, 'linked')).toMatchObject([
        { by, directory_id: at.directoryId, from_directory_id: null, source: { directory_id: at.directoryId } },
      ]);
    }
  });

  it('is not linked by e-mail to a leaver of a deleted directory, who keeps the own name', async () => {
    const at = await newHouse(service);
    const first = await service.newDirectory(at.tenantId);
    const [name, email] = [mail(), mail()];
    const left = await madeUser(
      scim(service.url, first.token),
      user(name, { active: false, emails: [{ value: email }] }),
    );
    await at.api.delete(`/directories/${first.id}?force=true`);
    const newcomer = await at.scim.post('/Users', user(email));
    expect(newcomer.status).toBe(201);
    expect(newcomer.body.id).not.toBe(left);
    expect((await at.scim.get(`/Users/${left}`)).body).toMatchObject({ userName: name, active: false });
    // Another newcomer of the users API gets a substitute name.
    const other = await made(at, { email: name });
    expect(other.id).not.toBe(left);
    expect((await at.scim.get(`/Users/${other.id}`)).body.userName).toMatch(/#/);
    expect((await at.scim.get(`/Users/${left}`)).body.userName).toBe(name);
  });
});

describe('a link', () => {
  it('answers with the old id; the history has the directories and the reason, also of a first write by id', async () => {
    const at = await newHouse(service);
    const [posted, patched] = [await made(at, { external_id: fresh('OLD') }), await made(at)];
    const old = (await show(at, posted.id)).external_id;
    const answer = await at.scim.post('/Users', user(posted.email, { externalId: fresh('NEW') }));
    expect([answer.status, answer.body.id]).toEqual([201, posted.id]);
    expect(await notes(at, posted.id, 'linked')).toMatchObject([{ by: 'email', from_directory_id: null }]);
    // The old key stays an alias.
    expect((await at.api.get(`/resolve?type=user&external_id=${old}`)).body).toMatchObject({
      found: true,
      id: posted.id,
    });
    const put = await at.api.put(`/users/by-external-id/${old}`, await show(at, posted.id).then((u) => ({
      email: u.email, first_name: u.first_name, last_name: u.last_name,
    }))); // prettier-ignore
    expect([put.status, put.body.id]).toEqual([200, posted.id]);

    await at.scim.patch(`/Users/${patched.id}`, replace('title', 'T'));
    const next = await service.newDirectory(at.tenantId, { takes_over: at.directoryId });
    await scim(service.url, next.token).patch(`/Users/${patched.id}`, replace('title', 'U'));
    expect(await notes(at, patched.id, 'linked')).toMatchObject([
      { by: 'id', directory_id: next.id, from_directory_id: at.directoryId },
      { by: 'id', directory_id: at.directoryId, from_directory_id: null },
    ]);
  });
});

describe('a user whose removal is held', () => {
  it.each([
    ['userName', (name: string) => user(name.toUpperCase()), null],
    // With another name the owner would be found by another person: that waits for an admin.
    ['externalId', (_: string, externalId: string) => user(mail(), { externalId }), 'needs_admin'],
  ] as const)(
    'is in no list, filter or group; the same %s creates it again under the old id',
    async (_, body, held) => {
      const at = await newHouse(service);
      const [name, externalId] = [mail(), fresh('E')];
      const owner = await madeUser(at.scim, user(name, { externalId, title: 'T' }));
      const group = await madeGroup(at.scim, [owner]);
      await at.api.patch('/tenant', { owner_user_id: owner });
      expect((await at.scim.delete(`/Users/${owner}`)).status).toBe(204);
      for (const query of [
        '',
        `?filter=${encodeURIComponent(`userName eq "${name}"`)}`,
        `?filter=${encodeURIComponent(`externalId eq "${externalId}"`)}`,
      ])
        // prettier-ignore
        expect((await at.scim.get(`/Users${query}`)).body).toMatchObject({ totalResults: 0 });
      expect(await membersOf(at.scim, group)).toEqual([]);
      const inGroup = await at.scim.get(`/Users?filter=${encodeURIComponent(`groups.value eq "${group}"`)}`);
      expect(inGroup.body.totalResults).toBe(0);

      const back = await at.scim.post('/Users', body(name, externalId));
      expect([back.status, back.body.id]).toEqual([201, owner]);
      expect(back.body.title).toBeUndefined();
      expect(await show(at, owner)).toMatchObject({ status: 'active', seat: 'held', held });
      expect((await at.scim.get('/Users')).body.totalResults).toBe(1);
      expect((await at.scim.get(`/Users?filter=${encodeURIComponent('userName pr')}`)).body.totalResults).toBe(1);
      expect(await notes(at, owner, 'held')).toMatchObject([
        { event: 'returned', reason: 'protected' },
        { event: 'held', reason: 'protected' },
      ]);
    },
  );
});

describe('a leaver whose departure is held', () => {
  const GUARD = { percent: 1, people: 1, at_least: 1, within_minutes: 60, day_percent: 1 };

  it.each([
    ['by the guard', GUARD, () => ({})],
    ['as the owner', 'off', (id: string) => ({ owner_user_id: id })],
    ['as a break-glass account', 'off', (id: string) => ({ break_glass: [id] })],
  ])('gives record, role and key to no newcomer with the e-mail: %s', async (_, guard, setting) => {
    const at = await newHouse(service, { guard });
    const email = mail();
    const first = await madeUser(at.scim);
    const leaver = await madeUser(at.scim, user(email, { externalId: fresh('E') }));
    await at.api.patch(`/users/${leaver}`, { role: 'Admin' });
    await at.api.patch('/tenant', setting(leaver));
    await at.scim.delete(`/Users/${first}`);
    expect((await at.scim.delete(`/Users/${leaver}`)).status).toBe(204);
    const before = await show(at, leaver);
    expect(before.held).toBe(guard === 'off' ? 'protected' : 'guard');

    for (const more of [{ externalId: fresh('E') }, {}]) {
      const newcomer = await at.scim.post(
        '/Users',
        user(mail(), { emails: [{ value: email, primary: true }], ...more }),
      );
      expect(newcomer.status).toBe(201);
      expect(newcomer.body.id).not.toBe(leaver);
      expect(await show(at, newcomer.body.id)).toMatchObject({ status: 'inactive', held: 'email_taken', role: 'User' });
    }
    expect(await show(at, leaver)).toEqual(before);
    // The own userName is the way back, with the old id.
    expect((await at.scim.post('/Users', user(email))).body.id).toBe(leaver);
  });

  it.each([
    ['deletion', (at: House, id: string) => at.scim.delete(`/Users/${id}`)],
    ['deactivation', (at: House, id: string) => at.scim.patch(`/Users/${id}`, replace('active', false))],
  ])('is no newcomer of the directory that takes over: a held %s', async (_, leave) => {
    const at = await newHouse(service, { guard: GUARD });
    const [email, first] = [mail(), await madeUser(at.scim)];
    const leaver = await madeUser(at.scim, user(mail(), { emails: [{ value: email, primary: true }] }));
    for (const id of [first, leaver]) await leave(at, id);
    expect(await show(at, leaver)).toMatchObject({ status: 'active', held: 'guard' });
    const next = await service.newDirectory(at.tenantId, { takes_over: at.directoryId });
    const by = scim(service.url, next.token);
    for (const active of [true, false]) {
      const made = await by.post('/Users', user(mail(), { emails: [{ value: email, primary: true }], active }));
      expect(made.status).toBe(201);
      expect(made.body.id).not.toBe(leaver);
    }
    expect(await show(at, leaver)).toMatchObject({
      status: 'active',
      held: 'guard',
      managed_by: { id: at.directoryId },
    });
  });
});
