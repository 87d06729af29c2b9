import { sharedApp, type TestApp } from '../../../support/app.js';
import { eventually } from '../../../support/http.js';
import { newHouse, settleUsers, type House } from '../../../support/house.js';
import { long } from '../../../support/rounds.js';
import { fresh, madeGroup, madeUser, membersOf, patch, replace, user } from '../../../support/scim.js';

/** Of 20 users four may leave. */
const GUARD = { percent: 20, people: 200, at_least: 2, within_minutes: 60, day_percent: 50 };
const LIMIT = 4;

let service: TestApp;
beforeAll(async () => {
  service = await sharedApp();
});
afterAll(() => service.close());

async function company(directory: object = {}): Promise<{ house: House; ids: string[] }> {
  const house = await newHouse(service, { guard: GUARD, ...directory });
  const ids: string[] = [];
  for (let i = 0; i < 20; i++) ids.push(await madeUser(house.scim, user(`${fresh()}@guard.example`)));
  await settleUsers(service, house.tenantId);
  return { house, ids };
}

const guardOf = ({ api, directoryId }: House, path = '') => api.get(`/directories/${directoryId}/guard${path}`);
const act = ({ api, directoryId }: House, name: string, body: object = {}) =>
  api.post(`/directories/${directoryId}/guard/${name}`, body);
const done = async (house: House, name: string, body: object = {}) => {
  const { status, body: task } = await act(house, name, body);
  expect([name, status]).toEqual([name, 202]);
  return eventually(
    async () => (await house.api.get(`/tasks/${task.task_id ?? task.id}`)).body,
    ({ state }) => state === 'done' || state === 'failed',
  );
};
const shown = async ({ api }: House, id: string) => (await api.get(`/users/${id}`)).body;

describe('the guard of a directory', () => {
  long('says its windows, who left and how many it holds', async () => {
    const { house, ids } = await company();
    expect((await guardOf(house)).body).toMatchObject({
      guard: GUARD,
      window: { minutes: 60, started_at: null, base: 20, limit: LIMIT, counted: 0 },
      day: { minutes: 1440, base: 20, limit: 10, counted: 0 },
      held: 0,
      departures: { data: [], next_cursor: null },
    });
    for (const id of ids.slice(0, 10)) await house.scim.delete(`/Users/${id}`);
    const { body } = await guardOf(house, '?limit=3');
    expect(body).toMatchObject({ window: { base: 20, counted: LIMIT, started_at: expect.any(String) }, held: 6 });
    expect(body.departures.data).toHaveLength(3);
    const next = (await guardOf(house, `?limit=3&cursor=${body.departures.next_cursor}`)).body;
    const left = [...body.departures.data, ...next.departures.data] as { user_id: string; how: string }[];
    expect(left.map(({ user_id }) => user_id).sort()).toEqual(ids.slice(0, LIMIT).sort());
    expect(left[0]).toMatchObject({ how: 'deleted' });
  });

  it('is unknown to another tenant, and has no window when it is off', async () => {
    const { house } = await company({ guard: 'off' });
    const other = await newHouse(service);
    expect((await guardOf({ ...other, directoryId: house.directoryId })).status).toBe(404);
    expect((await act({ ...other, directoryId: house.directoryId }, 'undo')).status).toBe(404);
    expect((await guardOf(house)).body).toMatchObject({ guard: 'off', window: null, day: null });
  });
});

describe('release', () => {
  long('lets all held users go when the number is that of the dry run', async () => {
    const { house, ids } = await company();
    for (const id of ids) await house.scim.patch(`/Users/${id}`, replace('active', false));
    const counted = await act(house, 'release', { dry_run: true });
    expect([counted.status, counted.body]).toEqual([200, { count: 16 }]);
    const other = await act(house, 'release', { count: 15 });
    expect([other.status, other.body.code, other.body.count]).toEqual([409, 'count_changed', 16]);
    expect(await done(house, 'release', { count: 16 })).toMatchObject({ state: 'done', total: 16, done: 16 });
    for (const id of ids) expect(await shown(house, id)).toMatchObject({ status: 'inactive', held: null });
    expect((await house.api.get('/seats')).body.used).toBe(0);
  });

  long('demands the number of administrators among the users, which the dry run has', async () => {
    const { house, ids } = await company({ may_grant_console: true });
    const admins = ids.slice(-2);
    for (const id of admins) await house.scim.patch(`/Users/${id}`, replace('roles', [{ value: 'Admin' }]));
    for (const id of ids) await house.scim.patch(`/Users/${id}`, replace('active', false));
    expect((await act(house, 'release', { dry_run: true })).body).toEqual({ count: 16, administrators: 2 });
    expect((await act(house, 'discard', { dry_run: true })).body).toEqual({ count: 16 });
    const choice = { directory: house.directoryId, reason: 'guard' };
    for (const refused of [
      await act(house, 'release', { count: 16 }),
      await house.api.post('/held/release', { ...choice, administrators: 1 }),
    ]) {
      expect([refused.status, refused.body.code, refused.body.administrators]).toEqual([
        409,
        'administrators_unconfirmed',
        2,
      ]);
    }
    expect(await shown(house, admins[0]!)).toMatchObject({ status: 'active', held: 'guard' });
    expect(await done(house, 'release', { count: 16, administrators: 2 })).toMatchObject({ state: 'done', done: 16 });
    expect(await shown(house, admins[0]!)).toMatchObject({ status: 'inactive', held: null });
  });

  long('does the rest of a list and leaves out who is not held', async () => {
    const { house, ids } = await company();
    for (const id of ids.slice(0, 8)) await house.scim.delete(`/Users/${id}`);
    expect((await act(house, 'release', { user_ids: [ids[19]] })).status).toBe(404);
    const task = await done(house, 'release', { user_ids: [ids[6], ids[19]] });
    expect(task).toMatchObject({ total: 2, done: 2, result: { released: 1, left_out: 1 } });
    expect((await house.api.get(`/users/${ids[6]}`)).status).toBe(404);
  });
});

describe('discard', () => {
  long(
    'makes held users active in the directory again, under a substitute name where the name was given away',
    async () => {
      const { house, ids } = await company();
      const name = (await house.scim.get(`/Users/${ids[19]}`)).body.userName as string;
      for (const id of ids.slice(0, 18)) await house.scim.patch(`/Users/${id}`, replace('active', false));
      await house.scim.delete(`/Users/${ids[19]}`);
      const second = await newHouse(service);
      expect(second.tenantId).not.toBe(house.tenantId);
      await done(house, 'discard');
      expect((await house.scim.get(`/Users/${ids[10]}`)).body.active).toBe(true);
      expect((await house.scim.get(`/Users/${ids[19]}`)).body).toMatchObject({ active: true, userName: name });
      expect((await guardOf(house)).body).toMatchObject({ held: 0, window: { counted: LIMIT } });
    },
  );
});

describe('undo', () => {
  long('brings deactivated users back with role and seat', async () => {
    const { house, ids } = await company();
    for (const id of ids.slice(0, LIMIT)) await house.scim.patch(`/Users/${id}`, replace('active', false));
    expect((await act(house, 'undo', { dry_run: true })).body).toEqual({ count: LIMIT, rule_still_applies: 0 });
    expect(await done(house, 'undo')).toMatchObject({ state: 'done', result: { brought_back: LIMIT, left_out: 0 } });
    for (const id of ids.slice(0, LIMIT)) {
      expect(await shown(house, id)).toMatchObject({ status: 'active', role: 'User', seat: 'held', held: null });
      expect((await house.scim.get(`/Users/${id}`)).body.active).toBe(true);
    }
    expect((await guardOf(house)).body).toMatchObject({ window: { counted: 0 }, departures: { data: [] } });
    expect((await act(house, 'undo')).body.code).toBe('window_over');
  });

  long('brings a deleted user back under the old id, in the groups that gave the role', async () => {
    const { house, ids } = await company({ default_role: null });
    const groupId = await madeGroup(house.scim, ids);
    const rules = { rules: [{ group_id: groupId, role: 'Admin' }] };
    expect((await house.api.put(`/directories/${house.directoryId}/rules`, rules)).status).toBe(200);
    const [id] = ids as [string];
    await eventually(() => shown(house, id), ({ role }) => role === 'Admin'); // prettier-ignore
    const before = (await house.scim.get(`/Users/${id}`)).body;
    await house.scim.delete(`/Users/${id}`);
    expect((await house.api.get(`/users/${id}`)).status).toBe(404);
    expect(await done(house, 'undo', { user_ids: [id] })).toMatchObject({ result: { brought_back: 1, left_out: 0 } });
    expect(await shown(house, id)).toMatchObject({ id, status: 'active', role: 'Admin', seat: 'held' });
    const { meta: _meta, ...resource } = before;
    expect((await house.scim.get(`/Users/${id}`)).body).toMatchObject(resource);
    expect(await membersOf(house.scim, groupId)).toEqual([...ids].sort());
  });

  long.each([
    ['the membership when the group that gave the role was emptied', false],
    ['the former role by name when the group that gave it was deleted', true],
  ])('gives back %s', async (_, isDeleted) => {
    const { house, ids } = await company({ default_role: null });
    const groupId = await madeGroup(house.scim, ids.slice(0, 1));
    await house.api.put(`/directories/${house.directoryId}/rules`, { rules: [{ group_id: groupId, role: 'Admin' }] });
    const [id] = ids as [string];
    await eventually(() => shown(house, id), ({ role }) => role === 'Admin'); // prettier-ignore
    const empty = () => house.scim.patch(`/Groups/${groupId}`, patch({ op: 'replace', path: 'members', value: [] }));
    await empty();
    await eventually(() => shown(house, id), ({ status }) => status === 'inactive'); // prettier-ignore
    if (isDeleted) await house.scim.delete(`/Groups/${groupId}`);
    await done(house, 'undo');
    expect(await shown(house, id)).toMatchObject({ status: 'active', role: 'Admin' });
    if (isDeleted) return;
    expect(await membersOf(house.scim, groupId)).toEqual([id]);
    // The role is that of the group again, and ends with the membership.
    await empty();
    await eventually(() => shown(house, id), ({ status }) => status === 'inactive'); // prettier-ignore
  });

  it('leaves out a user whose name another one has by now, and says so', async () => {
    const { house, ids } = await company();
    const name = (await house.scim.get(`/Users/${ids[0]}`)).body.userName as string;
    await house.scim.delete(`/Users/${ids[0]}`);
    await madeUser(house.scim, user(name));
    const task = await done(house, 'undo', { user_ids: [ids[0], ids[1]] });
    expect(task).toMatchObject({ total: 2, done: 2, result: { brought_back: 0, left_out: 2 } });
    const { data } = (await house.api.get(`/tasks/${task.id}/left-out`)).body;
    expect(data.map(({ reason }: { reason: string }) => reason).sort()).toEqual(['not_counted', 'user_name_taken']);
  });

  it('is a 404 for one user who has not left', async () => {
    const { house, ids } = await company();
    expect((await act(house, 'undo', { user_ids: [ids[0]] })).status).toBe(404);
  });
});

long('says in the preview how many departures it would hold, and holds them when the directory goes live', async () => {
  const { house, ids } = await company();
  const settings = (state: string) => house.api.patch(`/directories/${house.directoryId}`, { state });
  await settings('preview');
  for (const id of ids.slice(0, 5)) await house.scim.delete(`/Users/${id}`);
  for (const id of ids.slice(5, 10)) await house.scim.patch(`/Users/${id}`, replace('active', false));
  const { body } = await house.api.get(`/directories/${house.directoryId}/preview`);
  expect(body.counts).toMatchObject({ deactivate: 5, delete: 5, held_by_guard: 6 });
  await settings('live');
  await eventually(() => guardOf(house), ({ body: guard }) => guard.held === 6); // prettier-ignore
  expect((await guardOf(house)).body.window).toMatchObject({ counted: LIMIT, limit: LIMIT });
});
