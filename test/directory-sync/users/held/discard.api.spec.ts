import { TasksRepository } from '../../../../src/engine/work/tasks.repository.js';
import { PeopleUpkeep } from '../../../../src/directory-sync/users/people/people-upkeep.js';
import { sharedApp, type TestApp } from '../../../support/app.js';
import { type House, newHouse, show } from '../../../support/house.js';
import { eventually } from '../../../support/http.js';
import { long } from '../../../support/rounds.js';
import { fresh, madeGroup, madeUser, mail, patch, replace, scim, user } from '../../../support/scim.js';

let service: TestApp;
beforeAll(async () => {
  service = await sharedApp();
});
afterAll(() => service.close());

const withMail = (email: string, more: object = {}) => user(fresh(), { emails: [{ value: email, type: 'work', primary: true }], ...more }); // prettier-ignore
const rules = (at: House, group: string, role: string) =>
  at.api.put(`/directories/${at.directoryId}/rules`, { rules: [{ group_id: group, role }] });
const members = (at: House, group: string, op: 'add' | 'remove', id: string) =>
  at.scim.patch(`/Groups/${group}`, patch({ op, path: 'members', value: [{ value: id }] }));
/** All that could bring something into force without a new write: the free seat, the freed name, changed rules. */
const everythingMoves = async (at: House) => {
  await at.api.put('/seats/limit', { limit: null });
  await service.app.nest.get(PeopleUpkeep).promote(at.tenantId);
  await service.app.nest.get(PeopleUpkeep).admitHeld(at.tenantId);
  await at.api.patch(`/directories/${at.directoryId}`, { attribute_map: { last_name: 'displayName' } });
  await at.api.patch(`/directories/${at.directoryId}`, { attribute_map: { last_name: null } });
  const tasks = service.app.nest.get(TasksRepository);
  await eventually(
    async () => {
      tasks.wake();
      return at.api.get(`/directories/${at.directoryId}/tasks`);
    },
    ({ body }) => body.data.every(({ state }: { state: string }) => state === 'done'),
  );
};

interface Case {
  at: House;
  id: string;
  /** A new write of what was discarded brings it into force. */
  again: () => Promise<unknown>;
  /** What is in force then. */
  then: object;
}
const cases: [string, () => Promise<Case>][] = [
  ['email_taken', async () => {
    const at = await newHouse(service);
    const [taken, own] = [mail(), mail()];
    const first = await madeUser(at.scim, withMail(taken));
    const id = await madeUser(at.scim, withMail(own, { name: { givenName: 'A', familyName: 'B' } }));
    const write = () => at.scim.patch(`/Users/${id}`, replace('emails', [{ value: taken }]));
    await write();
    await eventually(() => show(at, id), ({ held }) => held !== null);
    return { at, id, then: { email: taken }, again: async () => { await at.scim.delete(`/Users/${first}`); await write(); } };
  }],
  ['external_id_taken', async () => {
    const at = await newHouse(service);
    const [taken, own] = [fresh('E'), fresh('E')];
    const first = await madeUser(at.scim, withMail(mail(), { externalId: taken }));
    const id = await madeUser(at.scim, withMail(mail(), { externalId: own, name: { familyName: 'B' } }));
    const write = () => at.scim.patch(`/Users/${id}`, replace('externalId', taken));
    await write();
    return { at, id, then: { external_id: taken }, again: async () => { await at.scim.delete(`/Users/${first}`); await write(); } };
  }],
  ['no_seat', async () => {
    const at = await newHouse(service);
    await at.api.put('/seats/limit', { limit: 0 });
    const id = await madeUser(at.scim, withMail(mail()));
    return { at, id, then: { status: 'active', seat: 'held' }, again: () => at.scim.patch(`/Users/${id}`, replace('active', true)) };
  }],
  ['no_role', async () => {
    const at = await newHouse(service, { default_role: null });
    const id = await madeUser(at.scim, withMail(mail()));
    await rules(at, await madeGroup(at.scim, []), 'Admin');
    const again = async () => {
      const group = await madeGroup(at.scim, [id]);
      await rules(at, group, 'Admin');
      await at.scim.patch(`/Users/${id}`, replace('active', true));
    };
    return { at, id, then: { status: 'active', role: 'Admin' }, again };
  }],
  ['no_email', async () => {
    const at = await newHouse(service);
    const id = await madeUser(at.scim, user(fresh()));
    const email = mail();
    return { at, id, then: { email }, again: () => at.scim.patch(`/Users/${id}`, patch({ op: 'add', path: 'emails', value: [{ value: email }] })) };
  }],
  ['protected', async () => {
    const at = await newHouse(service);
    const id = await madeUser(at.scim, withMail(mail()));
    await at.api.patch('/tenant', { owner_user_id: id });
    const write = () => at.scim.patch(`/Users/${id}`, replace('active', false));
    await write();
    return { at, id, then: { status: 'active', held: 'protected' }, again: write };
  }],
  ['superseded', async () => {
    const at = await newHouse(service);
    const next = await service.newDirectory(at.tenantId, { takes_over: at.directoryId });
    const id = await madeUser(at.scim, withMail(mail()));
    const again = async () => {
      await at.api.patch(`/directories/${next.id}`, { takes_over: null });
      await service.app.nest.get(PeopleUpkeep).admitHeld(at.tenantId);
      await at.scim.patch(`/Users/${id}`, replace('active', true));
    };
    return { at, id, then: { status: 'active' }, again };
  }],
  ['preview', async () => {
    const at = await newHouse(service);
    const id = await madeUser(at.scim, withMail(mail(), { name: { givenName: 'A', familyName: 'B' } }));
    await at.api.patch(`/directories/${at.directoryId}`, { state: 'preview' });
    const write = () => at.scim.patch(`/Users/${id}`, replace('name.givenName', 'C'));
    await write();
    const again = async () => {
      await at.api.patch(`/directories/${at.directoryId}`, { state: 'live' });
      await write();
    };
    return { at, id, then: { first_name: 'C' }, again };
  }],
]; // prettier-ignore

describe.each(cases)('a user held for %s whose requested state is discarded', (reason, prepare) => {
  long('has the effective state as resource until a new write', async () => {
    const { at, id, again, then } = await prepare();
    const before = await show(at, id);
    expect(before.held).toBe(reason);
    const answer = await at.api.post(`/held/${id}/discard`, {});
    expect([answer.status, answer.body]).toEqual([200, { ...before, held: null, held_since: null, seat: before.seat === 'waiting' ? 'none' : before.seat, updated_at: expect.any(String) }]); // prettier-ignore
    const read = (await at.scim.get(`/Users/${id}`)).body;
    expect(read.active).toBe(before.status === 'active');
    expect(read.emails?.[0].value ?? null).toBe(before.email);
    if (reason === 'external_id_taken') expect(read.externalId).toBe(before.external_id);
    if (reason === 'preview') expect(read.name.givenName).toBe('A');
    const { data } = (await at.api.get(`/users/${id}/history?kind=held`)).body;
    expect(data).toMatchObject([
      { event: 'discarded', reason, held_at: expect.any(String), source: { surface: 'api' } },
    ]);
    expect((await at.api.get('/audit?limit=1')).body.data[0]).toMatchObject({
      action: 'held.discarded',
      target_id: id,
    });
    await everythingMoves(at);
    const { updated_at: _, ...after } = await show(at, id);
    expect(after).toEqual({ ...answer.body, updated_at: undefined, held: null });
    await again();
    expect(await eventually(() => show(at, id), (now) => Object.entries(then).every(([name, value]) => now[name] === value))).toMatchObject(then); // prettier-ignore
    expect((await at.api.post(`/held/usr_unknown/discard`, {})).status).toBe(404);
  });
});

describe('a discarded role', () => {
  long('of a group stays out of force until the group gives it anew', async () => {
    const at = await newHouse(service);
    const group = await madeGroup(at.scim, []);
    await rules(at, group, 'Admin');
    const id = await madeUser(at.scim, withMail(mail(), { roles: [] }));
    const watcher = await at.api.patch(`/directories/${at.directoryId}`, { default_role: 'Observer' });
    expect(watcher.status).toBe(200);
    await eventually(() => show(at, id), ({ role }) => role === 'Observer'); // prettier-ignore
    await at.api.put('/seats/limit', { limit: 0 });
    await members(at, group, 'add', id);
    expect(await eventually(() => show(at, id), ({ held }) => held === 'no_seat')).toMatchObject({ role: 'Observer', status: 'active' }); // prettier-ignore
    await at.api.post(`/held/${id}/discard`, {});
    await at.api.put('/seats/limit', { limit: null });
    await at.scim.patch(`/Users/${id}`, replace('title', 'T'));
    expect(await show(at, id)).toMatchObject({ role: 'Observer', held: null, seat: 'none' });
    await members(at, group, 'remove', id);
    await members(at, group, 'add', id);
    expect(await eventually(() => show(at, id), ({ role }) => role === 'Admin')).toMatchObject({ seat: 'held', held: null }); // prettier-ignore
  });
});

describe('a discarded removal', () => {
  it('gives the user a substitute name when the name was given away, and reports it', async () => {
    const at = await newHouse(service);
    const name = mail();
    const owner = await madeUser(at.scim, user(name));
    await at.api.patch('/tenant', { owner_user_id: owner });
    await at.scim.delete(`/Users/${owner}`);
    const before = await show(at, owner);
    const other = scim(service.url, (await service.newDirectory(at.tenantId)).token);
    expect(
      (await other.post('/Users', user(name, { emails: [{ value: mail() }], externalId: fresh('E') }))).status,
    ).toBe(201);
    expect((await at.api.post(`/held/${owner}/discard`, {})).status).toBe(200);
    const { body } = await at.scim.get(`/Users/${owner}`);
    expect(body.userName).toMatch(new RegExp(`^${name}#[0-9a-f]{8}$`));
    expect(await show(at, owner)).toMatchObject({
      email: name,
      external_id: before.external_id,
      status: 'active',
      held: null,
    });
    expect((await at.api.get(`/users/${owner}/history?kind=held`)).body.data).toMatchObject([
      { event: 'discarded', user_name: body.userName },
      { event: 'held', reason: 'protected' },
    ]);
    expect((await at.scim.get('/Users')).body.totalResults).toBe(1);
  });
});

describe('many held users', () => {
  const waiting = async () => {
    const at = await newHouse(service);
    await at.api.put('/seats/limit', { limit: 0 });
    const ids = await Promise.all([0, 1, 2].map(() => madeUser(at.scim, withMail(mail()))));
    const silent = await madeUser(at.scim, user(fresh(), { active: true }));
    return { at, ids, silent };
  };
  const done = async (at: House, id: string) =>
    (await eventually(() => at.api.get(`/tasks/${id}`), ({ body }) => body.state === 'done')).body; // prettier-ignore

  long('are released or discarded by a filter, in a task; a dry run counts', async () => {
    const { at, ids } = await waiting();
    const count = await at.api.post('/held/discard', { reason: 'no_seat', dry_run: true });
    expect([count.status, count.body]).toEqual([200, { count: 4 }]);
    expect((await at.api.get('/held?reason=no_seat')).body.data).toHaveLength(4);
    const task = await at.api.post('/held/release', { user_ids: ids.slice(0, 2) });
    expect(task.status).toBe(202);
    expect(task.body).toMatchObject({ kind: 'held.release', total: 2 });
    expect(await done(at, task.body.id)).toMatchObject({ done: 2, result: { released: 2, left_out: 0 } });
    for (const id of ids.slice(0, 2)) expect(await show(at, id)).toMatchObject({ status: 'active', seat: 'held' });
    const rest = await at.api.post('/held/discard', { directory: at.directoryId });
    expect(await done(at, rest.body.id)).toMatchObject({ done: 2, result: { discarded: 2, left_out: 0 } });
    expect((await at.api.get('/held')).body.data).toEqual([]);
    expect((await at.api.get(`/users/${ids[2]}/history?kind=held`)).body.data).toMatchObject([{ event: 'discarded' }]);
    expect((await at.api.get('/audit?limit=10')).body.data.map(({ action }: { action: string }) => action)).toContain('held.discard_begun'); // prettier-ignore
  });

  it('that cannot be released are left out with their reason', async () => {
    const at = await newHouse(service);
    const id = await madeUser(at.scim, user(fresh()));
    const task = await at.api.post('/held/release', { user_ids: [id, 'usr_unknown'] });
    expect(await done(at, task.body.id)).toMatchObject({ done: 1, result: { released: 0, left_out: 1 } });
    expect((await at.api.get(`/tasks/${task.body.id}/left-out`)).body.data).toMatchObject([
      { item: { user_id: id }, reason: 'cannot_be_released' },
    ]);
  });

  it.each([
    [{}, 'user_ids'],
    [{ user_ids: ['usr_1'], reason: 'no_seat' }, 'user_ids'],
    [{ all: false }, 'user_ids'],
    [{ user_ids: [] }, 'user_ids'],
    [{ reason: 'nothing' }, 'reason'],
    [{ reason: 'no_role' }, 'reason'],
    [{ reason: 'no_seat', all: true }, 'user_ids'],
  ])('a release of %j is refused by field', async (body, field) => {
    const at = await newHouse(service);
    const answer = await at.api.post('/held/release', body);
    expect([answer.status, answer.body.errors?.[0].field]).toEqual([422, field]);
  });

  it('of another tenant are not touched', async () => {
    const { at, ids } = await waiting();
    const other = await newHouse(service);
    const task = await other.api.post('/held/discard', { user_ids: ids });
    expect(await done(other, task.body.id)).toMatchObject({ done: 0, result: { discarded: 0, left_out: 0 } });
    expect((await at.api.get('/held')).body.data).toHaveLength(4);
  });
});
